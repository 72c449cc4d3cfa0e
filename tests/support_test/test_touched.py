"""Changed packages are tested in every combination."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.console.views import VIEWS
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


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("teamspace/core/db/sqlite.py", {"db"}),
        ("teamspace/core/http.py", {"core"}),
        ("console/src/features/chat/stream/reader.ts", {"console/chat"}),
        ("console/src/features/chat/screens.ts", {"console"}),
        ("console/src/features/chat/content.test.ts", set()),
        ("console/src/ui/states.tsx", {"console"}),
        ("console/src/ui/writing/Editing.module.css", {"console/documents", "console/notes"}),
        ("console/src/ui/markdown/editor/FormatBar.tsx", {"console/documents", "console/notes"}),
        ("console/src/i18n/index.ts", {"console"}),
        ("tests/notes/test_routes.py", {"tests/notes/test_routes.py"}),
        ("tests/notes/help.py", {"notes"}),
    ],
)
def test_a_change_of_a_file_concerns_parts(path: str, parts: set[str]) -> None:
    assert touched._concerned(Path(path).parts) == parts


def test_no_feature_of_the_console_imports_another() -> None:
    """Else a change to one would concern the screens of the other."""
    root = touched.ROOT / "console/src/features"
    imports = [
        (file.relative_to(root).parts[0], feature)
        for file in (*root.rglob("*.ts"), *root.rglob("*.tsx"))
        for feature in re.findall(r'"@/features/(\w+)', file.read_text())
    ]
    assert [(importer, imported) for importer, imported in imports if importer != imported] == []


def test_every_screen_of_a_view_has_a_feature() -> None:
    assert {view.name for view in VIEWS if not view.feature} == {"settings", "settings-member", "state-nowhere"}
    assert {view.feature for view in VIEWS if view.name.startswith("chat")} == {"chat"}


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
