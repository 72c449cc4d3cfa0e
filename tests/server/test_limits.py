"""The limits of connections leave files to open for everything else."""

import pytest

from teamspace import server
from teamspace.core.wire import WireLimits


@pytest.mark.parametrize(("files", "others"), [(256, 192), (1024, 768), (4096, 1024), (8192, 1024), (65_536, 1024)])
def test_connections_leave_files_for_everything_else(files: int, others: int) -> None:
    limits = server._limits(files)
    assert limits.connections > 0 and limits.backlog > 0
    assert limits.connections + limits.backlog <= files - others


def test_enough_files_change_no_limit() -> None:
    usual, limits = WireLimits(), server._limits(65_536)
    assert (limits.connections, limits.backlog) == (usual.connections, usual.backlog)
