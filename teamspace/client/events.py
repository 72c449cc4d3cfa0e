"""Server-sent events, and how a stream goes on after its connection was lost."""

from typing import Any

import msgspec

from teamspace.client.calls import Call
from teamspace.client.errors import BadResponse, StreamFailed

MAX_EVENT_BYTES = 64 * 1024 * 1024
_DONE, _ERROR = "done", "error"


class Event(msgspec.Struct, frozen=True):
    """One event of a stream: `name` says what happened, `data` the rest."""

    name: str
    data: dict[str, Any]
    id: str


class Progress:
    """How far a stream was read, and the text that it has sent so far."""

    def __init__(self, call: Call[Event], *, ends: bool) -> None:
        """A stream that `ends` does so with an event: without it, the connection was lost."""
        self._call, self._ends = call, ends
        self._last_id = ""
        self.text = ""
        self.result: dict[str, Any] | None = None

    @property
    def is_over(self) -> bool:
        return self.result is not None

    def next_call(self) -> Call[Event]:
        """Return the request that continues the stream.

        Before the first event it is a repeat of the first one: its idempotency key makes that the same stream.
        """
        return self._call.with_headers({"last-event-id": self._last_id}) if self._last_id else self._call

    def add(self, name: str, data: str, id: str) -> Event:
        """Record an event, and return it; raise StreamFailed if it says that the stream has failed."""
        event = Event(name, _decode(data), id)
        self._last_id = id
        if not self._ends:
            return event
        if name == _ERROR:
            raise StreamFailed(str(event.data.get("message", "")), code=str(event.data.get("code", "")))
        if name == _DONE:
            self.result = event.data
            self.text = event.data.get("text", self.text)
        elif name == "delta":
            self.text += event.data["text"]
        elif name == "start":  # comes again, with the text that stands, if another server continues
            self.text = event.data.get("text", "")
        return event


def _decode(data: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(data or "{}", type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise BadResponse(f"an event's data is not a JSON object: {fault}") from None
