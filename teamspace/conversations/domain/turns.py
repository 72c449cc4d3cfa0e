"""Turns, written in the transactions of the package that asks the model.

A turn's id is the id of the job that answers it.
"""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from teamspace import fulltext, sharing
from teamspace.completions import TokenUsage
from teamspace.conversations import access, store
from teamspace.conversations.domain import content as contents
from teamspace.conversations.domain.conversations import require
from teamspace.conversations.schemas import (
    CONVERSATIONS,
    Access,
    BegunTurn,
    ConversationRow,
    EncodedPrompt,
    HistorySize,
    StoredTurn,
    TurnError,
    TurnRole,
    TurnRow,
    TurnState,
)
from teamspace.core import clock
from teamspace.core.db import Reads, Tx, as_json
from teamspace.core.errors import BadRequest, Conflict, NotFound, TooLarge
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal
from teamspace.events import Change

MAX_TURNS = 1_000
MAX_PARTS = 50
"""Parts of a prompt. Thousands of small ones would take long to decode."""
MAX_SIZE = 2 * 1024 * 1024
"""Bytes of all turns of a conversation: prompts, answers, citations and steps."""
ANSWER_SIZE = 16 * 1024
"""Bytes that are reserved for an answer while it is running."""
MAX_HISTORY = 400_000
"""Characters that a model is given of the turns before a prompt."""
_MAX_REFERENCES = 50
"""As many of those of earlier prompts count; a turn is not sent with more."""
_EMPTY = as_json("")
_NOTHING = (_EMPTY, as_json([]))
NO_PROMPT = contents.encode_prompt("")


async def begin_turn(
    tx: Tx,
    who: Principal,
    conversation_id: str,
    *,
    turn_id: str,
    prompt: EncodedPrompt,
    parent_id: str | UnsetType | None = UNSET,
    regenerate: str | None = None,
) -> BegunTurn:
    """Store the prompt and a running answer with the id `turn_id`.

    `parent_id` is the answer that the prompt follows: by default the newest turn, None for the beginning. With
    `regenerate`, the id of an answer, its prompt is answered again and there is no new one.
    """
    conversation = await require(tx, who, conversation_id, Access.CONTINUE)
    now, added = clock.stamp(), list[TurnRow]()
    if regenerate is not None:
        question, prompt = await _find_prompt(tx, conversation, regenerate), NO_PROMPT
    else:
        question = await _new_prompt(tx, who, conversation, prompt, parent_id, now)
        added = [question]
    added.append(_running(conversation, turn_id, question, conversation.turns + len(added) + 1, now))
    await _add(tx, conversation, added, prompt, now)
    return BegunTurn(turn_id, conversation.id, question.id)


async def _new_prompt(
    tx: Tx, who: Principal, conversation: ConversationRow, prompt: EncodedPrompt, parent_id: str | UnsetType | None,
    now: str,
) -> TurnRow:  # fmt: skip
    if prompt.content in _NOTHING:
        raise BadRequest.at("/prompt", "value.empty")
    if prompt.parts > MAX_PARTS:
        raise BadRequest.at("/prompt", "conversations.parts", limit=MAX_PARTS)
    parent = await _find_parent(tx, conversation, parent_id)
    return TurnRow(
        id=new_id(), conversation_id=conversation.id, org_id=conversation.org_id, number=conversation.turns + 1,
        parent_id=parent.id if parent else None, author_id=who.user_id, role=TurnRole.USER, state=TurnState.DONE,
        size=prompt.size, characters=prompt.characters, content=prompt.content, created_at=now,
    )  # fmt: skip


def _running(conversation: ConversationRow, id: str, prompt: TurnRow, number: int, now: str) -> TurnRow:
    return TurnRow(
        id=id, conversation_id=conversation.id, org_id=conversation.org_id, number=number, parent_id=prompt.id,
        author_id=None, role=TurnRole.ASSISTANT, state=TurnState.RUNNING, size=ANSWER_SIZE, characters=0,
        content=_EMPTY, created_at=now,
    )  # fmt: skip


async def _find_parent(tx: Tx, conversation: ConversationRow, parent_id: str | UnsetType | None) -> TurnRow | None:
    """Return the answer that a new prompt follows; None at the beginning."""
    if parent_id is None:
        return None
    if isinstance(parent_id, UnsetType):
        parent = await store.get_numbered_turn(tx, conversation.id, conversation.turns)
    else:
        parent = await _get_answer(tx, conversation, parent_id, "/parent_id")
    if parent and parent.state is TurnState.RUNNING:
        raise Conflict("conversations.running")
    return parent


