"""A power cut loses nothing that was acknowledged and leaves nothing half-written (decision 20)."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path

import pytest

from teamspace import app
from teamspace.blobs.domain import local
from teamspace.core.db import sqlite
from teamspace.ops.backup import backup
from teamspace.s3.domain import completing
from tests.durability.disk import Named, Synced, cuts, everything
from tests.durability.power import (
    Recording,
    record,
    record_rekey,
    record_restore,
    settings_of,
    trials,
    trials_when_acknowledged,
    violations,
)
from tests.durability.workload import Workload

SEEDS, SEEDS_THOROUGH = 1, 12


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow multipart parts of a few bytes."""
    monkeypatch.setattr(completing, "MIN_PART", 1)


async def test_a_cut_at_any_sync_loses_nothing_that_was_acknowledged(tmp_path: Path, thorough: bool) -> None:
    recording = await record(tmp_path / "before", Workload.all)
    await _check(recording, tmp_path / "after", thorough)
    names = {file: name for event in recording.log if isinstance(event, Named) for name, file in event.names}
    syncs = Counter(names[event.file] for event in recording.log if isinstance(event, Synced))
    assert syncs["data/teamspace.sqlite-wal"] > 40, "commits"
    assert syncs["data/teamspace.sqlite"] > 8, "checkpoints"


async def test_a_cut_during_a_rekey_loses_nothing(tmp_path: Path, thorough: bool) -> None:
    instance = await record(tmp_path / "instance", Workload.minimal)
    recording = await record_rekey(tmp_path / "before", tmp_path / "instance", instance)
    await _check(recording, tmp_path / "after", thorough)


async def test_a_restore_is_complete_when_it_has_ended_and_invisible_before(tmp_path: Path, thorough: bool) -> None:
    instance = await record(tmp_path / "instance", Workload.minimal, SERVICE_SECRET_KEY="ab" * 32)
    archive = tmp_path / "backup.tar"
    await backup(settings_of(tmp_path / "instance", instance.settings), archive)
    recording = await record_restore(tmp_path / "before", archive, instance)
    await _check(recording, tmp_path / "after", thorough)


async def _check(recording: Recording, folder: Path, thorough: bool) -> None:
    seeds = SEEDS_THOROUGH if thorough else SEEDS
    all_trials = chain(trials(recording, seeds), trials_when_acknowledged(recording))
    async for violation in violations(recording, all_trials, folder):
        pytest.fail(violation)
    *_, end = cuts(recording.log)
    assert end.disk.image_after_cut(everything).entries == recording.final.entries, "the log has missed a write"


async def test_with_normal_sync_only_the_last_writes_can_be_lost(tmp_path: Path) -> None:
    recording = await record(tmp_path / "before", Workload.minimal, SERVICE_SQLITE_SYNC="normal")
    seen = await _violations_when_acknowledged(recording, tmp_path / "after")
    assert seen
    assert all("object-large is\n     None\n" in violation for violation in seen)


async def _violations_when_acknowledged(recording: Recording, folder: Path) -> list[str]:
    return [violation async for violation in violations(recording, trials_when_acknowledged(recording), folder)]


# With a missing sync


def _with_sync(sync: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite.connect
    monkeypatch.setattr(sqlite, "connect", lambda path, **options: connect(path, **{**options, "sync": sync}))


def _without_sync_of(skipped: Callable[[Path], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    sync = local._sync
    monkeypatch.setattr(local, "_sync", lambda path: None if skipped(path) else sync(path))


def _without_folder_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_sync_new_folders", lambda folder, new: None)


@pytest.mark.parametrize(
    ("without", "lost"),
    [
        pytest.param(partial(_with_sync, "off"), "instance is", id="synchronous off"),
        pytest.param(partial(_without_sync_of, Path.is_file), "damaged", id="bytes of a blob"),
        pytest.param(partial(_without_sync_of, Path.is_dir), "missing", id="folder of a blob"),
        pytest.param(_without_folder_sync, "instance is", id="the data folder"),
    ],
)
async def test_a_missing_sync_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: Callable[[pytest.MonkeyPatch], None], lost: str
) -> None:
    with monkeypatch.context() as patch:
        without(patch)
        recording = await record(tmp_path / "before", Workload.minimal)
    assert any(lost in violation for violation in await _violations_when_acknowledged(recording, tmp_path / "after"))
