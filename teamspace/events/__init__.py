"""Events: a durable log of what changed, per company, told to those who can read it; and streams of content."""

from teamspace.events.domain.hub import MAX_STREAMS, Hub
from teamspace.events.domain.reading import ReadableSubjects
from teamspace.events.domain.recording import record
from teamspace.events.domain.retention import tidy
from teamspace.events.domain.streams import Streams, StreamWriter
from teamspace.events.domain.visibility import Readers
from teamspace.events.schemas import Change, CurrentCaller, EventSubject, StreamRow
from teamspace.events.store import TRANSIENT

__all__ = [
    "MAX_STREAMS",
    "TRANSIENT",
    "Change",
    "CurrentCaller",
    "EventSubject",
    "Hub",
    "ReadableSubjects",
    "Readers",
    "StreamRow",
    "StreamWriter",
    "Streams",
    "record",
    "tidy",
]
