"""The engine: what the model gets, what is checked, repaired, remembered and reported."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from teamspace import tenancy, translation
from teamspace.core import clock
from teamspace.core.errors import ExecutorFailed, QuotaExceeded, Refusal, ResponseRefused
from teamspace.core.principal import Call, IdempotencyClaim, Principal
from teamspace.translation.domain import batches, engine, model_run
from tests.identity.help import run_sql
from tests.support.world import Caller, World
from tests.translation.help import Model, ScriptedGateway, by_table, each, upper

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def principal(caller: Caller) -> Principal:
    call = Call(claim=IdempotencyClaim("key", b""))
    return await tenancy.act_for(caller.world.db, call, caller.user_id, caller.team.id)


async def translate(
    caller: Caller, texts: Mapping[str, str] | str, model: Model, **options: Any
) -> tuple[translation.Translated, ScriptedGateway]:
    gateway, who = ScriptedGateway(model), await principal(caller)
    given = {"": texts} if isinstance(texts, str) else texts
    done = await translation.translate(gateway, caller.world.db, who, given, **{"target": "de", **options})
    async with caller.world.db.write(who, "translation.test") as tx:
        await translation.remember(tx, who, done)
    return done, gateway


async def define(caller: Caller, term: str, text: str | None, **more: Any) -> None:
    answer = await caller.post("/api/glossary", {"term": term, "target": "de", "translation": text, **more})
    assert answer.status_code == 200, answer.text


def failed(done: translation.Translated) -> list[tuple[str | None, int, str]]:
    return [(check.key, check.segment, check.check) for check in done.checks]


async def test_the_model_sees_tokens_and_data_never_what_must_stay(ann: Caller) -> None:
    text = "# Hello {name}\n\nSee <b>[docs](https://a.example)</b>, `x` and v1.2.3.\n"
    done, gateway = await translate(ann, text, each(upper))
    assert done.texts == {"": "# HELLO {name}\n\nSEE <b>[DOCS](https://a.example)</b>, `x` AND v1.2.3.\n"}
    assert (done.checks, done.memory_hits, done.model) == ([], 0, "scripted")
    assert gateway.sent == [
        "Hello \u27e61\u27e7",
        "See \u27e61\u27e7[docs\u27e62\u27e7\u27e63\u27e7, \u27e64\u27e7 and \u27e65\u27e7.",
    ]
    assert {name: gateway.prompts[0][name] for name in ("source", "target", "glossary")} == {
        "source": "auto", "target": "de", "glossary": [],
    }  # fmt: skip


async def test_the_source_language_is_the_given_one_or_what_the_model_says(ann: Caller) -> None:
    def says(tag: str) -> Model:
        return lambda prompt: {"source": tag, **each(upper)(prompt)}

    assert (await translate(ann, "one", says("EN_us")))[0].source == "en-US"
    assert (await translate(ann, "two", says("no language")))[0].source is None
    done, gateway = await translate(ann, "three", says("fr"), source="en")
    assert (done.source, gateway.prompts[0]["source"]) == ("en", "en")


async def test_a_failing_segment_is_repaired_once_with_what_is_wrong(ann: Caller) -> None:
    def model(segment: dict[str, Any]) -> str:
        return upper(segment) if "problems" in segment or "good" in segment["text"] else "HALLO"

    done, gateway = await translate(ann, {"a": "Hello {name}", "b": "good"}, each(model))
    assert (done.texts, done.checks) == ({"a": "HELLO {name}", "b": "GOOD"}, [])
    assert len(gateway.prompts) == 2
    assert gateway.prompts[1]["segments"] == [
        {"id": 0, "text": "Hello \u27e61\u27e7", "translation": "HALLO", "problems": ["Placeholders differ. Missing: \u27e61\u27e7. Added: -."]}
    ]  # fmt: skip


async def test_what_still_fails_stays_in_the_result_and_is_reported(ann: Caller) -> None:
    texts = {"a": "First\n\nHello {name}", "b": "Bye {name}"}
    answers = {"First": "ERST", "Hello \u27e61\u27e7": "HALLO", "Bye \u27e61\u27e7": "TSCHÜSS {x}"}
    done, gateway = await translate(ann, texts, by_table(answers))
    assert done.texts == {"a": "ERST\n\nHALLO", "b": "TSCHÜSS {x}"}
    assert failed(done) == [("a", 1, "placeholders"), ("b", 0, "placeholders")] and len(gateway.prompts) == 2
    assert done.checks[0].excerpt == "Hello {name}" and "{name}" in done.checks[0].message


async def test_of_two_attempts_the_one_with_fewer_problems_is_kept(ann: Caller) -> None:
    attempts = [("A 7", "B", "B"), ("B", "A 7", "B"), ("A 7", "", "A 7"), ("", "A 7", "A 7")]
    for number, (first, second, kept) in enumerate(attempts):
        model = each(lambda segment, first=first, second=second: second if "problems" in segment else first)  # type: ignore[misc]
        done, _ = await translate(ann, f"Bye {{name{number}}}", model)
        assert done.texts[""] == kept


async def test_a_segment_that_the_model_leaves_out_keeps_its_source(ann: Caller) -> None:
    def model(prompt: dict[str, Any]) -> Any:
        sent = [segment for segment in prompt["segments"] if segment["text"] != "Lost"]
        return {"segments": [*({"id": s["id"], "text": upper(s)} for s in sent), {"id": 99, "text": "Invented"}]}

    done, gateway = await translate(ann, {"a": "Kept", "b": "Lost"}, model)
    assert done.texts == {"a": "KEPT", "b": "Lost"} and failed(done) == [("b", 0, "missing")]
    assert len(gateway.prompts) == 2


@pytest.mark.parametrize("parsed", [{"segments": []}, {}, [], "text", {"segments": [{"id": "x", "text": 1}]}])
async def test_an_answer_without_any_translation_is_refused(ann: Caller, parsed: Any) -> None:
    with pytest.raises(ResponseRefused):
        await translate(ann, "Hello", lambda prompt: parsed)


async def test_a_runaway_answer_counts_as_none(ann: Caller) -> None:
    done, _ = await translate(
        ann, {"a": "Good", "b": "Bad"}, each(lambda s: "x" * 9_999 if s["text"] == "Bad" else "GUT")
    )
    assert done.texts == {"a": "GUT", "b": "Bad"} and failed(done) == [("b", 0, "missing")]


async def test_a_nul_in_an_answer_is_removed(ann: Caller) -> None:
    done, _ = await translate(ann, "Hello", each(lambda segment: "HA\0LLO"))
    assert done.texts[""] == "HALLO"


async def test_only_words_go_to_the_model(ann: Caller) -> None:
    text = "```\ncode\n```\n\n{name}\n\n---\n12 + 30\n"
    done, gateway = await translate(ann, {"a": text, "b": ""}, each(upper))
    assert done.texts == {"a": text, "b": ""} and gateway.prompts == [] and done.usage.total_tokens == 0


# Batches


async def test_batches_are_bounded_and_at_most_four_are_in_flight(ann: Caller) -> None:
    gateway, running, most = ScriptedGateway(each(upper)), 0, 0
    call = gateway.call

    async def slow(*given: Any, **more: Any) -> Any:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0.01)
        running -= 1
        return await call(*given, **more)

    gateway.call = slow  # type: ignore[method-assign]
    texts = {f"k{n}": f"word {chr(97 + n % 26)}{n}" for n in range(260)} | {
        f"l{n}": f"long{n} " * 600 for n in range(6)
    }
    done = await engine.translate(gateway, ann.world.db, await principal(ann), texts, target="de")
    assert done.texts == {key: text.upper() for key, text in texts.items()} and most == model_run.MAX_IN_FLIGHT
    for prompt in gateway.prompts:
        assert len(prompt["segments"]) <= 25
        assert sum(len(segment["text"]) for segment in prompt["segments"]) <= 12_000


async def test_after_a_refusal_no_further_batch_is_sent(ann: Caller) -> None:
    def model(prompt: dict[str, Any]) -> Any:
        if len(gateway.prompts) > 6:
            raise QuotaExceeded("quota.slots", 60, limit=1, dimension="x", level="team")
        return each(upper)(prompt)

    gateway = ScriptedGateway(model)
    texts = {f"k{n}": f"word {n} {chr(97 + n % 26)}" for n in range(2_000)}
    with pytest.raises(QuotaExceeded):
        await engine.translate(gateway, ann.world.db, await principal(ann), texts, target="de")
    assert len(gateway.prompts) <= 6 + model_run.MAX_IN_FLIGHT


async def test_a_refusal_is_told_even_if_what_was_translated_cannot_be_stored(
    ann: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def model(prompt: dict[str, Any]) -> Any:
        if len(gateway.prompts) > 2:
            raise QuotaExceeded("quota.slots", 60, limit=1, dimension="x", level="team")
        return each(upper)(prompt)

    async def fail(*given: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("teamspace.translation.store.put_memory", fail)
    gateway = ScriptedGateway(model)
    texts = {f"k{n}": f"word {n} {chr(97 + n % 26)}" for n in range(200)}
    with pytest.raises(QuotaExceeded):
        await engine.translate(gateway, ann.world.db, await principal(ann), texts, target="de")
    assert "translated before a failure are lost" in caplog.text


@pytest.mark.parametrize(
    "refusal",
    [
        QuotaExceeded("quota.slots", 60, limit=1, dimension="x", level="team"),
        ExecutorFailed("ai.simulated_failure"),
        ResponseRefused("translation.no_answer"),
    ],
    ids=lambda refusal: refusal.code,
)
async def test_a_repair_that_is_refused_leaves_what_was_translated(ann: Caller, refusal: Refusal) -> None:
    def model(prompt: dict[str, Any]) -> Any:
        if "problems" in prompt["segments"][0]:
            raise refusal
        return each(lambda segment: "HALLO \u27e61\u27e7 {x}")(prompt)

    done, gateway = await translate(ann, "Hello {name}", model)
    assert done.texts[""] == "HALLO {name} {x}" and failed(done) == [(None, 0, "placeholders")]
    assert done.checks[0].params == {"missing": "-", "added": "{x}"}
    assert gateway.prompts[1]["segments"][0]["translation"] == "HALLO \u27e61\u27e7 {x}", (
        "what stays is hidden here too"
    )


async def test_what_was_repaired_before_a_refusal_is_used(ann: Caller) -> None:
    """The failing segments are two batches: of the second one, the repair is refused."""

    def model(prompt: dict[str, Any]) -> Any:
        if "problems" not in prompt["segments"][0]:
            return each(lambda segment: segment["text"])(prompt)  # not translated, and without its placeholder
        if prompt["segments"][0]["id"] == 0:
            return each(lambda segment: f"GUT {segment['text']}")(prompt)
        raise QuotaExceeded("quota.slots", 60, limit=1, dimension="x", level="team")

    texts = {f"k{n}": f"word {chr(97 + n % 26)}{n}" for n in range(batches.MAX_SEGMENTS + 5)}
    done, gateway = await translate(ann, texts, model)
    assert len(gateway.prompts) == 4
    repaired = [text for text in done.texts.values() if text.startswith("GUT ")]
    assert len(repaired) == batches.MAX_SEGMENTS and len(done.checks) == 5
    again, _ = await translate(ann, texts, model)
    assert again.memory_hits == batches.MAX_SEGMENTS, "it is not paid for twice"


# Glossary


async def test_the_model_gets_the_terms_of_its_segments_and_hits_are_counted(ann: Caller) -> None:
    await define(ann, "file", "Datei", forbidden=["Akte"], note="on a disk")
    await define(ann, "folder", "Ordner")
    await define(ann, "unused", "unbenutzt")
    answers = {"A FILE in a folder, not a profile": "Eine Datei im Verzeichnis", "This file": "Diese Datei"}
    done, gateway = await translate(
        ann, {"a": "A FILE in a folder, not a profile", "b": "This file"}, by_table(answers)
    )
    assert gateway.prompts[0]["glossary"] == [
        {"term": "file", "translation": "Datei", "forbidden": ["Akte"], "note": "on a disk"},
        {"term": "folder", "translation": "Ordner"},
    ]
    assert [(hit.term, hit.count, hit.applied) for hit in done.glossary_hits] == [("file", 2, 2), ("folder", 1, 0)]
    assert failed(done) == [("a", 0, "glossary")]


async def test_a_text_of_terms_that_stay_may_stay(ann: Caller) -> None:
    await define(ann, "Teamspace", "Teamspace")
    done, _ = await translate(ann, {"a": "Teamspace!", "b": "Teamspace here"}, each(lambda segment: segment["text"]))
    assert failed(done) == [("b", 0, "unchanged")]


async def test_a_term_is_not_found_across_what_stays(ann: Caller) -> None:
    await define(ann, "file system", "Dateisystem")
    done, _ = await translate(ann, "file {name} system", each(upper))
    assert done.glossary_hits == []


# Translation memory


async def test_a_segment_that_passed_is_not_translated_again(ann: Caller) -> None:
    await translate(
        ann,
        {"a": "Hello {name}", "b": "Fails {x}"},
        by_table({"Hello \u27e61\u27e7": "HALLO \u27e61\u27e7", "Fails \u27e61\u27e7": "-"}),
    )
    done, gateway = await translate(ann, "Hello {name}\n\nNew\n\nFails {x}", each(upper))
    assert done.texts[""] == "HALLO {name}\n\nNEW\n\nFAILS {x}" and done.memory_hits == 1
    assert gateway.sent == ["New", "Fails \u27e61\u27e7"]
    done, gateway = await translate(ann, "Hello {name}", each(upper))
    assert (done.memory_hits, done.usage.total_tokens, gateway.prompts) == (1, 0, [])


async def test_the_memory_is_of_one_language_pair_and_one_team(world: World, ann: Caller) -> None:
    await translate(ann, "Hello", each(upper))
    for caller, options in [
        (ann, {"target": "fr"}),
        (ann, {"source": "en"}),
        (await world.person(ann.org, await world.team(ann.org)), {}),
    ]:
        assert (await translate(caller, "Hello", each(upper), **options))[0].memory_hits == 0
    colleague = await world.person(ann.org, ann.team)
    assert (await translate(colleague, "Hello", each(upper)))[0].memory_hits == 1


async def test_the_memory_forgets_what_is_old(world: World, ann: Caller) -> None:
    for text in ("Hello", "Good morning"):
        await translate(ann, text, each(upper))
    before = clock.ago(engine.MEMORY_SECONDS + 1)
    await run_sql(world, "UPDATE translation_memory SET created_at = :at WHERE text LIKE '%HELLO%'", at=before)
    await translate(ann, "Good night", each(upper))
    assert [(await translate(ann, text, each(upper)))[0].memory_hits for text in ("Good morning", "Hello")] == [1, 0]


async def test_a_change_of_the_glossary_supersedes_the_memory(ann: Caller) -> None:
    await translate(ann, "Hello", each(upper))
    for term, text in [("file", "Datei"), ("file", "Akte"), ("file", None)]:
        await define(ann, term, text)
        assert (await translate(ann, "Hello", each(upper)))[0].memory_hits == 0, text
        assert (await translate(ann, "Hello", each(upper)))[0].memory_hits == 1, text


async def test_a_translation_with_terms_of_an_older_revision_is_never_reused(ann: Caller) -> None:
    """The glossary changes while the model works: what comes back has the old term."""
    await define(ann, "file", "Datei")
    who, db, gateway = await principal(ann), ann.world.db, ScriptedGateway(each(lambda segment: "Datei"))
    done = await translation.translate(gateway, db, who, {"": "file"}, target="de")
    await define(ann, "file", "Dokument")
    async with db.write(who, "translation.test") as tx:
        await translation.remember(tx, who, done)
    done, _ = await translate(ann, "file", each(lambda segment: "Dokument"))
    assert (done.texts[""], done.memory_hits) == ("Dokument", 0)
