"""Fixtures of the tests of the audit trail."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from teamspace import cli
from teamspace.settings import Settings


class Ended(NamedTuple):
    status: int
    out: str
    err: str


Console = Callable[..., Ended]


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Console:
    """Runs `teamspace audit ...` in this process; without `settings` there are none, nor a database."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SERVICE_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str, stdin: bytes = b"", settings: Settings | None = None) -> Ended:
        monkeypatch.setattr(sys, "argv", ["teamspace", "audit", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        if settings is not None:
            monkeypatch.setenv("SERVICE_DATA", str(settings.data))
            monkeypatch.setenv("SERVICE_DATABASE_URL", settings.database_url)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int), ended.value.code
        return Ended(ended.value.code, out, err)

    return run
