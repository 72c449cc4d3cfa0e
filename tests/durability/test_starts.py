"""A start that cannot succeed tells why in one line, quickly, and leaves the folder unchanged."""

import io
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import apsw.shell
import httpx2
import pytest

from teamspace.app import prepare_folder
from tests.support.served import HOST, Served, free_port, teamspace

LIMIT = 20.0
"""Far more than a start takes, since the machine may be busy."""
PASSWORD = "a cautious first passphrase"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an instance. After all failed starts a normal one works, and no data is lost."""
    data = tmp_path_factory.mktemp("starts") / "data"
    settings = {"SERVICE_DATA": str(data)}
    with Served(settings, new_interpreter=True) as served:
        made = httpx2.post(f"{served.url}/api/bootstrap", json={"username": "ann", "password": PASSWORD})
        assert served.stop() == 0
    yield data
    with Served(settings, new_interpreter=True) as served:
        headers = {"authorization": f"Bearer {made.json()['token']}"}
        assert httpx2.get(f"{served.url}/api/whoami", headers=headers).status_code == 200
        assert served.stop() == 0
    assert teamspace("doctor", settings=settings).returncode == 0


@pytest.fixture
def data(folder: Path) -> Iterator[Path]:
    """The same folder, whose content the test must not change."""
    before = content(folder)
    yield folder
    assert content(folder) == before


def content(data: Path) -> tuple[str, list[str]]:
    with closing(apsw.Connection(str(data / "teamspace.sqlite"))) as file:
        dump = io.StringIO()
        apsw.shell.Shell(stdout=dump, db=file).process_command(".dump")
    rows = [line for line in dump.getvalue().splitlines() if not line.startswith("--")]  # comments contain the time
    return (data / "secret.key").read_text(), rows


def refusal(data: Path, **settings: str) -> str:
    """The one line with which the server refuses to start."""
    began = time.monotonic()
    ended = teamspace("serve", settings={"SERVICE_DATA": str(data), "SERVICE_PORT": str(free_port()), **settings})
    assert ended.returncode != 0
    assert time.monotonic() - began < LIMIT
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("teamspace: ")
    return line.removeprefix("teamspace: ")


def test_an_unknown_setting(data: Path) -> None:
    assert refusal(data, SERVICE_PROT="80").startswith("SERVICE_PROT is not a setting")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVICE_PORT", "eighty"),
        ("SERVICE_TRUSTED_PROXIES", "10.0.0.300"),
        ("SERVICE_DATABASE_URL", "mysql://127.0.0.1/x"),
    ],
)
def test_a_bad_value(data: Path, name: str, value: str) -> None:
    assert refusal(data, **{name: value}).startswith(f"{name}: ")


def test_an_unwritable_data_folder(data: Path) -> None:
    # There can be no folder below a file, even for root.
    below = data / "secret.key" / "data"
    assert refusal(below) == f"the data folder {below} cannot be written: Not a directory"


def test_a_key_that_does_not_match_the_data(data: Path) -> None:
    assert "secret key" in refusal(data, SERVICE_SECRET_KEY="ab" * 32)


@pytest.mark.parametrize("key", ["not base64!", "c2hvcnQ="])
def test_a_malformed_key(data: Path, key: str) -> None:
    assert "64 hexadecimal digits" in refusal(data, SERVICE_SECRET_KEY=key)


def test_data_of_a_newer_server(data: Path) -> None:
    with closing(apsw.Connection(str(data / "teamspace.sqlite"))) as file:
        file.execute("INSERT INTO migrations VALUES (9999, '9999_future.sql', 'digest', '2099-01-01')")
        assert "schema 9999" in refusal(data)
        file.execute("DELETE FROM migrations WHERE number = 9999")


def test_a_port_that_is_taken(data: Path) -> None:
    with socket.create_server((HOST, 0)) as other:
        port = other.getsockname()[1]
        assert refusal(data, SERVICE_PORT=str(port)) == f"cannot listen on {HOST}:{port}: address already in use"


def test_a_folder_in_use_by_another_server(data: Path) -> None:
    with Served({"SERVICE_DATA": str(data)}, new_interpreter=True) as served:
        assert served.process is not None
        assert f"another server (process {served.process.pid})" in refusal(data)
        assert served.healthy()
        assert served.stop() == 0


def test_an_unreachable_postgresql(data: Path) -> None:
    url = f"postgresql://postgres@{HOST}:{free_port()}/postgres"
    assert "cannot access the database" in refusal(data, SERVICE_DATABASE_URL=url)


def test_a_database_that_does_not_exist(data: Path, postgres_url: str) -> None:
    assert "does not exist" in refusal(data, SERVICE_DATABASE_URL=postgres_url + "_of_nobody")


def test_a_folder_can_be_prepared_concurrently(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: prepare_folder(tmp_path / "data"), range(400)):
            pass
    assert list((tmp_path / "data").iterdir()) == []
