"""The largest request, with the largest glossary, leaves the event loop free."""

import contextlib

import msgspec
import pytest

from teamspace import tenancy, translation
from teamspace.core import clock
from teamspace.core.db import Tx
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Call, system
from teamspace.translation import store
from teamspace.translation.domain import history
from teamspace.translation.schemas import MAX_CATALOG, MAX_KEYS, MAX_TERMS, MAX_TEXT, GlossaryTerm, TranslationKind
from tests.cost.attack import fill
from tests.cost.help import longest_step
from tests.identity.help import run_sql
from tests.support.world import Caller, World
from tests.translation.help import ScriptedGateway, each

LIMIT = 0.1
"""Seconds of CPU that the loop may be held at once."""


async def fill_glossary(caller: Caller, term: str) -> None:
    async with caller.world.db.maintenance(system(org_id=caller.org.id)) as tx:
        await store.raise_revision(tx, caller.org.id, caller.team.id, "de")
        for number in range(MAX_TERMS):
            await put(tx, caller, GlossaryTerm(f"{term}{number}", "de", f"x{number}", None, ["y", "z"], clock.stamp()))


async def put(tx: Tx, caller: Caller, term: GlossaryTerm) -> None:
    await store.put_term(tx, caller.org.id, caller.team.id, term.term, term)


TEXTS = {
    "prose": fill("The term7 of a {name} is <b>bold</b> and 12 files. ", MAX_TEXT),
    "lines": "\n".join(f"- term{n} word {n}" for n in range(4_900)),
    "one word": fill("a", MAX_TEXT),
    "terms only": fill("term1 ", MAX_TEXT),
    "unspaced": fill("漢", MAX_TEXT),
    "placeholders": fill("{a}b", MAX_TEXT),
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", [*TEXTS, "catalog"])
async def test_the_largest_request_does_not_block_the_loop(world: World, name: str) -> None:
    ann = await world.bootstrap()
    await fill_glossary(ann, "term")
    who = await tenancy.act_for(world.db, Call(), ann.user_id, ann.team.id)
    size = MAX_CATALOG // MAX_KEYS - 10
    catalog = {f"key{n:05}": fill(f"word{n} of term{n} ", size) for n in range(MAX_KEYS)}
    texts = catalog if name == "catalog" else {"": TEXTS[name]}
    gateway = ScriptedGateway(each(lambda segment: f"{segment['text']} ."))

    async def request() -> None:
        with contextlib.suppress(BadRequest):
            done = await translation.translate(gateway, world.db, who, texts, target="de")
            await history.record(world.db, who, TranslationKind.TEXT, texts, done)
            msgspec.json.encode(done)

    longest, _ = await longest_step(request())
    if longest >= LIMIT:  # again, since the first time the system may have had to bring memory back
        await run_sql(world, "DELETE FROM translation_memory")
        longest, _ = await longest_step(request())
    assert longest < LIMIT, f"{name}: {longest:.3f} s"
