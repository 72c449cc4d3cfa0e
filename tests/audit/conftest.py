"""Fixtures of the audit log tests."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from teamspace import cli
from teamspace.settings import Settings


class Result(NamedTuple):
    status: int
    out: str
    err: str


RunAudit = Callable[..., Result]


@pytest.fixture
def run_audit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunAudit:
    """Runs `teamspace audit ...` in this process; without `settings` there is no database."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SERVICE_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str, stdin: bytes = b"", settings: Settings | None = None) -> Result:
        monkeypatch.setattr(sys, "argv", ["teamspace", "audit", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        if settings is not None:
            monkeypatch.setenv("SERVICE_DATA", str(settings.data))
            monkeypatch.setenv("SERVICE_DATABASE_URL", settings.database_url)
        with pytest.raises(SystemExit) as exited:
            cli.main()
        out, err = capsys.readouterr()
        assert isinstance(exited.value.code, int), exited.value.code
        return Result(exited.value.code, out, err)

    return run
