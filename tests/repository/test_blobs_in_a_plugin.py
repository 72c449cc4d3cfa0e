"""The tests of objects and their texts, once more with a plugin as the blob store."""

from pathlib import Path

import msgspec
import pytest

from teamspace.settings import Settings, load
from tests.blobs.plugin_stores import EXAMPLE
from tests.repository.test_objects import *  # noqa: F403
from tests.repository.test_texts import *  # noqa: F403

del test_a_damaged_blob_is_not_served, test_a_damaged_row_is_not_served  # noqa: F821 - they change files and rows of rs3
del test_small_objects_are_stored_in_the_database  # noqa: F821 - by rs3 only

pytestmark = [pytest.mark.about("blobs", "plugins"), pytest.mark.sampled(8)]


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    common = load(
        {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url, "SERVICE_SQLITE_SYNC": "normal"},
        file=tmp_path / "no.env",
    )
    return msgspec.structs.replace(
        common, blob_store="sqlite-blobs", plugins=(EXAMPLE,), rate_token=0, rate_anonymous=0
    )
