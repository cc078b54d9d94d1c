"""Which places a request may name, of folders and of stores."""

import pytest

from app.blobs.interface import Remote
from app.score.places import RefusedPlaceError, folder_of, place_at
from app.settings import Settings

ALLOWED = ("s3://bucket/in?region=eu-west-1", "gs://other", "/srv/rows")


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path, score_places=ALLOWED)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("s3://bucket/in/a/", "s3://bucket/in/a?region=eu-west-1"),
        ("s3://bucket/in", "s3://bucket/in?region=eu-west-1"),
        ("gs://other/deep/er", "gs://other/deep/er"),
    ],
)
def test_a_place_below_an_allowed_one_has_its_options(settings, url, place):
    found = place_at(settings, url)
    assert isinstance(found, Remote)
    assert found.url == place


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/inner",
        "s3://bucket",
        "s3://bucket2/in/a",
        "gs://bucket/in/a",
        "s3://bucket/in/../out",
        "s3://bucket/in/a?endpoint_override=elsewhere",
        "/srv/rows2",
        "/bucket/in/a",
        "srv/rows",
        "s3:/bucket/in/a",
        "",
    ],
)
def test_no_other_place_is_one(settings, url):
    with pytest.raises(RefusedPlaceError):
        place_at(settings, url)


@pytest.mark.parametrize("name", ["a.parquet", "A.CSV", None])
def test_a_file_is_told_from_a_folder(settings, name):
    for root in ("s3://bucket/in", "/srv/rows"):
        url = f"{root}/x" if name is None else f"{root}/x/{name}"
        folder, file = folder_of(place_at(settings, url))
        assert folder == place_at(settings, f"{root}/x")
        assert file == name
