"""Fixtures of these tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.help import Places


@pytest.fixture
def places(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Places]:
    places = Places(tmp_path_factory.mktemp("places"), postgres_url)
    yield places
    places.clear()


@pytest.fixture
def backup_file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar"
