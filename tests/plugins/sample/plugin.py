"""A plugin with a row in every table that plugins have."""

from typing import Any

import msgspec

from teamspace.sdk import (
    Artifact,
    BlobStoreSpec,
    Db,
    Feature,
    FolderStore,
    JobSpec,
    Permission,
    PluginRequest,
    PluginRoute,
    Principal,
    Settings,
    Tool,
    Toolbox,
    ToolContext,
    UserError,
)

from .amounts import Amounts


class Words(msgspec.Struct, frozen=True):
    text: str


class Share(msgspec.Struct, frozen=True):
    share: float


class Manner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    loud: bool = False


class Arguments(msgspec.Struct, frozen=True):
    arguments: dict[str, Any] = {}


# fmt: off
TOOLS = (
    Tool("sample_sum",   "add_up",     "Add up amounts.",       Permission.CHAT_USE),
    Tool("sample_card",  "make_card",  "Return a card.",        Permission.CHAT_USE, artifacts=("document",)),
    Tool("sample_agent", "who_called", "Say who called.",       Permission.CHAT_USE, Feature.AGENT),
    Tool("sample_large", "repeat",     "Return a long result.", Permission.CHAT_USE),
)
ROUTES = (
    PluginRoute("GET",  "/greeting/:name", Permission.CHAT_USE, "greet",  "Greet somebody.", query=Manner),
    PluginRoute("POST", "/echo",           None,                "echo",   "Return the text of the body.", body=Words),
    PluginRoute("POST", "/call/:tool",     Permission.CHAT_USE, "call",   "Call a tool.", body=Arguments),
    PluginRoute("GET",  "/refuse",         Permission.CHAT_USE, "refuse", "Refuse every request."),
)
JOBS = (
    JobSpec("x.sample.shout", "shout", "Return the text in capitals.", callable=True),
    JobSpec("x.sample.report", None, "A report by a remote worker.", callable=True, remote=True, check="check_share",
            input=Words, result=Share),
)
BLOB_STORES = (BlobStoreSpec("sample-store", "open_sample", "Files in a folder named sample."),)
# fmt: on


async def add_up(arguments: Amounts) -> int:
    return sum(amount.value * (1000 if amount.unit == "kg" else 1) for amount in arguments.amounts)


async def make_card(title: str) -> Artifact:
    return Artifact(
        kind="document", title=title, summary="Two\nlines", object_id="object-1", extra={"fields": {"a": 1}}
    )


async def who_called(context: ToolContext) -> str:
    return context.caller


async def repeat(times: int, as_list: bool = False) -> Any:
    return ["é"] * times if as_list else "é" * times


async def greet(request: PluginRequest, who: Principal) -> Words:
    text = f"Hello {request.params['name']}, from {who.username}"
    return Words(text.upper() if request.query.loud else text)


async def echo(request: PluginRequest) -> Words:
    return Words(request.body.text)


async def call(request: PluginRequest, db: Db, who: Principal, toolbox: Toolbox) -> dict[str, Any]:
    result = await toolbox.call(db, who, request.params["tool"], request.body.arguments, ToolContext("plugin"))
    return {"value": result.value, "shown": result.shown}


async def refuse() -> Words:
    raise UserError("Not on a Monday.")


async def shout(input: Words) -> Words:
    return Words(input.text.upper())


def check_share(input: Words, result: Share) -> str | None:
    return None if 0 <= result.share <= 1 else "share must be from 0 to 1"


def open_sample(settings: Settings) -> FolderStore:
    return FolderStore(settings.data / "sample", settings.disk_floor)
