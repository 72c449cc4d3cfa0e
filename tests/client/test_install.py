"""The client installs and works without the server."""

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import teamspace
from teamspace.client import Client

ROOT = Path(__file__).parents[2]
ALLOWED = ("httpx2", "httpcore2", "h11", "anyio", "idna", "truststore", "typing_extensions.py", "msgspec", "sniffio")
"""What the two dependencies need."""

PROGRAM = """
import json, sys
from teamspace.client import Client

with Client(sys.argv[1], sys.argv[2]) as client:
    note = client.notes.create(title="Installed", tags=["installed"])
    with client.ai.stream(prompt="Hello") as stream:
        for event in stream:
            pass
    found = [name for name in sys.modules if name.startswith("teamspace.") and not name.startswith("teamspace.client")]
    print(json.dumps([[item.title for item in client.notes.list(tag="installed")], stream.text, found]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=ROOT / "client", capture_output=True, text=True, check=True,
    )  # fmt: skip
    (path,) = target.glob("*.whl")
    return path


def test_the_wheel_has_the_client_alone(wheel: Path) -> None:
    assert wheel.name == f"teamspace_client-{teamspace.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        metadata = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    assert "teamspace/client/py.typed" in names
    assert all(name.startswith("teamspace/client/") for name in names if name != "teamspace/__init__.py")
    required = [line.split(": ")[1] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    server = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert len(required) == 2 and set(required) <= set(server)


def test_the_wheel_works_in_an_interpreter_without_the_server(wheel: Path, ann: Client, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    installed = next(Path(entry) for entry in sys.path if entry.endswith("site-packages"))
    for name in ALLOWED:
        for path in (*installed.glob(name), *installed.glob(f"{name}-*.dist-info")):
            (tmp_path / path.name).symlink_to(path)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM}"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, ann.options.url, ann.options.token],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    titles, text, others = json.loads(result.stdout)
    assert titles == ["Installed"] and text and others == []


def test_the_servers_distribution_contains_the_client() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["packages"] == ["teamspace"]
