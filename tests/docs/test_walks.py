"""The guides that claim to be tested: each runs against a real server, on both databases."""

from pathlib import Path

import pytest

from tests.docs.walk import steps, walk
from tests.support.served import Served

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("page", "minimum"),
    [("docs/guides/two-companies.md", 34), ("docs/guides/workers.md", 15), ("docs/guides/translate.md", 8)],
)
def test_a_guide_works_as_written(page: str, minimum: int, database_url: str, tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}
    with Served(settings) as served:
        assert walk(ROOT / page, served.url) >= minimum


def test_a_response_that_differs_from_the_guide_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('```http\nGET /health\n```\n```json\n200\n{"ok": false}\n```\n')
    assert len(list(steps(page))) == 1
    with Served({"SERVICE_DATA": str(tmp_path / "data")}) as served, pytest.raises(AssertionError, match=r"page\.md:2"):
        walk(page, served.url)
