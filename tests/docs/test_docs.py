"""The documentation: generated pages are up to date, links work, and settings exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from teamspace.settings import SETTINGS

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in ROOT.glob("**/*.md")
    if not any(part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts)
]


def test_the_reference_is_up_to_date() -> None:
    found = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_works(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text())  # a link in code is an example
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def test_every_setting_named_in_the_docs_exists() -> None:
    known = {setting.name for setting in SETTINGS}
    for page in PAGES:
        mentioned = set(re.findall(r"\bSERVICE_[A-Z0-9_]+\b", page.read_text()))
        assert mentioned <= known, page


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in (ROOT / "docs/decisions").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
