"""Events: a durable log of what changed, per company, told to those who can read it; and streams of content."""

from teamspace.events.domain.hub import MAX_STREAMS, Hub
from teamspace.events.domain.reading import ReadableSubjects
from teamspace.events.domain.recording import record, record_many
from teamspace.events.domain.retention import delete_stream, tidy
from teamspace.events.domain.serving import parse_position, to_event_stream
from teamspace.events.domain.streams import Streams
from teamspace.events.domain.visibility import Readers
from teamspace.events.domain.writers import StreamWriter
from teamspace.events.schemas import Change, ChangedSubject, CurrentCaller, EventSubject, StreamRow
from teamspace.events.store import TRANSIENT

__all__ = [
    "MAX_STREAMS",
    "TRANSIENT",
    "Change",
    "ChangedSubject",
    "CurrentCaller",
    "EventSubject",
    "Hub",
    "ReadableSubjects",
    "Readers",
    "StreamRow",
    "StreamWriter",
    "Streams",
    "delete_stream",
    "parse_position",
    "record",
    "record_many",
    "tidy",
    "to_event_stream",
]
