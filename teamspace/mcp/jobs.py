"""The job kind of tasks."""

from teamspace.core.db import Db
from teamspace.core.plugin_calls import SLOW_SECONDS
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import JobContext
from teamspace.mcp.domain.tasks import KIND, McpTasks
from teamspace.mcp.schemas import McpCall, McpCallEnd

# A call that was cut off may have had effects, so it is not made again.
JOBS = (
    JobSpec(KIND, "call", "A call of a slow tool by an MCP client, which asks for its result later.", max_attempts=1,
        repeatable=False, stoppable=True, seconds=SLOW_SECONDS + 30),
)  # fmt: skip


async def call(db: Db, who: Principal, input: McpCall, work: JobContext, tasks: McpTasks) -> McpCallEnd:
    return await tasks.run(db, who, input, work)
