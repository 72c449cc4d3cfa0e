"""Logs as text or JSON lines on standard error: a fixed set of fields, every value escaped, no secret."""

import asyncio
import contextlib
import logging
import sys
from typing import Any, TextIO

import msgspec

from teamspace.core import clock

_FLUSH_SECONDS = 0.1


class Lines(logging.Handler):
    """Formats records, and the access lines that the gate writes straight to it.

    Access lines gather for a moment and leave in one system call; anything from a warning up leaves at once.
    """

    def __init__(self, form: str, stream: TextIO | None = None) -> None:
        super().__init__()
        self._json = form == "json"
        self._stream = stream or sys.stderr
        self._waiting: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        fields: dict[str, Any] = {"logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            fields["trace"] = logging.Formatter().formatException(record.exc_info)
        self.write(record.levelname.lower(), fields)
        self.flush()

    def access(self, *, request: str, method: str, route: str, status: int, ms: float, user: str) -> None:
        """The line of one request; none of its values can hold a space or a quote."""
        if self._json:
            fields = {"request": request, "method": method, "route": route, "status": status, "ms": ms, "user": user}
            self.write("info", fields)
        else:
            line = f"request={request} method={method} route={route} status={status} ms={ms:.1f} user={user}"
            self._waiting.append(f"{clock.stamp()} info {line}")
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self.flush)

    def write(self, level: str, fields: dict[str, Any]) -> None:
        if self._json:
            line = msgspec.json.encode({"at": clock.stamp(), "level": level, **fields}).decode()
        else:
            line = f"{clock.stamp()} {level} " + " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        self._waiting.append(line)

    def flush(self) -> None:
        if self._waiting:
            lines, self._waiting = self._waiting, []
            with contextlib.suppress(OSError):  # a log on a full disk must not fail what it tells of
                self._stream.write("\n".join(lines) + "\n")
                self._stream.flush()


def _plain(value: Any) -> str:
    """A value on one line: quoted when it could be mistaken for two."""
    text = str(value)
    if text and text.isprintable() and " " not in text and '"' not in text:
        return text
    return text if "\n" in text and text.startswith("Traceback") else msgspec.json.encode(text).decode()


def start(form: str) -> Lines:
    lines = Lines(form)
    logging.basicConfig(level=logging.INFO, handlers=[lines], force=True)
    return lines
