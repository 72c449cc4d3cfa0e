"""Counts words. The smallest plugin with something of everything: a tool, two routes and a job kind."""

from typing import Annotated

import msgspec

from teamspace.sdk import JobSpec, Permission, PluginRequest, PluginRoute, Tool


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, msgspec.Meta(max_length=200_000, description="The text whose words are counted.")]


class FewWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """As much as fits into a URL."""

    text: Annotated[str, msgspec.Meta(max_length=2_000, description="The text whose words are counted.")]


class WordCount(msgspec.Struct, frozen=True):
    words: int


# fmt: off
TOOLS = (
    Tool("word_count", "count_words", "Count the words of a text.", Permission.CHAT_USE, only_documents=True),
)
ROUTES = (
    PluginRoute("GET",  "/word-count", Permission.CHAT_USE, "count_query", "Count the words of the text in the query.", query=FewWords),
    PluginRoute("POST", "/word-count", Permission.CHAT_USE, "count_body",  "Count the words of the text in the body.", body=Words),
)
JOBS = (
    JobSpec("x.example-tools.word-count", "count_in_job", "Count the words of a text.", callable=True, permission=Permission.CHAT_USE),
)
# fmt: on


async def count_words(arguments: Words) -> WordCount:
    return WordCount(len(arguments.text.split()))


async def count_query(request: PluginRequest) -> WordCount:
    return await count_words(Words(request.query.text))


async def count_body(request: PluginRequest) -> WordCount:
    return await count_words(request.body)


async def count_in_job(input: Words) -> WordCount:
    return await count_words(input)
