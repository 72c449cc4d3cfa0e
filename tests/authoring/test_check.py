"""`teamspace plugin check`: what is right passes, and what is wrong is named with its reason."""

import io
import re
from pathlib import Path

import msgspec
import pytest

from teamspace.authoring import child
from teamspace.authoring.schemas import Line, Verdict
from teamspace.core import loader
from tests.blobs.plugin_stores import EXAMPLE
from tests.plugins.help import ROGUE, SAMPLE, write_plugin
from tests.plugins.test_faults import FAULTS, GOOD, MANIFESTS
from tests.support.served import teamspace

SHIPPED = Path(__file__).parents[2] / "plugins"
RIGHT = [*sorted(SHIPPED.iterdir()), SAMPLE, EXAMPLE]


def check(folder: Path, *options: str) -> tuple[int, dict[str, str]]:
    """The exit code, and the reason of each check that failed."""
    result = teamspace("plugin", "check", str(folder), *options, settings={})
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    failed = dict(re.findall(r"^FAIL  (.*?): (.*)$", result.stdout, re.MULTILINE))
    done = len([line for line in lines if line.startswith(("ok    ", "FAIL  "))])
    assert lines[-1] == (f"{done} checks, {len(failed)} failed" if failed else f"{done} checks, all is well")
    return result.returncode, failed


@pytest.mark.parametrize("folder", RIGHT, ids=lambda folder: folder.name)
def test_the_plugins_that_ship_and_the_examples_pass(folder: Path) -> None:
    assert check(folder) == (0, {})


def test_what_fails_in_use_is_named_with_its_reason() -> None:
    code, failed = check(ROGUE, "--seconds", "2")
    assert code == 1
    route = "the route GET /api/x/rogue"
    expected = {
        "the job kind x.rogue.judge returns what is wrong": "ZeroDivisionError: no judgement",
        "the job kind x.rogue.count returns what is wrong": "it returned 7, which is neither a text nor None",
        "the job kind x.rogue.leave does jobs": "SystemExit: 3",
        "the tool rogue_crash answers calls": "ZeroDivisionError: secret detail",
        "the tool rogue_thing answers calls": "TypeError: Encoding objects of type object is unsupported",
        "the tool rogue_card answers calls": "returned a image, which its row does not declare",
        f"{route}/crash answers with JSON": "it answered 500 (ZeroDivisionError: secret detail)",
        f"{route}/leave answers with JSON": "it answered 500 (SystemExit: 3)",
        f"{route}/hang answers with JSON": "there was no answer within 2 seconds",
        f"{route}/block answers with JSON": "there was no answer within 2 seconds",
        f"{route}/kill answers with JSON": "it ended the server",
        "the blob store rogue-forgets returns what was put": "an empty blob has 0 bytes, but stat returns None",
        "the blob store rogue-raises knows what is missing": "FileNotFoundError",
        "the blob store rogue-mixes keeps the blobs of companies apart": "for a blob that is not there, instead of None",
        "the blob store rogue-nothing can be opened": "object is not a blob store: it has no put, get, delete, stat",
    }
    for subject, reason in expected.items():
        (found,) = [each for name, each in failed.items() if name.startswith(subject)]
        assert reason in found, (subject, found)
    assert not any(name.startswith(f"{route}/fine") for name in failed), "a check after a crash gets a new server"


def load(folder: Path, data: Path) -> list[Verdict]:
    """What the process that loads a plugin says, without a process of its own."""
    out = io.BytesIO()
    child.run(folder, data, child.Reporter(out))
    lines = [msgspec.json.decode(line, type=Line) for line in out.getvalue().splitlines()]
    return [line for line in lines if isinstance(line, Verdict)]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_malformed_plugin_fails_with_its_reason(tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "IMPORT_SECONDS", 0.3)
    source, reason = FAULTS[fault]
    if fault == "tool of another":  # a plugin is checked on its own
        source, reason = source.replace("sample_sum", "word_count"), "word_count: declared twice"
    (verdict,) = load(write_plugin(tmp_path / "bad", source), tmp_path)
    assert (verdict.subject, verdict.what) == ("the plugin", "is loaded")
    assert reason in str(verdict.fault)


@pytest.mark.parametrize("fault", MANIFESTS)
def test_a_malformed_manifest_fails_with_its_reason(tmp_path: Path, fault: str) -> None:
    content, reason = MANIFESTS[fault]
    folder = write_plugin(tmp_path / "bad", GOOD, **(content if isinstance(content, dict) else {}))
    if not isinstance(content, dict):
        (folder / "plugin.json").write_bytes(content if isinstance(content, bytes) else str(content).encode())
    (verdict,) = load(folder, tmp_path)
    assert reason in str(verdict.fault)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os; os._exit(3)", "it ended the process, with exit code 3"),
        ("import os; os.kill(os.getpid(), 11)", "it ended the process, with SIGSEGV"),
        ("import os; os.write(1, b'noise\\n'); print('more'); 1 / 0", "it cannot be loaded: ZeroDivisionError"),
    ],
)
def test_what_ends_the_process_is_named(tmp_path: Path, source: str, reason: str) -> None:
    code, failed = check(write_plugin(tmp_path / "bad", source))
    assert code == 1 and reason in failed["the plugin is loaded"]


