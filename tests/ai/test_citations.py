"""Citations: markers are taken out of any stream, and what they cite is checked against the source."""

import random
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace import tenancy
from teamspace.ai.domain import attaching, citations
from teamspace.ai.domain.attaching import Library
from teamspace.ai.domain.citations import Citations, Marker
from teamspace.ai.domain.sources import Sources
from teamspace.ai.schemas import Citation, CitedSource, NotePart, ObjectPart
from teamspace.core.principal import Call, Principal
from teamspace.tenancy.schemas import Role
from tests.extraction import files
from tests.jobs.help import running
from tests.repository.help import put, share
from tests.repository.test_texts import wait_for_text
from tests.support.world import Caller, World

# The filter


def run(*deltas: str) -> list[str | Marker]:
    """The filter's output, with adjacent texts joined."""
    filter = Citations(Sources())
    parts = [part for delta in deltas for part in filter.feed(delta)] + filter.close()
    joined = list[str | Marker]()
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part:
            joined.append(part)
    return joined


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain", ["plain"]),
        ('Ships [^1: "come and go"].', ["Ships ", Marker(1, "come and go"), "."]),
        ('[^1:"a b"][^22: "c"]', [Marker(1, "a b"), Marker(22, "c")]),
        ("x [^3: “curly”] y", ["x ", Marker(3, "curly"), " y"]),
        ('a [^1: "he said "no" twice"] b', ["a ", Marker(1, 'he said "no" twice'), " b"]),
        ('two\n[^1: "lines\nof it"]', ["two\n", Marker(1, "lines\nof it")]),
        ("a footnote [^1] and [^name]", ["a footnote [^1] and [^name]"]),
        ('[^12345: "x"] [^: "x"] [^1 : "x"] [^1: x]', ['[^12345: "x"] [^: "x"] [^1 : "x"] [^1: x]']),
        ('never ended [^1: "words', ['never ended [^1: "words']),
        ('never ended [^1: "one [^2: "two"] end', ['never ended [^1: "one ', Marker(2, "two"), " end"]),
        ('[^1: "[^1: "[^2: "x"]', ['[^1: "[^1: "', Marker(2, "x")]),
        ('[[^1: "x"]]', ["[", Marker(1, "x"), "]"]),
        ("ends with [", ["ends with ["]),
        ("ends with [^", ["ends with [^"]),
        ("", []),
    ],
)
def test_markers_are_taken_out(text: str, parts: list[str | Marker]) -> None:
    assert run(text) == parts
    assert run(*text) == parts, "character by character"


def test_a_marker_has_a_maximum_length() -> None:
    head, end = '[^1: "', '"]'
    longest = "a" * (citations.MAX_MARKER - len(head) - len(end))
    assert run(f"{head}{longest}{end}") == run(*f"{head}{longest}{end}") == [Marker(1, longest)]
    longer = f'{head}{longest}a{end} and [^2: "x"]'
    assert run(longer) == run(*longer) == [longer[: -len('[^2: "x"]')], Marker(2, "x")]


PIECES = ["[", "^", "1", "2", ":", " ", '"', "]", "“", "”", "a", "\n", '[^1: "', '"]', '[^7: "b"]', "a" * 700, "word "]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.randoms(use_true_random=False))
def test_any_split_gives_the_same_result(text: str, chance: random.Random) -> None:
    deltas, rest = list[str](), text
    while rest:
        size = chance.choice((1, 2, 3, 10, 1000))
        deltas.append(rest[:size])
        rest = rest[size:]
    whole = run(text)
    assert run(*deltas) == whole
    assert "".join(part if isinstance(part, str) else "" for part in whole) == _without_markers(text, whole)


def _without_markers(text: str, parts: list[str | Marker]) -> str:
    """The text without the markers that were found, in their order: nothing else is lost."""
    for part in parts:
        if isinstance(part, Marker):
            marker = re.compile(rf'\[\^0*{part.number}: ?["“]{re.escape(part.quote)}["”]\]')
            text = marker.sub("", text, count=1)
    return text


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=200))
def test_no_more_than_a_marker_is_held_back(deltas: list[str]) -> None:
    filter, fed, returned = Citations(Sources()), 0, 0
    for delta in deltas:
        fed += len(delta)
        for part in filter.feed(delta):
            returned += len(part) if isinstance(part, str) else len(part.quote) + len('[^12: ""]')
        assert fed - returned <= citations.MAX_MARKER


def test_there_is_a_maximum_number_of_markers() -> None:
    text = '[^1: "abc"] ' * (citations.MAX_MARKERS + 2)
    parts = run(text)
    assert sum(isinstance(part, Marker) for part in parts) == citations.MAX_MARKERS
    assert parts[-1] == ' [^1: "abc"] [^1: "abc"] '


