"""Every row of the corpus has its outcome, whether it arrives whole or byte by byte."""

import pytest

from tests.wire.corpus import NEXT, ROWS
from tests.wire.offline import play

KINDS = sorted({name.partition(",")[0].partition(" ")[0] for name in ROWS})


@pytest.mark.parametrize("kind", KINDS)
async def test_a_row_has_its_outcome_however_it_is_cut(kind: str) -> None:
    found, wanted = {}, {}
    for name, row in ROWS.items():
        if name.partition(",")[0].partition(" ")[0] != kind:
            continue
        whole = await play([row.sent])
        assert await play([row.sent[place : place + 1] for place in range(len(row.sent))]) == whole, name
        found[name] = (whole.statuses, whole.closes, whole.seen[0][2] if whole.seen else b"")
        wanted[name] = tuple(row[1:])
    assert found == wanted


def test_a_row_that_closes_is_followed_by_a_request() -> None:
    """Otherwise the corpus would not show that nothing more is read."""
    assert all(row.sent.endswith(NEXT) for row in ROWS.values() if row.closes and 400 in row.statuses)
