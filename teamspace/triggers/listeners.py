"""What triggers listen to: versions that are written."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.jobs import Queue
from teamspace.repository import VersionWritten
from teamspace.triggers.domain import firing

LISTENERS = (On(VersionWritten, "version_written", "Triggers that match the version start their workflows."),)


async def version_written(tx: Tx, event: VersionWritten, queue: Queue) -> None:
    await firing.fire(tx, queue, event)
