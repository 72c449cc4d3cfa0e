"""My plugin: a tool, a route and a kind of job that greet people."""

from typing import Annotated

import msgspec

from teamspace.sdk import JobSpec, Permission, PluginRequest, PluginRoute, Tool, UserError


class GreetingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent: unknown fields and other types are refused before a handler is called."""

    name: Annotated[str, msgspec.Meta(max_length=200, description="Who is greeted.")]


class Greeting(msgspec.Struct, frozen=True):
    text: str


# fmt: off
TOOLS = (
    Tool("my_plugin_greet", "greet_by_tool", "Greet somebody by name.", Permission.CHAT_USE),
)
ROUTES = (
    PluginRoute("POST", "/greetings", Permission.CHAT_USE, "greet_by_route", "Greet somebody by name.", body=GreetingRequest),
)
JOBS = (
    JobSpec("x.my-plugin.greet", "greet_in_job", "Greet somebody by name.", callable=True, permission=Permission.CHAT_USE),
)
# fmt: on


async def greet_by_tool(arguments: GreetingRequest) -> Greeting:
    return greet(arguments)


async def greet_by_route(request: PluginRequest) -> Greeting:
    return greet(request.body)


async def greet_in_job(input: GreetingRequest) -> Greeting:
    return greet(input)


def greet(request: GreetingRequest) -> Greeting:
    name = request.name.strip()
    if not name:
        raise UserError("Say who is greeted.")
    return Greeting(f"Hello {name}")
