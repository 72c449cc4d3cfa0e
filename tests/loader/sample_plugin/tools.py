"""Tools of the sample plugin."""

from typing import Annotated, Any, Literal

import msgspec

from teamspace.core.permissions import Feature, Permission
from teamspace.core.tables import Tool
from teamspace.tools import Artifact, ToolContext

TOOLS = (
    Tool("sample_sum", "add_up", "Add up amounts.", Permission.CHAT_USE),
    Tool("sample_card", "make_card", "Return a card.", Permission.CHAT_USE, artifacts=("document",)),
    Tool("sample_agent", "who_called", "Say who called.", Permission.CHAT_USE, Feature.AGENT),
    Tool("sample_large", "repeat", "Return a long result.", Permission.CHAT_USE),
)


class Amount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: int
    unit: Literal["kg", "g"] = "kg"


class Amounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    amounts: Annotated[list[Amount], msgspec.Meta(max_length=100, description="What to add up.")]
    note: str | None = None


async def add_up(arguments: Amounts) -> int:
    return sum(amount.value * (1000 if amount.unit == "kg" else 1) for amount in arguments.amounts)


async def make_card(title: str, kind: Literal["document", "image"] = "document") -> Artifact:
    return Artifact(kind=kind, title=title, summary="Two\nlines", object_id="object-1", extra={"fields": {"a": 1}})


async def who_called(context: ToolContext) -> str:
    return context.caller


async def repeat(times: int, as_list: bool = False) -> Any:
    return ["é"] * times if as_list else "é" * times