STORE = """
import time
from teamspace.sdk import BlobStoreSpec
BLOB_STORES = (BlobStoreSpec("slow", "open_store", "Never answers."),)
class Store:
    def put(self, *given): time.sleep(3600)
    get = delete = stat = put
def open_store(settings): return Store()
"""


def test_a_store_that_hangs_is_named(tmp_path: Path) -> None:
    code, failed = check(write_plugin(tmp_path / "slow", STORE), "--seconds", "1")
    assert code == 1
    assert failed == {"the blob store slow knows what is missing": "it did not finish within 1 seconds"}


EXPERIENCE = """
from teamspace.sdk import OnboardingExperience
FIELD = {"name": "email", "type": "email", "required": True, "label": {"en": "E-mail"}}
ONBOARDING = (OnboardingExperience({"fields": [FIELD], "copy": {"en": {"title": "Join <us> & more"}, "de": {"title": "Komm"}}}),)
"""


def test_the_sign_up_page_and_public_files_are_looked_at_as_visitors_do(tmp_path: Path) -> None:
    folder = write_plugin(tmp_path / "welcome", EXPERIENCE)
    (folder / "landing" / "images").mkdir(parents=True)
    (folder / "landing" / "index.html").write_text("<!doctype html><title>Welcome</title>")
    (folder / "landing" / "images" / "dock.png").write_bytes(b"\x89PNG")
    (folder / "landing" / "notes.md").write_text("x")
    result = teamspace("plugin", "check", str(folder), settings={})
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        "ok    the plugin is loaded",
        "ok    the file landing/images/dock.png is public",
        "ok    the file landing/index.html is public",
        "FAIL  the file landing/notes.md is public: files that end with .md are not served",
        "ok    the folder landing/ shows nothing outside of it",
        "ok    the sign-up page asks visitors what it should",
        "ok    the sign-up page is shown in each of its languages: note: labels are missing in de",
        "ok    the sign-up page can be edited and published by a team",
        "8 checks, 1 failed",
    ]


def test_files_that_are_not_served_are_named(tmp_path: Path) -> None:
    folder = write_plugin(tmp_path / "files", "")
    (folder / "bundle").mkdir()
    for name in ("fine.js", "notes.md", "with space.js"):
        (folder / "bundle" / name).write_text("x")
    (folder / "bundle" / "link.js").symlink_to(folder / "plugin.json")
    assert check(folder) == (1, {
        "the file bundle/notes.md is served to signed-in people only": "files that end with .md are not served",
        "the file bundle/with space.js is served to signed-in people only": "it answered 404",
        "the file bundle/link.js is served to signed-in people only": "it answered 404",
    })  # fmt: skip


def test_a_folder_of_plugins_is_checked_one_by_one(tmp_path: Path) -> None:
    write_plugin(tmp_path / "first", "1 / 0")
    write_plugin(tmp_path / "second", "")
    result = teamspace("plugin", "check", str(tmp_path), settings={})
    assert result.returncode == 1
    assert [line[:6] for line in result.stdout.splitlines()] == ["FAIL  ", "ok    ", "2 chec"], result.stdout


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_without_a_plugin_there_is_nothing_to_check(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    result = teamspace("plugin", "check", str(tmp_path / folder), settings={})
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("teamspace: there is no ")


VALIDATORS = """
import msgspec
from typing import Annotated
from teamspace.sdk import JobSpec
class Order(msgspec.Struct): name: str
class Report(msgspec.Struct): share: Annotated[float, msgspec.Meta(ge=0, le=1)]
JOBS = tuple(
    JobSpec(f"x.judging.{check}", None, "x", callable=True, remote=True, check=check, input=Order, result=Report)
    for check in ("strict", "lenient")
)
async def strict(input, result): return "too small" if result.share < 1 else None
def lenient(input, result): return None
"""


def test_a_validator_that_accepts_everything_is_noted(tmp_path: Path) -> None:
    notes = {
        str(verdict.subject): verdict.note for verdict in load(write_plugin(tmp_path / "judging", VALIDATORS), tmp_path)
    }
    assert notes["the job kind x.judging.strict"] is None
    assert "it accepted all" in str(notes["the job kind x.judging.lenient"])
