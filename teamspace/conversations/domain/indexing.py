"""The full-text index of conversations."""

from teamspace import fulltext
from teamspace.conversations import store
from teamspace.conversations.domain import content as contents
from teamspace.core.db import Db
from teamspace.core.principal import Principal


async def index(db: Db, who: Principal, conversation_id: str) -> None:
    """Index prompts and answers on all branches, newest first: of a very long conversation, the oldest are left out.

    Nothing happens if a turn ended meanwhile: its own call reads more.
    """
    row = await store.get_for_index(db, conversation_id)
    if row is None:
        return
    turns = await store.select_turns(db, conversation_id)
    text = "\n\n".join(contents.text_of(contents.decode(turn.content)) for turn in reversed(turns))
    body = await fulltext.prepare(text, is_markdown=True)
    async with db.maintenance(who) as tx:
        current = await store.lock_for_index(tx, conversation_id, row.ended)
        if current:
            await fulltext.put(tx, store.KIND, current.id, current.org_id, title=current.title, body=body)
