"""The Python client of Teamspace: every route as a typed method, blocking or asynchronous.

    from teamspace.client import Client

    with Client("https://teamspace.example.com", token="ts_…") as client:
        note = client.notes.create(title="Hello", body="First note")
        for item in client.notes.list():
            print(item.title)

It needs no other part of Teamspace, only httpx2 and msgspec.
"""

from teamspace.client.aio.client import AsyncClient
from teamspace.client.aio.transport import AsyncDownload, AsyncEventStream, AsyncPages
from teamspace.client.blocking.client import Client
from teamspace.client.blocking.transport import Download, EventStream, Pages
from teamspace.client.errors import (
    BadRequest,
    BadResponse,
    Conflict,
    ConnectionFailed,
    ExecutorFailed,
    Forbidden,
    NotFound,
    QuotaExceeded,
    RateLimited,
    ResultRefused,
    ServerFault,
    StaleClaim,
    StorageFull,
    StreamFailed,
    Suspended,
    TeamspaceError,
    TooLarge,
    Unauthenticated,
    Unavailable,
    VersionMismatch,
)
from teamspace.client.events import Event
from teamspace.client.retrying import Retry
from teamspace.client.worker import AsyncWorker, Job, JobFailed, Worker

__all__ = [
    "AsyncClient",
    "AsyncDownload",
    "AsyncEventStream",
    "AsyncPages",
    "AsyncWorker",
    "BadRequest",
    "BadResponse",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Download",
    "Event",
    "EventStream",
    "ExecutorFailed",
    "Forbidden",
    "Job",
    "JobFailed",
    "NotFound",
    "Pages",
    "QuotaExceeded",
    "RateLimited",
    "ResultRefused",
    "Retry",
    "ServerFault",
    "StaleClaim",
    "StorageFull",
    "StreamFailed",
    "Suspended",
    "TeamspaceError",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "VersionMismatch",
    "Worker",
]
