"""Two tools that use models, and a workflow that uses the tools."""

import json
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from teamspace.sdk import (
    Db,
    Feature,
    Gateway,
    Permission,
    Principal,
    Spend,
    Tool,
    ToolContext,
    Workflow,
    chat,
    estimate_tokens,
    translate,
)

# fmt: off
TOOLS = (
    Tool("chat_message",   "chat_message",   "Ask the chat model, and return its answer.", Permission.CHAT_USE, Feature.CHAT, slow=True, estimate="estimate", only_documents=True),
    Tool("translate_text", "translate_text", "Translate a text with the team's glossary.", Permission.CHAT_USE, Feature.TRANSLATE, slow=True, estimate="estimate", only_documents=True),
)
# fmt: on
WORKFLOWS = (Workflow(json.loads((Path(__file__).parent / "translate-chat.json").read_text())),)
TYPICAL_ANSWER = 512
"""Tokens."""

Text = Annotated[str, Meta(min_length=1, max_length=100_000)]
Language = Annotated[str, Meta(min_length=2, max_length=35, description="A language tag, such as `de` or `pt-BR`.")]


async def chat_message(db: Db, who: Principal, context: ToolContext, gateway: Gateway, text: Text) -> str:
    return await chat(gateway, db, who, text, key=context.key)


async def translate_text(
    db: Db, who: Principal, gateway: Gateway, text: Text, target: Language, source: Language | None = None
) -> str:
    return await translate(gateway, db, who, text, target, source)


def estimate(arguments: dict[str, Any]) -> Spend:
    text = arguments.get("text")
    return Spend(1, TYPICAL_ANSWER + (estimate_tokens(text) if isinstance(text, str) else TYPICAL_ANSWER))
