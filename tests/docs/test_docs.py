"""The documentation is true: generated pages are up to date, links lead somewhere, the README's words work."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from teamspace.settings import SETTINGS

ROOT = Path(__file__).parents[2]
PAGES = [path for path in ROOT.glob("**/*.md") if not {".venv", "node_modules"} & set(path.parts)]


def test_the_reference_is_up_to_date() -> None:
    found = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def test_every_setting_that_a_page_names_exists() -> None:
    known = {setting.name for setting in SETTINGS}
    for page in PAGES:
        named = set(re.findall(r"\bSERVICE_[A-Z0-9_]+\b", page.read_text()))
        assert named <= known, page


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs/decisions").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
