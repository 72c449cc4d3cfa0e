"""What plugins can have done by models: an answer, or a translation, metered and not paid for twice."""

from teamspace import ai, translation
from teamspace.ai import Gateway
from teamspace.completions import ModelRequest
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.pipeline.domain import translating


async def chat(gateway: Gateway, db: Db, who: Principal, text: str, *, key: str = "") -> str:
    """Return what the chat model answers. Repeats with the same key get the same answer, which is paid for once."""
    request = ModelRequest(text)
    if not key:
        return (await gateway.call(db, who, request, purpose="message")).answer.text
    return (await ai.ask_once(gateway, db, who, request, purpose="message", key=key)).answer.text


async def translate(gateway: Gateway, db: Db, who: Principal, text: str, target: str, source: str | None = None) -> str:
    """Return a text in another language, with the team's glossary; as it is, if it has that language."""
    wanted = translation.clean_tag(target, "arguments/target")
    given = None if source is None else translation.clean_tag(source, "arguments/source")
    if given == wanted:
        return text
    return await translating.translate_piece(gateway, db, who, text, wanted, given, [])
