"""The workflows of the shipped plugins run from one end to the other, on the simulated model and on a model server."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from teamspace.settings import Settings
from tests.ai.help import model_world
from tests.extraction import files
from tests.identity.help import broken
from tests.jobs.help import running
from tests.pipeline.help import FIELDS, INVOICE, SCHEMA, count, spent, text_of, working
from tests.repository.help import put
from tests.support.upstream import Behaviour, ReceivedRequest, reply
from tests.support.world import Caller, World
from tests.translation.help import each, upper
from tests.workflows.help import ended, start, states, step_of, workflow_world

pytestmark = pytest.mark.both_databases
TEMPLATE = "# Payment\n\nPlease pay {{total}} to {{supplier}}.\n"


@pytest.fixture
async def ann(world: World) -> AsyncIterator[Caller]:
    async with workflow_world(world) as caller:
        yield caller


async def run(caller: Caller, slug: str, **input: Any) -> dict[str, Any]:
    done = await ended(caller, (await start(caller, slug, input))["id"], 60)
    assert done["state"] == "succeeded", done["error"]
    return done


async def process(
    caller: Caller, object_id: str, template: str = TEMPLATE, locales: tuple[str, ...] = ("es", "de")
) -> dict[str, Any]:
    return await run(
        caller, "process-upload", object_id=object_id, schema=SCHEMA, template=template, locales=list(locales)
    )


async def keys(caller: Caller) -> dict[str, int]:
    """Return all keys with the number of their newest version."""
    return {item["key"]: item["version"] for item in (await caller.get("/api/repo?prefix=")).json()["items"]}


async def test_plugins_list_their_workflows_and_tools(world: World) -> None:
    caller = await world.bootstrap()
    listed = {item["id"]: item for item in (await caller.get("/api/plugins")).json()["items"]}
    assert {id: (listed[id]["version"], listed[id]["tools"], listed[id]["workflows"]) for id in ("doc-indexer", "doc-pipeline", "translate-chat")} == {
        "doc-indexer": ("0.1.0", [], ["index-documents"]),
        "doc-pipeline": ("0.1.0", [], ["process-upload"]),
        "translate-chat": ("0.1.0", ["chat_message", "translate_text"], ["translate-chat"]),
    }  # fmt: skip


async def test_an_upload_becomes_fields_a_form_and_translations(world: World, ann: Caller) -> None:
    invoice = (await put(ann, "in/a.pdf", files.pdf("Invoice number: 17"), content_type="application/pdf"))["id"]
    done = await process(ann, invoice)
    assert states(done) == {
        "text": "succeeded", "fields": "succeeded", "has_form": "succeeded", "form": "succeeded",
        "translate_form": "succeeded", "translate_source": "skipped",
    }  # fmt: skip
    assert await keys(ann) == {
        "in/a.pdf": 1, "in/a.pdf.fields.json": 1, "in/a.pdf.form.md": 1, "in/a.pdf.form.md.es.md": 1,
        "in/a.pdf.form.md.de.md": 1,
    }  # fmt: skip
    derived = (await ann.get(f"/api/repo-obj/{invoice}/processing")).json()
    assert derived["runs"] == [done["id"]]
    assert {(item["key"], item["step"], item["stale"]) for item in derived["derived"]} == {
        ("in/a.pdf.fields.json", "fields", False), ("in/a.pdf.form.md", "form", False),
    }  # fmt: skip
    form = step_of(done, "form")["output"]["result"]
    assert "Please pay" in await text_of(ann, form["object_id"])
    assert len(step_of(done, "translate_form")["items"]) == 2
    assert done["usage"]["requests"] == await spent(ann)
    assert await broken(world) == []


async def test_without_a_template_the_source_is_translated(ann: Caller) -> None:
    invoice = (await put(ann, "a.md", INVOICE))["id"]
    done = await process(ann, invoice, template="")
    assert states(done)["translate_source"] == "succeeded" and states(done)["form"] == "skipped"
    assert step_of(done, "fields")["output"]["result"]["fields"] == FIELDS
    assert sorted(await keys(ann)) == ["a.md", "a.md.de.md", "a.md.es.md", "a.md.fields.json"]


async def test_a_second_run_does_and_pays_nothing(ann: Caller) -> None:
    invoice = (await put(ann, "a.md", INVOICE))["id"]
    await process(ann, invoice)
    paid, written = await spent(ann), await keys(ann)
    again = await process(ann, invoice)
    assert (await spent(ann), await keys(ann), again["usage"]["tokens"]) == (paid, written, 0)


async def test_a_new_version_makes_stale_and_a_run_refreshes_only_that(world: World, ann: Caller) -> None:
    invoice = (await put(ann, "a.md", INVOICE))["id"]
    await process(ann, invoice)
    await put(ann, "a.md", INVOICE.replace(b"1,250.50", b"990.00"))
    shown = (await ann.get(f"/api/repo-obj/{invoice}/processing")).json()["derived"]
    assert {(item["stale"], item["source_version"], item["current_source_version"]) for item in shown} == {(True, 1, 2)}
    for item in shown:
        assert (item["changes"]["added"], item["changes"]["removed"], item["changes"]["complete"]) == (1, 1, True)
        (passage,) = item["changes"]["passages"]
        assert passage == {"line": 6, "before": "Total: 1,250.50 EUR", "after": "Total: 990.00 EUR"}
    await process(ann, invoice)
    shown = (await ann.get(f"/api/repo-obj/{invoice}/processing")).json()["derived"]
    assert {(item["stale"], item["version"]) for item in shown} == {(False, 2)}
    assert {item["changes"] is None for item in shown} == {True}
    # A change that leads to the same fields costs one extraction: the form and its translations stay.
    paid, written = await spent(ann), await keys(ann)
    await put(ann, "a.md", INVOICE.replace(b"1,250.50", b"990.00") + b"\nThank you.\n")
    await process(ann, invoice)
    assert await keys(ann) == written | {"a.md": 3} and await spent(ann) == paid + 1
    shown = (await ann.get(f"/api/repo-obj/{invoice}/processing")).json()["derived"]
    assert {(item["stale"], item["source_version"]) for item in shown} == {(False, 2)}
    assert await broken(world) == []


async def test_translations_of_a_stale_form_are_stale_until_a_run_has_made_both_anew(world: World, ann: Caller) -> None:
    invoice = (await put(ann, "a.md", INVOICE))["id"]
    form = step_of(await process(ann, invoice), "form")["output"]["result"]["object_id"]

    async def shown(path: str) -> dict[str, bool]:
        items = (await ann.get(f"/api/repo-obj/{form}/{path}")).json()["derived"]
        return {item["key"]: item["stale"] for item in items}

    keys_of = ("a.md.form.md.es.md", "a.md.form.md.de.md")
    assert await shown("derivations") == dict.fromkeys(keys_of, False)
    await put(ann, "a.md", INVOICE.replace(b"1,250.50", b"990.00"))
    assert await shown("derivations") == await shown("processing") == dict.fromkeys(keys_of, True)
    await process(ann, invoice, locales=("es",))
    assert await shown("processing") == {"a.md.form.md.es.md": False, "a.md.form.md.de.md": True}
    written = await keys(ann)
    assert (written["a.md.form.md.es.md"], written["a.md.form.md.de.md"]) == (2, 1)
    await process(ann, invoice)
    assert await shown("processing") == dict.fromkeys(keys_of, False)
    assert await keys(ann) == written | {"a.md.form.md.de.md": 2}, "only what was stale"
    # What leads to the same form leaves the translations as they are.
    await put(ann, "a.md", INVOICE.replace(b"1,250.50", b"990.00") + b"\nThank you.\n")
    assert await shown("processing") == dict.fromkeys(keys_of, True)
    await process(ann, invoice)
    assert await shown("processing") == dict.fromkeys(keys_of, False)
    assert await keys(ann) == written | {"a.md.form.md.de.md": 2, "a.md": 3}


async def test_what_a_person_corrects_is_kept_until_the_source_changes(ann: Caller) -> None:
    invoice = (await put(ann, "a.md", INVOICE))["id"]
    await process(ann, invoice)
    await put(ann, "a.md.fields.json", json.dumps(FIELDS | {"supplier": "Right Ltd"}).encode())
    done = await process(ann, invoice)
    assert "Right Ltd" in await text_of(ann, step_of(done, "form")["output"]["result"]["object_id"])
    edited = {
        item["key"]: item["edited"]
        for item in (await ann.get(f"/api/repo-obj/{invoice}/derivations")).json()["derived"]
    }
    assert edited == {"a.md.fields.json": True, "a.md.form.md": False}
    await put(ann, "a.md.fields.json", b'{"total": "much"}')
    done = await process(ann, invoice)
    assert step_of(done, "fields")["output"]["result"]["fields"] == FIELDS, "what does not fit the schema is replaced"


async def test_documents_are_indexed(world: World) -> None:
    ann = await world.bootstrap()
    ids = [(await put(ann, f"{n}.pdf", files.pdf(f"Page{n}"), content_type="application/pdf"))["id"] for n in range(3)]
    bad = (await put(ann, "bad.pdf", b"%PDF-nothing", content_type="application/pdf"))["id"]
    async with world.db.engine.transaction() as tx:
        await tx.fetch("DELETE FROM jobs WHERE kind = 'repo.extract_text'", {})
    async with running(world):
        done = await run(ann, "index-documents")
        assert sorted(step_of(done, "find")["output"]["result"]) == sorted([*ids, bad])
        found = {
            item["result"]["object_id"]: item["result"]["text_state"] for item in step_of(done, "extract")["items"]
        }
        assert found == dict.fromkeys(ids, "ready") | {bad: "failed"}
        assert [hit["id"] for hit in (await ann.get("/api/search?q=page1")).json()["items"]] == [ids[1]]
        again = await run(ann, "index-documents")
        assert step_of(again, "find")["output"]["result"] == [bad]


async def test_a_message_is_answered_and_translated(ann: Caller) -> None:
    done = await run(ann, "translate-chat", message="Where is the crane?")
    assert "Where is the crane?" in step_of(done, "chat")["output"]["result"]
    there = [item["result"] for item in step_of(done, "to_all")["items"]]
    assert [text[:4] for text in there] == ["[es]", "[nl]", "[is]"]
    back = [item["result"] for item in step_of(done, "back_home")["items"]]
    assert len(back) == 3 and all(isinstance(text, str) and text for text in back)


# A model server


def office(request: dict[str, Any]) -> str:
    """Answer like a model that extracts what it is told to, translates, or chats."""
    wanted = request.get("response_format", {}).get("json_schema", {}).get("name")
    prompt = request["messages"][-1]["content"]
    if wanted == "fields":
        return json.dumps(FIELDS)
    if wanted == "translation":
        return json.dumps(each(upper)(json.loads(prompt)))
    return "the crane is back"


def serving(answer: Any) -> Behaviour:
    async def behave(request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        message = {"role": "assistant", "content": answer(json.loads(request.body))}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        await reply(
            writer, 200, {"model": "tiny", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
        )

    return behave


async def test_all_run_on_a_model_server(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server), working(world):
        server.script([serving(office)] * 40)
        invoice = (await put(ann, "a.md", INVOICE))["id"]
        done = await process(ann, invoice)
        assert "PLEASE PAY 1250.5" in await text_of(
            ann, step_of(done, "translate_form")["items"][0]["result"]["object_id"]
        )
        (asked,) = [each for each in server.chat_requests() if b'"fields"' in each.body]
        sent = json.loads(asked.body)
        assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
        assert "INV-2026-17" in sent["messages"][-1]["content"]
        chat = await run(ann, "translate-chat", message="Where is the crane?")
        assert [item["result"] for item in step_of(chat, "back_home")["items"]] == ["THE CRANE IS BACK"] * 3
        await run(ann, "index-documents")
        assert await broken(world) == []


async def test_a_reply_that_does_not_conform_is_refused_and_tried_again(settings: Settings) -> None:
    """The gateway repairs an answer once, and the step has one retry: the fourth answer is the last."""
    bad = serving(lambda request: json.dumps({"total": "much"}))
    async with model_world(settings) as (world, ann, server), working(world):
        invoice = (await put(ann, "a.md", INVOICE))["id"]
        server.script([bad, bad, serving(office)])
        done = await process(ann, invoice, locales=())
        assert step_of(done, "fields")["output"]["result"]["fields"] == FIELDS
        other = (await put(ann, "b.md", b"Total: none"))["id"]
        server.script([bad] * 4)
        failed = await start(
            ann, "process-upload", {"object_id": other, "schema": SCHEMA, "template": "", "locales": []}
        )
        end = await ended(ann, failed["id"], 60)
        assert (end["state"], end["error"]["code"], end["error"]["step"]) == ("failed", "response_refused", "fields")
        assert await count(ann, "model_answers") == 1