HOSTILE = ['[^1: "', "[^", "[", '[^1: "a', "[^1", '"]', '[^1: "a"]', "a", '[^1: "' + "a" * 1990, "[^1:" * 3]


@pytest.mark.sampled(3)
@pytest.mark.about("core")
@pytest.mark.parametrize("repeat", HOSTILE)
@pytest.mark.parametrize("size", [1, 1_000_000])
def test_filtering_is_cheap_whatever_the_text(repeat: str, size: int) -> None:
    text = (repeat * (100_000 // len(repeat) + 1))[:100_000]
    deltas = [text[start : start + size] for start in range(0, len(text), size)]
    filter, slowest = Citations(Sources()), 0.0
    began = time.thread_time()
    for delta in deltas:
        before = time.thread_time()
        filter.feed(delta)
        slowest = max(slowest, time.thread_time() - before)
    filter.close()
    assert slowest < 0.1
    assert time.thread_time() - began < 0.1 + 20e-6 * len(deltas)


# The check


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def principal(caller: Caller) -> Principal:
    return await tenancy.act_for(caller.world.db, Call(), caller.user_id, caller.team.id)


async def load(caller: Caller, *parts: ObjectPart | NotePart) -> Sources:
    world = caller.world
    return (await attaching.load(world.db, world.app.dependencies[Library], await principal(caller), parts)).sources


async def check(caller: Caller, found: Citations, quote: str, number: int = 1) -> Citation:
    world = caller.world
    return await found.check(world.db, world.app.files, await principal(caller), Marker(number, quote))


async def text_file(caller: Caller, text: str, key: str = "a.txt", query: str = "") -> str:
    object_id: str = (await put(caller, key, text.encode(), query, content_type="text/plain"))["id"]
    return object_id


async def test_the_words_are_found_in_the_version_that_was_given(ann: Caller) -> None:
    document = await text_file(ann, "Ships come and go.")
    given = Citations(await load(ann, ObjectPart(document)))
    await text_file(ann, "Nothing of that.")
    version = (await ann.get(f"/api/repo-obj/{document}")).json()["versions"][1]["id"]
    assert await check(ann, given, "come and go") == Citation(
        1, CitedSource("object", document, "a.txt", 1, version), 6, 17, "come and go", True
    )
    missing = await check(ann, given, "Nothing of that")
    assert (missing.number, missing.verified, missing.reason, missing.start) == (2, False, "not_found", None)
    newest = Citations(await load(ann, ObjectPart(document)))
    assert (await check(ann, newest, "Nothing of")).verified
    assert not (await check(ann, newest, "come and go")).verified
    older = Citations(await load(ann, ObjectPart(document, 1)))
    assert (await check(ann, older, "come and go")).verified


async def test_words_are_found_in_what_was_read_further_the_second_time(ann: Caller) -> None:
    document = await text_file(ann, "Ships come. " * 50 + "The lock closes at nine.")
    version = (await ann.get(f"/api/repo-obj/{document}")).json()["versions"][0]["id"]
    sources = Sources()
    found = Citations(sources)

    def read(end: int) -> None:
        text = ("Ships come. " * 50 + "The lock closes at nine.")[:end]
        passage = {
            "object_id": document,
            "version": 1,
            "version_id": version,
            "title": "a.txt",
            "start": 0,
            "total": 624,
        }
        sources.add_passages("read_document", passage | {"text": text})

    read(100)
    assert (await check(ann, found, "Ships come")).verified
    read(624)
    assert (await check(ann, found, "closes at nine")).start == 609


async def test_words_of_a_pdf_are_found(world: World, ann: Caller) -> None:
    async with running(world):
        created = await put(ann, "a.pdf", files.pdf("The quick harbour seal"), content_type="application/pdf")
        await wait_for_text(ann, created["id"])
    citation = await check(ann, Citations(await load(ann, ObjectPart(created["id"]))), "harbour seal")
    text = (await ann.get(f"/api/repo-obj/{created['id']}/content?as=text&version=1")).text
    assert text[citation.start : citation.end] == "harbour seal"


async def test_a_note_is_a_source(ann: Caller) -> None:
    note = (await ann.post("/api/notes", {"title": "Harbour", "body": "Ships come and go."})).json()["id"]
    given = Citations(await load(ann, NotePart(note)))
    await ann.put(f"/api/notes/{note}", {"body": "Changed"})
    assert await check(ann, given, "come and go") == Citation(
        1, CitedSource("note", note, "Harbour", 1), 6, 17, "come and go", True
    )


async def test_what_is_cited_must_exist_and_be_long_enough(ann: Caller) -> None:
    given = Citations(await load(ann, ObjectPart(await text_file(ann, "Ships come and go."))))
    unknown = await check(ann, given, "come and go", number=7)
    assert (unknown.source, unknown.verified, unknown.reason) == (None, False, "no_source")
    assert (await check(ann, given, "co")).reason == "too_short"
    assert (await check(ann, given, " \u202e\x00co\u200b ")).reason == "too_short"
    assert (await check(ann, given, "com")).verified


async def test_equal_words_of_a_source_have_one_number(ann: Caller) -> None:
    first, second = await text_file(ann, "Ships come and go.", "a.txt"), await text_file(ann, "Ships come.", "b.txt")
    given = Citations(await load(ann, ObjectPart(first), ObjectPart(second)))
    numbers = [
        (await check(ann, given, quote, source)).number
        for quote, source in (("Ships", 1), ("come", 1), ("Ships", 1), ("Ships", 2), ("nothing", 1), ("nothing", 1))
    ]
    assert numbers == [1, 2, 1, 3, 4, 4]


async def test_the_right_to_read_is_checked_at_that_moment(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    document = await text_file(ann, "Ships come and go.")
    note = (await ann.post("/api/notes", {"title": "Harbour", "body": "Ships come and go."})).json()["id"]
    await share(ann, document, bob)
    await ann.post(f"/api/notes/{note}/share", {"user_id": bob.user_id, "permission": "notes:read"})
    given = Citations(await load(bob, ObjectPart(document), NotePart(note)))
    assert (await check(bob, given, "come and go", 1)).verified and (await check(bob, given, "come and go", 2)).verified
    await ann.post(f"/api/repo-obj/{document}/unshare", {"user_id": bob.user_id})
    await ann.post(f"/api/notes/{note}/share", {"user_id": bob.user_id, "permission": None})
    for number, (kind, id) in enumerate((("object", document), ("note", note)), 1):
        citation = await check(bob, given, "come and go", number)
        assert (citation.verified, citation.reason, citation.start, citation.number) == (
            False,
            "not_readable",
            None,
            number + 2,
        ), "a number belongs to one citation: those of before stay what they were"
        assert citation.source is not None
        assert (citation.source.type, citation.source.id, citation.source.title) == (kind, id, "")


async def test_a_citation_of_another_company_is_never_readable(world: World, ann: Caller) -> None:
    given = Citations(await load(ann, ObjectPart(await text_file(ann, "Ships come and go."))))
    org, team = await world.company()
    eve = await world.person(org, team, Role.OWNER)
    assert (await check(eve, given, "come and go")).reason == "not_readable"


async def test_words_outside_of_the_given_part_are_found_too(ann: Caller) -> None:
    text = "filler " * 40_000 + "The very last words."
    document = await text_file(ann, text)
    given = await load(ann, ObjectPart(document))
    citation = await check(ann, Citations(given), "very last words")
    assert (citation.verified, text[citation.start : citation.end]) == (True, "very last words")
    await ann.delete(f"/api/repo-obj/{document}")
    assert (await check(ann, Citations(given), "very last words")).reason == "not_readable"


async def test_passages_of_a_tool_are_sources(ann: Caller) -> None:
    text = "filler " * 4_000 + "The very last words."
    document = await text_file(ann, text)
    given = Sources()
    for start in (0, 28_000):
        value = {
            "object_id": document, "version": 1, "version_id": "v", "title": "a.txt", "start": start,
            "end": start + 6, "total": len(text), "text": text[start : start + 12_000],
        }  # fmt: skip
        assert given.add_passages("read_document", value) == [given.get(1)]
    note = {"id": "n", "version": 3, "title": "N", "tags": [], "start": 0, "end": 1, "total": 1, "body": "b"}
    (added,) = given.add_passages("read_note", note)
    assert added.number == 2
    assert given.add_passages("search", {}) == []
    passages = [
        {"object_id": document, "version": 1, "version_id": "v", "title": "a.txt", "start": start, "end": start + 6,
         "total": len(text), "quote": text[start : start + 6]}
        for start in (0, 28_000)
    ]  # fmt: skip
    assert [source.number for source in given.add_passages("kg_find", {"entities": [], "passages": passages})] == [1, 1]
    for words in ("very last words", "filler filler"):
        citation = await check(ann, Citations(given), words)
        assert (citation.verified, text[citation.start : citation.end]) == (True, words)


async def test_escaped_characters_count_as_themselves(ann: Caller) -> None:
    given = await load(ann, ObjectPart(await text_file(ann, "if a <b> and &lt;c&gt; then")))
    found: dict[str, Any] = {}
    for words in ("a <b> and", "a &lt;b> and", "and &lt;c&gt; then"):
        citation = await check(ann, Citations(given), words)
        found[words] = citation.start, citation.verified
    assert found == {"a <b> and": (3, True), "a &lt;b> and": (3, True), "and &lt;c&gt; then": (9, True)}
