"""Settings: from the environment, frozen, wrong ones told in one line."""

import json
import socket
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from app.environment import SettingsError, load_settings, misspelt
from app.setting_texts import is_loopback
from app.settings import Settings

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what must be refused without keys


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"DEMUR_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_defaults_of_the_contract(bare_environment):
    settings = load_settings()
    assert str(settings.data_dir) == "var"
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.max_body_bytes == 32 * 1024 * 1024
    assert settings.job_concurrency == 1
    assert settings.api_keys == ()
    assert settings.embedded
    assert settings.database == f"sqlite:///{bare_environment}/var/demur.sqlite3"


def test_the_environment_wins_over_the_file_and_arguments_over_both(
    bare_environment, monkeypatch
):
    (bare_environment / ".env").write_text("DEMUR_PORT=1111\nDEMUR_ROOT_PATH=/x/\n")
    assert load_settings().port == 1111
    assert load_settings().root_path == "/x"
    monkeypatch.setenv("DEMUR_PORT", "2222")
    assert load_settings().port == 2222
    assert load_settings(port=3333, host=None).port == 3333


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        load_settings().port = 1  # type: ignore[misc]


def test_keys_are_split_and_never_shown(monkeypatch):
    monkeypatch.setenv("DEMUR_API_KEYS", "secret-one, secret-two,")
    settings = load_settings(host=EVERYWHERE)
    assert [key.get_secret_value() for key in settings.api_keys] == [
        "secret-one",
        "secret-two",
    ]
    assert "secret-one" not in repr(settings)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("PORT", "eighty", "DEMUR_PORT"),
        ("PORT", "65536", "DEMUR_PORT"),
        ("API_KEYS", " , ", "DEMUR_API_KEYS"),
        ("API_KEYS", "secrét", "ASCII"),
        ("ROOT_PATH", "demur", "/name"),
        ("ROOT_PATH", "/a b", "/name"),
        ("ROOT_PATH", "/a//b", "/name"),
        ("ROOT_PATH", "/../b?", "/name"),
        ("DATABASE_URL", "sqlite://", "file"),
        ("DATABASE_URL", "sqlite:///:memory:", "file"),
        ("DATABASE_URL", "mysql://user:secrét@host/x", "postgresql"),
        ("MAX_BODY_BYTES", "-1", "DEMUR_MAX_BODY_BYTES"),
        ("JOB_CONCURRENCY", "0", "DEMUR_JOB_CONCURRENCY"),
        ("LOG_LEVEL", "loud", "DEMUR_LOG_LEVEL"),
    ],
)
def test_a_wrong_setting_is_one_line_with_its_name_not_its_value(
    monkeypatch, variable, value, words
):
    monkeypatch.setenv(f"DEMUR_{variable}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert "secrét" not in message


def test_a_plain_postgresql_address_gets_its_driver(monkeypatch):
    monkeypatch.setenv("DEMUR_DATABASE_URL", "postgresql://demur@db/demur")
    settings = load_settings()
    assert settings.database == "postgresql+psycopg://demur@db/demur"
    assert not settings.embedded


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "LocalHost"]
)
def test_these_stay_on_the_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", [EVERYWHERE, "::", "10.0.0.1", "localhost.evil.org", ""]
)
def test_these_do_not(host):
    assert not is_loopback(host)


def test_every_setting_says_what_it_is():
    for name, field in Settings.model_fields.items():
        assert field.description, name


@pytest.mark.thorough
def test_the_command_ends_with_status_2_and_one_line(bare_environment):
    for command in (["serve", "--host", EVERYWHERE], ["worker"], ["migrate"]):
        ended = subprocess.run(
            [sys.executable, "-m", "app.cli", *command],
            env={} if EVERYWHERE in command else {"DEMUR_PORT": "x"},
            cwd=bare_environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 2
        assert ended.stdout == ""
        assert ended.stderr.startswith("demur: ")
        assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/x.sqlite3", "postgresql://nobody@127.0.0.1:1/x"]
)
def test_a_database_that_cannot_be_used_is_one_line(bare_environment, url):
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", "migrate"],
        env={"DEMUR_DATABASE_URL": url},
        cwd=bare_environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("demur: the database cannot be used")
    assert ended.stderr.count("\n") == 1


