"""For random data, searching a word that every note contains finds exactly the notes in the list."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from teamspace import notes
from teamspace.core.errors import Forbidden
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.search import domain
from teamspace.search.schemas import SearchQuery
from tests.notes.test_access import PEOPLE, Model, Note, Person, insert_model, people
from tests.notes.test_access import notes as note_strategy
from tests.support.world import World


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(people, min_size=PEOPLE, max_size=PEOPLE),
    st.lists(note_strategy, min_size=1, max_size=8),
    st.integers(1, 3),
)
async def test_a_search_finds_the_listed_notes(
    world: World, persons: list[Person], drawn: list[Note], size: int
) -> None:
    callers, _ = await insert_model(world, Model(persons, drawn))
    for caller in callers:
        await _check_equal(world, caller, size, across_org=False)
        if caller.has_permission(P.ORG_READ):
            await _check_equal(world, caller, size, across_org=True)
        else:
            with pytest.raises(Forbidden):
                await domain.search(world.db, caller, SearchQuery(q="title", scope="org"))


async def _check_equal(world: World, caller: Principal, size: int, *, across_org: bool) -> None:
    scope = "org" if across_org else None
    listed = await notes.listing(world.db, caller, notes.NoteQuery(limit=200, scope=scope))  # type: ignore[arg-type]
    found = await _all_pages(world, caller, SearchQuery(q="title", limit=size, scope=scope))  # type: ignore[arg-type]
    assert found == [item.id for item in listed.items]  # equal scores are in list order


async def _all_pages(world: World, caller: Principal, query: SearchQuery) -> list[str]:
    seen: list[str] = []
    while True:
        page = await domain.search(world.db, caller, query)
        assert len(page.items) <= query.limit
        seen += [item.id for item in page.items]
        if page.next_cursor is None:
            return seen
        query = msgspec.structs.replace(query, cursor=page.next_cursor)