async def _find_prompt(tx: Tx, conversation: ConversationRow, answer_id: str) -> TurnRow:
    """Return the prompt of an answer, unless it is being answered."""
    answer = await _get_answer(tx, conversation, answer_id, "/regenerate")
    prompt = await store.get_turn(tx, conversation.id, answer.parent_id or "")
    if prompt is None:
        raise NotFound("conversations.no_turn")
    if await store.is_being_answered(tx, prompt.id):
        raise Conflict("conversations.running")
    return prompt


async def _get_answer(tx: Tx, conversation: ConversationRow, turn_id: str, pointer: str) -> TurnRow:
    turn = await store.get_turn(tx, conversation.id, turn_id)
    if turn is None:
        raise NotFound("conversations.no_turn")
    if turn.role is not TurnRole.ASSISTANT:
        raise BadRequest.at(pointer, "conversations.not_an_answer")
    return turn


async def _add(
    tx: Tx, conversation: ConversationRow, turns: Sequence[TurnRow], prompt: EncodedPrompt, now: str
) -> None:
    size = sum(turn.size for turn in turns)
    if conversation.turns + len(turns) > MAX_TURNS:
        raise Conflict("conversations.turns", limit=MAX_TURNS)
    if conversation.size + size > MAX_SIZE:
        raise TooLarge("conversations.size", limit=MAX_SIZE)
    for turn in turns:
        await store.insert_turn(tx, turn)
    await store.add(
        tx, conversation.id, turns=len(turns), ended=0, size=size, characters=sum(turn.characters for turn in turns),
        title=prompt.title, excerpt=prompt.excerpt, now=now,
    )  # fmt: skip
    if prompt.references:
        await store.insert_references(tx, conversation, prompt.references)
    if prompt.title and not conversation.title:
        await fulltext.rename(tx, store.KIND, conversation.id, title=prompt.title, labels="")
    await sharing.record(tx, CONVERSATIONS, conversation, Change.UPDATED)


async def end_turn(
    tx: Tx,
    turn_id: str,
    *,
    content: str,
    state: TurnState,
    usage: TokenUsage | None = None,
    citations: Sequence[object] = (),
    steps: Sequence[object] | None = None,
    model: str | None = None,
    executor: str | None = None,
    simulated: bool = False,
    finish_reason: str | None = None,
    error: TurnError | None = None,
) -> None:
    """Store the answer, once: nothing happens if there is no such turn, or it has ended already.

    What does not fit in the conversation is left out, and the turn says so.
    """
    conversation = await store.lock_of_turn(tx, turn_id)
    if conversation is None:
        return
    answer = contents.fit(content, citations, steps, MAX_SIZE - conversation.size + ANSWER_SIZE)
    if not answer.is_complete and error is None:
        cut = TooLarge("conversations.cut", limit=MAX_SIZE)
        error = TurnError(cut.code, cut.detail, cut.key, cut.params)
    ended = await store.end_turn(
        tx, turn_id, answer, state=state, characters=len(answer.text), usage=usage, model=model, executor=executor,
        simulated=simulated, finish_reason=finish_reason, error=error,
    )  # fmt: skip
    if not ended:
        return
    await store.add(
        tx, conversation.id, turns=0, ended=1, size=answer.size - ANSWER_SIZE, characters=len(answer.text), title="",
        excerpt=contents.excerpt_of(answer.text), now=clock.stamp(),
    )  # fmt: skip
    await sharing.record(tx, CONVERSATIONS, conversation, Change.UPDATED)


async def history(db: Reads, who: Principal, turn_id: str) -> list[StoredTurn]:
    """Return the turns from the beginning to the prompt that `turn_id` answers, oldest first.

    They are the newest that fit MAX_HISTORY, beginning with a prompt; none if the caller cannot read them any more.
    """
    path = await store.select_path(db, access.fence(who, Access.READ), turn_id, MAX_HISTORY)
    if path and path[-1].role is TurnRole.ASSISTANT:
        path.pop()
    return [StoredTurn(row.id, row.role, row.state, contents.decode(row.content)) for row in reversed(path)]


async def measure(db: Reads, who: Principal, conversation_id: str) -> HistorySize:
    """Return what a new turn is sent with at most, in any branch."""
    fence = access.fence(who, Access.READ)
    conversation = await store.get(db, fence, conversation_id)
    if conversation is None:
        raise NotFound()
    references = (
        await store.select_references(db, fence, conversation_id, _MAX_REFERENCES) if conversation.turns else []
    )
    return HistorySize(min(conversation.characters, MAX_HISTORY), [msgspec.json.decode(part) for part in references])
