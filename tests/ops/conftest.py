"""Fixtures of the backup and restore tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.help import Instances


@pytest.fixture
def instances(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Instances]:
    instances = Instances(tmp_path_factory.mktemp("instances"), postgres_url)
    yield instances
    instances.clear()


@pytest.fixture
def backup_file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar"