def test_a_taken_port_is_told(bare_environment):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "app.cli",
                "serve",
                "--port",
                str(taken.getsockname()[1]),
            ],
            cwd=bare_environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert "in use" in ended.stderr


def test_variables_that_look_like_settings_are_told_and_no_others():
    assert misspelt({f"DEMUR_{name.upper()}" for name in Settings.model_fields}) == {}
    others = {
        "DEMUR_URL",
        "DEMUR_API_KEY",
        "DEMUR_PUBLISH_PORT",
        "PATH",
        "DEMUR_COLOUR",
    }
    assert misspelt(others) == {}
    assert misspelt({"DEMUR_APIKEYS", "DEMUR_MAX_BODYBYTES", "DEMUR_DATADIR"}) == {
        "DEMUR_APIKEYS": "DEMUR_API_KEYS",
        "DEMUR_MAX_BODYBYTES": "DEMUR_MAX_BODY_BYTES",
        "DEMUR_DATADIR": "DEMUR_DATA_DIR",
    }


@settings(max_examples=50)
@given(
    name=st.sampled_from(sorted(Settings.model_fields)),
    place=st.integers(1, 3),
)
def test_a_setting_with_one_letter_less_is_told(name, place):
    word = name[:place] + name[place + 1 :]
    if len(name) > 4 and word not in {"url", "api_key"}:
        assert misspelt({f"DEMUR_{word.upper()}"}), word


def test_a_misspelt_variable_is_a_line_of_the_log(bare_environment):
    (bare_environment / ".env").write_text("DEMUR_LOGLEVEL=debug\n")
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", "migrate"],
        env={"DEMUR_APIKEYS": "secret"},
        cwd=bare_environment,
        capture_output=True,
        text=True,
        check=True,
    )
    told = [json.loads(line)["message"] for line in ended.stderr.splitlines()]
    assert [line.split()[0] for line in told] == ["DEMUR_APIKEYS", "DEMUR_LOGLEVEL"]
    assert "DEMUR_API_KEYS" in told[0]
    assert "secret" not in ended.stderr


@pytest.mark.parametrize(
    "url",
    ["s3://bucket/a/b?region=eu-west-1", "gs://bucket", "abfs://box@name.example/x"],
)
def test_a_store_may_be_a_bucket(url):
    settings = load_settings(store=url, data_dir="here")
    assert settings.artifacts_dir.shown == f"{url.partition('?')[0]}/artifacts"
    assert settings.artifacts_dir.parent.parent.url != settings.place.url
    assert settings.place.local.endswith("/here")


def test_a_store_may_be_another_folder():
    assert (
        str(load_settings(store="/mnt/shared").datasets_dir) == "/mnt/shared/datasets"
    )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://bucket/x", "a folder, or s3://"),
        ("s3:///x", "scheme://BUCKET/PREFIX"),
        ("s3://key:hidden@bucket/x", "credentials come from the environment"),
        ("s3://hidden@bucket/x", "credentials come from the environment"),
        ("s3://bucket/x?secret_key=hidden", "takes endpoint_override, region, scheme"),
        ("abfs://box@name.example/x?sig=hidden", "takes nothing"),
        ("gs://bucket/x#hidden", "takes endpoint_override, scheme"),
    ],
)
def test_a_store_that_is_none_is_told_without_its_secrets(url, said):
    with pytest.raises(SettingsError) as caught:
        load_settings(store=url)
    assert str(caught.value).startswith("DEMUR_STORE: ")
    assert said in str(caught.value)
    assert "hidden" not in str(caught.value)
