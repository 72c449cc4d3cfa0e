"""Calls of slow tools as tasks. A task is a job: it outlives the connection, the process and the client."""

import asyncio
from typing import Any

from teamspace import jobs
from teamspace.core.db import Db
from teamspace.core.errors import NotFound, Refusal
from teamspace.core.principal import Principal
from teamspace.jobs import Authority, JobContext, JobFault, JobRow, Queue
from teamspace.mcp.domain import results
from teamspace.mcp.schemas import McpCall, McpCallEnd
from teamspace.tools import Toolbox, ToolContext

EXTENSION = "io.modelcontextprotocol/tasks"
KIND = "mcp.call"
INTERNAL_ERROR = -32603
_POLL_MS = 1000


class McpTasks:
    def __init__(self, toolbox: Toolbox, queue: Queue) -> None:
        self._toolbox, self._queue = toolbox, queue

    async def begin(self, db: Db, who: Principal, call: McpCall) -> dict[str, Any]:
        """Create the job of a call that the gate would admit now, and return the task."""
        await self._toolbox.check(db, who, call.tool, call.arguments, ToolContext("mcp"))
        encoded = self._queue.encode(KIND, call)
        async with db.write(who, "job.enqueue") as tx:
            tx.target = await self._queue.enqueue(tx, Authority.of(who), KIND, encoded)
            tx.detail = {"kind": KIND, "tool": call.tool}
        return _describe(await jobs.get_requested(db, who, KIND, tx.target), None)

    async def get(self, db: Db, who: Principal, task_id: str) -> dict[str, Any]:
        """Return a task of the caller's; with its result, if it has one."""
        row = await self._find(db, who, task_id)
        end = await self._queue.get_end(db, row.id) if row.finished_at else None
        assert end is None or isinstance(end, McpCallEnd | JobFault)
        return _describe(row, end)

    async def cancel(self, db: Db, who: Principal, task_id: str) -> None:
        """Cancel a call that waits, or ask the server that runs it to cut it off. One that has ended stays as it is."""
        row = await self._find(db, who, task_id)
        if row.finished_at:
            return
        async with db.write(who, "job.cancel") as tx:
            tx.target = row.id
            if not await self._queue.cancel(tx, row.id):
                await self._queue.request_stop(tx, row.id)

    async def check(self, db: Db, who: Principal, task_id: str) -> None:
        """Raise NotFound unless it is a task of the caller's."""
        await self._find(db, who, task_id)

    async def _find(self, db: Db, who: Principal, task_id: str) -> JobRow:
        """A token that could not call the tool does not get its result either."""
        row = await jobs.get_requested(db, who, KIND, task_id)
        call = await self._queue.get_input(db, KIND, task_id)
        if not isinstance(call, McpCall) or not who.in_scope(self._toolbox.find(call.tool).row.needs):
            raise NotFound()
        return row

    # The job

    async def run(self, db: Db, who: Principal, call: McpCall, work: JobContext) -> McpCallEnd:
        """Call the tool until it returns, or until the caller cancels the task."""
        calling = asyncio.ensure_future(self._call(db, who, call, work.job_id))
        stopping = asyncio.ensure_future(work.stop.wait())
        try:
            await asyncio.wait((calling, stopping), return_when=asyncio.FIRST_COMPLETED)
            return McpCallEnd(await calling) if calling.done() else McpCallEnd(None)
        finally:
            for task in (calling, stopping):
                task.cancel()
            await asyncio.gather(calling, stopping, return_exceptions=True)

    async def _call(self, db: Db, who: Principal, call: McpCall, job_id: str) -> dict[str, Any]:
        context = ToolContext("mcp", key=job_id)
        try:
            return results.to_content(await self._toolbox.call(db, who, call.tool, call.arguments, context))
        except Refusal as refusal:
            return results.to_error(refusal)


def _describe(row: JobRow, end: McpCallEnd | JobFault | None) -> dict[str, Any]:
    task: dict[str, Any] = {
        "taskId": row.id, "createdAt": row.created_at, "lastUpdatedAt": row.finished_at or row.started_at or row.created_at,
        "ttlMs": None, "pollIntervalMs": _POLL_MS,
    }  # fmt: skip
    return task | _describe_state(row, end)


def _describe_state(row: JobRow, end: McpCallEnd | JobFault | None) -> dict[str, Any]:
    if end is None:
        return {"status": "working"}
    if row.state == "cancelled" or (isinstance(end, McpCallEnd) and end.result is None):
        return {"status": "cancelled"}
    if isinstance(end, JobFault):
        error = {"code": INTERNAL_ERROR, "message": end.message}
        return {"status": "failed", "statusMessage": end.message, "error": error}
    return {"status": "completed", "result": end.result}
