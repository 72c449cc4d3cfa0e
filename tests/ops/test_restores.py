"""A short run of `python -m tests.ops.restores`, and tests that it detects faults."""

from collections import Counter
from pathlib import Path

import pytest

from tests.durability.journal import State, Step, Subject, Violation
from tests.durability.soak import Plan
from tests.ops.backup_journal import History
from tests.ops.restores import Restores
from tests.support.postgres import Postgres


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_backups_under_load_are_complete(database: str, tmp_path: Path, thorough: bool) -> None:
    with (
        Postgres.start() as cluster,
        Restores(4 if thorough else 1, Plan(clients=6, seed=1), tmp_path, cluster, database) as restores,
    ):
        await restores.run()
    assert restores.journal.acknowledged > 20


FIRST, SECOND, THIRD = ({"id": "1", "title": f"v{version}"} for version in (1, 2, 3))


def history() -> History:
    """A note that existed when the backup began, and was changed twice during it."""
    subject = Subject("note", [FIRST])
    steps = [
        Step(subject, "PUT", "/", None, 200, state, request_id=name) for name, state in [("b", SECOND), ("c", THIRD)]
    ]
    return History(subject, [FIRST], steps)


@pytest.mark.parametrize(
    ("seen", "recorded"), [(FIRST, []), (SECOND, ["b"]), (THIRD, ["b", "c"])], ids=["none", "one", "both"]
)
def test_a_state_from_the_start_of_the_backup_or_later_is_accepted(seen: State, recorded: list[str]) -> None:
    history().check(seen, Counter(recorded))


@pytest.mark.parametrize(
    ("seen", "recorded"),
    [
        (None, []),
        (FIRST, ["b"]),
        (SECOND, []),
        (SECOND, ["b", "c"]),
        (THIRD, ["c"]),
        (THIRD, ["b", "b", "c"]),
        ({**FIRST, "title": "v0"}, []),
        ({**SECOND, "title": "v3"}, ["b"]),
    ],
)
def test_a_lost_or_partial_write_is_detected(seen: State, recorded: list[str]) -> None:
    with pytest.raises(Violation):
        history().check(seen, Counter(recorded))
