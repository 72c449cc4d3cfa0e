"""A power cut takes back nothing that was answered, and leaves nothing half done; why: decision 20."""

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

SEEDS, SEEDS_THOROUGHLY = 1, 12


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts may have a few bytes."""
    monkeypatch.setattr(completing, "MIN_PART", 1)


async def test_a_cut_at_any_sync_takes_back_nothing_that_was_answered(tmp_path: Path, thorough: bool) -> None:
    recording = await record(tmp_path / "before", Workload.all)
    await _check(recording, tmp_path / "after", thorough)
    names = {file: name for event in recording.log if isinstance(event, Named) for name, file in event.names}
    syncs = Counter(names[event.file] for event in recording.log if isinstance(event, Synced))
    assert syncs["data/teamspace.sqlite-wal"] > 40, "commits"
    assert syncs["data/teamspace.sqlite"] > 8, "checkpoints"


async def test_a_new_key_takes_nothing_with_it(tmp_path: Path, thorough: bool) -> None:
    instance = await record(tmp_path / "instance", Workload.few)
    recording = await record_rekey(tmp_path / "before", tmp_path / "instance", instance)
    await _check(recording, tmp_path / "after", thorough)


async def test_a_restore_is_whole_when_it_has_ended_and_invisible_before(tmp_path: Path, thorough: bool) -> None:
    instance = await record(tmp_path / "instance", Workload.few, SERVICE_SECRET_KEY="ab" * 32)
    archive = tmp_path / "backup.tar"
    await backup(settings_of(tmp_path / "instance", instance.settings), archive)
    recording = await record_restore(tmp_path / "before", archive, instance)
    await _check(recording, tmp_path / "after", thorough)


async def _check(recording: Recording, folder: Path, thorough: bool) -> None:
    seeds = SEEDS_THOROUGHLY if thorough else SEEDS
    chosen = chain(trials(recording, seeds), trials_when_acknowledged(recording))
    async for violation in violations(recording, chosen, folder):
        pytest.fail(violation)
    *_, end = cuts(recording.log)
    assert end.disk.after_a_cut(everything).entries == recording.left.entries, "the log has missed a write"


async def test_who_chose_so_may_lose_the_last_writes_and_no_more(tmp_path: Path) -> None:
    recording = await record(tmp_path / "before", Workload.few, SERVICE_SQLITE_SYNC="normal")
    seen = await _seen(recording, tmp_path / "after")
    assert seen
    assert all("object-large is\n     None\n" in violation for violation in seen)


async def _seen(recording: Recording, folder: Path) -> list[str]:
    return [violation async for violation in violations(recording, trials_when_acknowledged(recording), folder)]


# Without one of its syncs


def _opened_with(sync: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite.connect
    monkeypatch.setattr(sqlite, "connect", lambda path, **how: connect(path, **{**how, "sync": sync}))


def _leaving_out(left_out: Callable[[Path], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    sync = local._sync
    monkeypatch.setattr(local, "_sync", lambda path: None if left_out(path) else sync(path))


def _never_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_sync_new_folders", lambda folder, new: None)


@pytest.mark.parametrize(
    ("without", "lost"),
    [
        pytest.param(partial(_opened_with, "off"), "instance is", id="synchronous off"),
        pytest.param(partial(_leaving_out, Path.is_file), "damaged", id="bytes of a blob"),
        pytest.param(partial(_leaving_out, Path.is_dir), "missing", id="folder of a blob"),
        pytest.param(_never_settled, "instance is", id="the data folder"),
    ],
)
async def test_a_missing_sync_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: Callable[[pytest.MonkeyPatch], None], lost: str
) -> None:
    with monkeypatch.context() as patch:
        without(patch)
        recording = await record(tmp_path / "before", Workload.few)
    assert any(lost in violation for violation in await _seen(recording, tmp_path / "after"))
