"""The command line of bubblewrap."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from teamspace.sandbox.paths import SCRATCH, system_paths
from teamspace.sandbox.schemas import LaunchPlan


def find() -> str | None:
    return shutil.which("bwrap")


def command(plan: LaunchPlan, filter_descriptor: int) -> list[str]:
    """Return the command that runs a plan's command. The environment is inherited: arguments are seen by everybody."""
    walls = plan.walls
    return [
        plan.bubblewrap, "--unshare-all", *(["--share-net"] if walls.network else []), "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev",
        "--size", str(walls.limits.file_bytes), "--tmpfs", str(SCRATCH),
        *_binds("--ro-bind", (*system_paths(network=walls.network), *walls.readable)),
        *_binds("--bind", walls.writable),
        # Both are file systems in memory, of any size.
        "--remount-ro", "/dev", "--remount-ro", "/",
        "--chdir", str(plan.folder), "--seccomp", str(filter_descriptor), "--", *plan.command,
    ]  # fmt: skip


def _binds(option: str, paths: tuple[Path, ...]) -> Iterator[str]:
    for path in _outermost(path for path in paths if path.exists()):
        yield from (option, str(path), str(path))


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Leave out what is in another of the folders: bubblewrap cannot mount over a link in a folder it has mounted."""
    kept = list[Path]()
    for path in sorted(set(paths)):  # a folder is before what is in it
        if not any(path.is_relative_to(folder) for folder in kept):
            kept.append(path)
    return kept
