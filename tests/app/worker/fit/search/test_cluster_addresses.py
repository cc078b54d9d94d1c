"""Which addresses of Dask clusters are taken, and what they are looked up as."""

import pytest

from app.environment import SettingsError, load_settings
from app.errors import TrainingFailedError
from app.worker.fit.search import cluster as clusters


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://8.8.8.8:8786", "private network"),
        ("tcp://[2600::1]:8786", "private network"),
        ("tls://10.0.0.1:8786", "DEMUR_CLUSTER_TLS"),
        ("tcp://10.0.0.1", "tcp://HOST:PORT"),
        ("tcp://10.0.0.1:x", "tcp://HOST:PORT"),
        ("http://10.0.0.1:8786", "tcp://HOST:PORT"),
        ("tcp://a:b@10.0.0.1:8786", "tcp://HOST:PORT"),
        ("local:0", "local:N"),
    ],
)
def test_only_a_cluster_that_others_cannot_reach_is_taken(address, said):
    with pytest.raises(SettingsError, match="DEMUR_CLUSTER: ") as refused:
        load_settings(cluster=address)
    assert said in str(refused.value)


def test_addresses_of_private_networks_and_certificates_are_taken(tmp_path):
    for address in (
        "local",
        "local:4",
        "tcp://127.0.0.1:8786",
        "tcp://10.0.0.1:8786",
        "tcp://[fd00::1]:8786",
        "tcp://scheduler:8786",
    ):
        assert load_settings(cluster=address).cluster == address
    file = tmp_path / "pem"
    file.write_text("x")
    files = (str(file),) * 3
    public = "tls://8.8.8.8:8786"
    assert load_settings(cluster=public, cluster_tls=files).cluster == public
    with pytest.raises(SettingsError, match="three files"):
        load_settings(cluster=public, cluster_tls=files[:2])


def test_a_name_is_looked_up_before_it_is_connected_to(monkeypatch):
    def found(*_, **__):
        return [(2, 1, 6, "", (number, 8786)) for number in numbers]

    monkeypatch.setattr(clusters.socket, "getaddrinfo", found)
    named = clusters.Cluster("tcp://scheduler:8786")
    numbers = ["10.1.2.3"]
    assert named._address() == "tcp://10.1.2.3:8786"
    numbers = ["10.1.2.3", "8.8.8.8"]
    with pytest.raises(TrainingFailedError, match="on no private network"):
        named._address()
