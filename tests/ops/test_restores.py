"""The short form of `python -m tests.ops.restores`, and a proof that it would notice."""

from collections import Counter
from pathlib import Path

import pytest

from tests.durability.journal import State, Step, Subject, Violation
from tests.durability.soak import Plan
from tests.ops.chronicle import Past
from tests.ops.restores import Restores
from tests.support.postgres import Postgres


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_backups_under_load_are_whole(database: str, tmp_path: Path, thorough: bool) -> None:
    with (
        Postgres.start() as cluster,
        Restores(4 if thorough else 1, Plan(clients=6, seed=1), tmp_path, cluster, database) as restores,
    ):
        await restores.run()
    assert restores.journal.acknowledged > 20


FIRST, SECOND, THIRD = ({"id": "1", "title": f"v{version}"} for version in (1, 2, 3))


def past() -> Past:
    """A note that was there when the backup began, and was changed twice while it was made."""
    subject = Subject("note", [FIRST])
    steps = [
        Step(subject, "PUT", "/", None, 200, state, request_id=name) for name, state in [("b", SECOND), ("c", THIRD)]
    ]
    return Past(subject, [FIRST], steps)


@pytest.mark.parametrize(
    ("seen", "recorded"), [(FIRST, []), (SECOND, ["b"]), (THIRD, ["b", "c"])], ids=["none", "one", "both"]
)
def test_a_backup_holds_what_was_or_came_meanwhile(seen: State, recorded: list[str]) -> None:
    past().check(seen, Counter(recorded))


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
def test_what_is_lost_or_half_there_is_noticed(seen: State, recorded: list[str]) -> None:
    with pytest.raises(Violation):
        past().check(seen, Counter(recorded))
