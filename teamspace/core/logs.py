"""Logs as text or JSON lines on standard error: fixed fields, escaped values, no secrets."""

import asyncio
import contextlib
import logging
import sys
from typing import Any, TextIO

import msgspec

from teamspace.core import clock

_FLUSH_SECONDS = 0.1


class LogHandler(logging.Handler):
    """Formats log records, and access lines, which the gate writes directly.

    Access lines are buffered briefly and written in one system call; log records are written at once.
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
        """Write the access line of a request; none of its values can contain a space or a quote."""
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
            line = f"{clock.stamp()} {level} " + " ".join(f"{name}={_quote(value)}" for name, value in fields.items())
        self._waiting.append(line)

    def flush(self) -> None:
        if self._waiting:
            lines, self._waiting = self._waiting, []
            with contextlib.suppress(OSError):  # a full disk must not make the logged operation fail
                self._stream.write("\n".join(lines) + "\n")
                self._stream.flush()


def _quote(value: Any) -> str:
    """Return the value on one line, quoted if it contains spaces, quotes or unprintable characters."""
    text = str(value)
    if text and text.isprintable() and " " not in text and '"' not in text:
        return text
    return text if "\n" in text and text.startswith("Traceback") else msgspec.json.encode(text).decode()


def configure(form: str) -> LogHandler:
    lines = LogHandler(form)
    logging.basicConfig(level=logging.INFO, handlers=[lines], force=True)
    return lines
