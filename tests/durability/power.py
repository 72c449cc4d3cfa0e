"""Power cuts: record a real server once, then start it on every folder that a cut can leave."""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teamspace.app import StartError
from teamspace.core.db import audit
from teamspace.core.db.sqlite import Sqlite
from teamspace.ops.doctor import run_checks
from teamspace.ops.rekey import rekey
from teamspace.ops.restore import restore
from teamspace.settings import Settings, load
from tests.durability.disk import Acknowledged, Event, Image, cuts, cuts_when_acknowledged, everything, nothing, torn
from tests.durability.recorder import Recorder
from tests.durability.workload import Sealed, State, Workload, snapshot
from tests.support.world import world

CHECKPOINT_PAGES = 60
"""WAL pages before a checkpoint: few, so that a short workload has many checkpoints."""
Possible = Callable[[Sequence[Event]], dict[str, list[State]]]
"""Returns the possible states of every subject after these events."""
_DATABASE = "data/teamspace.sqlite"


@dataclass(frozen=True)
class Recording:
    log: Sequence[Event]
    token: str
    """A token to read the instance with."""
    possible: Possible
    final: Image
    """The real folder in the end."""
    settings: Mapping[str, str]
    start: int = 0
    """Number of events that only prepare what is tested."""
    is_restore: bool = False


@dataclass(frozen=True)
class Trial:
    event_count: int
    outcome: str
    image: Image

    def __str__(self) -> str:
        return f"cut after {self.event_count} events, {self.outcome}"


@dataclass(frozen=True)
class Recovered:
    """What the real server finds in an image."""

    subjects: dict[str, Any]
    heads: frozenset[str]
    """Every row of the audit log, as a chain head."""
    broken: Sequence[str]


async def record(root: Path, work: Callable[[Workload], Awaitable[None]], **settings: str) -> Recording:
    """Record an instance from its first start in a new folder to its end."""
    recorder = Recorder(root)
    with recorder.recording():
        async with world(settings_of(root, settings)) as instance:
            assert isinstance(instance.db.engine, Sqlite)
            instance.db.engine.checkpoint_pages = CHECKPOINT_PAGES
            instance.db.engine._writer.wal_autocheckpoint(CHECKPOINT_PAGES)
            workload = Workload(recorder, instance)
            await work(workload)
    return Recording(recorder.log, workload.token, workload.possible, _read(root), settings)


async def record_rekey(root: Path, instance: Path, of: Recording) -> Recording:
    """Record a rekey of a copy of that instance; everything must be there at any time."""
    recorder = Recorder(root)
    with recorder.recording():
        _copy(instance, root)
        start = len(recorder.log)
        await rekey(settings_of(root, of.settings))
    return Recording(recorder.log, of.token, lambda log: of.possible(of.log), _read(root), of.settings, start)


async def record_restore(root: Path, archive: Path, of: Recording) -> Recording:
    """Record a restore of a backup of that instance: everything is there when it has ended, and all or nothing before."""
    recorder = Recorder(root)
    with recorder.recording():
        await restore(settings_of(root, of.settings), archive)
        recorder.note(Acknowledged("restored"))

    def possible(log: Sequence[Event]) -> dict[str, list[State]]:
        before = [] if Acknowledged("restored") in log else [None]
        return {subject: [*before, *states] for subject, states in of.possible(of.log).items()}

    return Recording(recorder.log, of.token, possible, _read(root), of.settings, is_restore=True)


def trials(recording: Recording, seeds: int) -> Iterator[Trial]:
    """Yield trials at every sync: unsynced changes all lost, all kept, and `seeds` random mixtures."""
    for cut in cuts(recording.log):
        if cut.event_count >= recording.start:
            yield Trial(cut.event_count, "nothing else is kept", cut.disk.image_after_cut(nothing))
            yield Trial(cut.event_count, "all is kept", cut.disk.image_after_cut(everything))
            for seed in range(cut.event_count, cut.event_count + seeds):
                yield Trial(cut.event_count, f"torn by seed {seed}", cut.disk.image_after_cut(torn(seed)))


def trials_when_acknowledged(recording: Recording) -> Iterator[Trial]:
    """Yield trials after every acknowledgement, with all unsynced changes lost."""
    for cut in cuts_when_acknowledged(recording.log):
        yield Trial(cut.event_count, "nothing else is kept", cut.disk.image_after_cut(nothing))


async def violations(recording: Recording, trials: Iterable[Trial], folder: Path) -> AsyncIterator[str]:
    """Yield every promise that a trial breaks."""
    known: dict[bytes, Recovered] = {}
    for trial in trials:
        digest = trial.image.digest
        if digest not in known:
            try:
                known[digest] = await _recovered(trial, folder, recording)
            except Exception as fault:
                yield f"{trial}: the server does not start, or does not answer: {fault!r}"
                continue
        for violation in _compare(recording, trial.event_count, known[digest]):
            yield f"{trial}: {violation}"


async def _recovered(trial: Trial, folder: Path, recording: Recording) -> Recovered:
    quick = {**recording.settings, "SERVICE_SQLITE_SYNC": "normal"}  # there is no second cut
    trial.image.write(folder)
    if (
        _DATABASE in trial.image.entries and trial.event_count % 2
    ):  # shared memory must be rebuilt, whatever it contains
        (folder / f"{_DATABASE}-shm").write_bytes(b"\x5a" * 32_768)
    try:
        async with world(settings_of(folder, quick)) as instance:
            await audit.seal(instance.db)
            verdicts = [verdict async for verdict in run_checks(instance.db, files=instance.app.files)]
            rows = await instance.db.all(audit.ChainHead, "SELECT org_id, seq, hash FROM audit")
            broken = [str(verdict) for verdict in verdicts if verdict.broken]
            return Recovered(await snapshot(instance, recording.token), frozenset(map(str, rows)), broken)
    except StartError as refusal:
        if recording.is_restore and "restore" in str(refusal):  # the restore must be repeated: there is no data yet
            return Recovered({}, frozenset(), ())
        raise
    finally:
        shutil.rmtree(folder)


def _compare(recording: Recording, event_count: int, found: Recovered) -> Iterator[str]:
    yield from found.broken
    for subject, possible in recording.possible(recording.log[:event_count]).items():
        if (seen := found.subjects.get(subject)) not in possible:
            expected = "\n  or ".join(map(str, possible))
            yield f"{subject} is\n     {seen}\n  not {expected}"
    for event in recording.log[:event_count]:
        if isinstance(event, Acknowledged) and isinstance(event.what, Sealed):
            yield from (f"the audit log lost {head}" for head in event.what.heads if head not in found.heads)


def _read(root: Path) -> Image:
    paths = [path for path in root.rglob("*") if not path.name.endswith("-shm")]
    return Image({str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in paths})


def _copy(source: Path, target: Path) -> None:
    """Copy and sync the folder, as if it had always been there."""
    shutil.copytree(source, target, dirs_exist_ok=True)
    for path in (target, *target.rglob("*")):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def settings_of(root: Path, settings: Mapping[str, str]) -> Settings:
    """The default settings, without rate limits."""
    defaults = {
        "SERVICE_DATA": str(root / "data"),
        "SERVICE_RATE_TOKEN": "0",
        "SERVICE_RATE_ANONYMOUS": "0",
        "SERVICE_WORKERS": "1",
    }
    return load({**defaults, **settings}, file=root / "no.env")
