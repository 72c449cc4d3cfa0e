"""Changed packages are tested in every combination."""

import subprocess
from pathlib import Path

import pytest

from tests.isolation.table import BY_ROUTE, Case
from tests.support import touched


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an uncommitted change to notes."""
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "First"], ["commit", "-qm", "Next", "--allow-empty"]):
        for name in ("notes", "core"):
            (tmp_path / "teamspace" / name).mkdir(parents=True, exist_ok=True)
            (tmp_path / "teamspace" / name / "store.py").touch()
        author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        subprocess.run(["git", *author, *step], cwd=tmp_path, check=True)
    (tmp_path / "teamspace/notes/store.py").write_text("changed")
    monkeypatch.setattr(touched, "ROOT", tmp_path)
    touched.changed.cache_clear()
    return tmp_path


def test_a_change_is_mapped_to_its_package(history: Path) -> None:
    assert touched.changed() == {"notes"}
    touched.changed.cache_clear()


def test_without_git_history_nothing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "ROOT", tmp_path)
    touched.changed.cache_clear()
    assert touched.changed() == frozenset()
    touched.changed.cache_clear()


@pytest.mark.parametrize("case", [BY_ROUTE["GET /api/notes/:id"]], ids=["note"])
def test_a_route_case_belongs_to_the_package_of_the_route(request: pytest.FixtureRequest, case: Case) -> None:
    assert touched.package_of(request.node) == "notes"


def test_any_other_test_belongs_to_its_folder(request: pytest.FixtureRequest) -> None:
    assert touched.package_of(request.node) == "support_test"


@pytest.mark.about("notes")
def test_a_test_can_name_its_package(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touched, "changed", lambda: frozenset({"notes"}))
    assert touched.is_touched(request.node)
    monkeypatch.setattr(touched, "changed", lambda: frozenset({"jobs"}))
    assert not touched.is_touched(request.node)
