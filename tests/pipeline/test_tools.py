"""The tools of the pipeline: what they return, what they write, and that repeating them changes nothing."""

import asyncio

import pytest

from teamspace.core import errors
from teamspace.tenancy.schemas import Role
from tests.extraction import files
from tests.identity.help import broken
from tests.pipeline.help import FIELDS, INVOICE, SCHEMA, call, count, spent, text_of
from tests.repository.help import put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
TEMPLATE = "# Payment\n\nPay {{total}} to {{supplier}} for {{invoice_number}}{{purpose}}.\n"


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def invoice(ann: Caller) -> str:
    created: str = (await put(ann, "in/invoice.md", INVOICE))["id"]
    return created


# Text


async def test_the_whole_text_of_a_version_is_returned(ann: Caller, invoice: str) -> None:
    await put(ann, "in/invoice.md", b"Second")
    newest = await call(ann, "doc_text", object=invoice)
    assert newest == await call(ann, "doc_text", object="in/invoice.md")
    versions = (await ann.get(f"/api/repo-obj/{invoice}")).json()["versions"]
    assert (newest["kind"], newest["text"], newest["version"]) == ("text", "Second", 2)
    assert (newest["object_id"], newest["version_id"]) == (invoice, versions[0]["id"])
    first = await call(ann, "doc_text", object=invoice, version=1)
    assert (first["text"], first["version_id"]) == (INVOICE.decode(), versions[1]["id"])


async def test_a_text_that_is_not_extracted_yet_is_extracted(ann: Caller) -> None:
    """No worker runs: the tool does it itself, also for an older version."""
    pdf = (await put(ann, "a.pdf", files.pdf("First page"), content_type="application/pdf"))["id"]
    assert (await call(ann, "doc_text", object=pdf))["text"].strip() == "First page"
    assert (await ann.get(f"/api/repo-obj/{pdf}")).json()["text_state"] == "ready"
    await put(ann, "b.pdf", files.pdf("Old"), content_type="application/pdf")
    await put(ann, "b.pdf", files.pdf("New"), content_type="application/pdf")
    assert (await call(ann, "doc_text", object="b.pdf", version=1))["text"].strip() == "Old"
    assert (await call(ann, "doc_text", object="b.pdf"))["text"].strip() == "New"
    found = (await ann.get("/api/search?q=new")).json()["items"]
    assert [hit["title"] for hit in found] == ["b.pdf"]


async def test_a_file_without_text_is_refused(ann: Caller) -> None:
    picture = (await put(ann, "a.png", b"\x89PNG", content_type="image/png"))["id"]
    broken_pdf = (await put(ann, "a.pdf", b"%PDF-nothing", content_type="application/pdf"))["id"]
    for each in (picture, broken_pdf):
        with pytest.raises(errors.NotFound):
            await call(ann, "doc_text", object=each)


# Fields


async def test_fields_are_extracted_into_a_document_beside_the_source(world: World, ann: Caller, invoice: str) -> None:
    text = await call(ann, "doc_text", object=invoice)
    found = await call(
        ann, "doc_extract_fields", "r1:fields:0", object=invoice, run="r1", step="fields", schema=SCHEMA, text=text
    )
    assert found["fields"] == FIELDS
    assert (found["kind"], found["key"], found["version"]) == ("document", "in/invoice.md.fields.json", 1)
    written = (await ann.get(f"/api/repo-obj/{found['object_id']}")).json()
    assert (written["content_type"], written["owner"]) == ("application/json", ann.user_id)
    assert (written["versions"][0]["actor_kind"], written["versions"][0]["run_id"]) == ("workflow", "r1")
    assert (await ann.get(f"/api/repo-obj/{found['object_id']}/content")).json() == FIELDS
    start, end = found["spans"]["/invoice_number"]
    assert INVOICE.decode()[start:end] == "INV-2026-17"
    (source,) = (await ann.get(f"/api/repo-obj/{found['object_id']}/derivations")).json()["sources"]
    assert (source["id"], source["source_version"], source["run_id"], source["step"]) == (invoice, 1, "r1", "fields")
    assert (source["start"], source["end"], source["stale"]) == (0, len(INVOICE), False)
    assert await broken(world) == []


async def test_a_text_may_be_given_as_it_is(ann: Caller, invoice: str) -> None:
    found = await call(ann, "doc_extract_fields", object=invoice, schema=SCHEMA, text="Invoice number: 7\nTotal: 3")
    assert found["fields"] == {"invoice_number": "7", "total": 3}
    with pytest.raises(errors.BadRequest, match="doc_text"):
        await call(ann, "doc_extract_fields", object=invoice, schema=SCHEMA, text={"title": "no text"})


async def test_a_repeated_extraction_writes_and_pays_nothing(ann: Caller, invoice: str) -> None:
    text = await call(ann, "doc_text", object=invoice)
    arguments = {"object": invoice, "schema": SCHEMA, "text": text}
    first = await call(ann, "doc_extract_fields", "r1:fields:0", run="r1", step="fields", **arguments)
    again = await call(ann, "doc_extract_fields", "r1:fields:0", run="r1", step="fields", **arguments)
    other = await call(ann, "doc_extract_fields", "r2:fields:0", run="r2", step="fields", **arguments)
    assert first == again == other
    assert (await spent(ann), await count(ann, "object_versions")) == (1, 2)


async def test_equal_requests_of_two_runs_are_paid_once(ann: Caller, invoice: str) -> None:
    text = (await call(ann, "doc_text", object=invoice))["text"]
    results = await asyncio.gather(*(
        call(ann, "doc_extract_fields", f"r{n}:fields:0", run=f"r{n}", step="fields", object=invoice, schema=SCHEMA, text=text)
        for n in range(4)
    ))  # fmt: skip
    assert len({result["version_id"] for result in results}) == 1
    assert (await spent(ann), await count(ann, "object_versions")) == (1, 2)


# Forms


async def test_a_form_is_filled_in_and_names_what_is_missing(world: World, ann: Caller, invoice: str) -> None:
    form = await call(
        ann, "doc_render", "r1:form:0", object=invoice, run="r1", step="form", template=TEMPLATE, data=FIELDS
    )
    assert (form["key"], form["missing"]) == ("in/invoice.md.form.md", ["purpose"])
    assert await text_of(ann, form["object_id"]) == ("# Payment\n\nPay 1250.5 to Harbour Cranes Ltd for INV-2026-17.\n")
    again = await call(
        ann, "doc_render", "r1:form:0", object=invoice, run="r1", step="form", template=TEMPLATE, data=FIELDS
    )
    assert again == form and await count(ann, "object_versions") == 2
    assert await broken(world) == []


async def test_a_template_can_be_a_document(ann: Caller, invoice: str) -> None:
    template = await put(ann, "templates/a.html", b"<p>{{supplier}}</p>", content_type="text/html")
    for name in (template["id"], "templates/a.html"):
        form = await call(ann, "doc_render", object=invoice, template=name, data={"supplier": "<b> & Co"})
        assert (form["key"], form["content_type"]) == ("in/invoice.md.form.html", "text/html")
    answer = await ann.get(f"/api/repo-obj/{form['object_id']}/content")
    assert answer.text == "<p>&lt;b&gt; &amp; Co</p>"
    assert answer.headers["content-disposition"].startswith("attachment")
    sources = (await ann.get(f"/api/repo-obj/{form['object_id']}/derivations")).json()["sources"]
    assert {source["id"] for source in sources} == {invoice, template["id"]}
    with pytest.raises(errors.NotFound, match="no such template"):
        await call(ann, "doc_render", object=invoice, template="templates/b.html", data={})


# Translations


async def test_a_document_is_translated_into_one_beside_it(ann: Caller, invoice: str) -> None:
    found = await call(
        ann, "doc_translate", "r1:translate:0", object=invoice, run="r1", step="translate", locale="pt-br"
    )
    assert (found["key"], found["locale"]) == ("in/invoice.md.pt-BR.md", "pt-BR")
    assert "[pt-BR]" in await text_of(ann, found["object_id"])
    calls = await spent(ann)
    assert found == await call(
        ann, "doc_translate", "r1:translate:0", object=invoice, run="r1", step="translate", locale="pt-br"
    )
    assert (await spent(ann), await count(ann, "object_versions")) == (calls, 2)


# Rights


async def test_a_reader_who_may_not_write_beside_the_source_is_refused(world: World, ann: Caller, invoice: str) -> None:
    text = await call(ann, "doc_text", object=invoice)
    await ann.post(f"/api/repo-obj/{invoice}/visibility", {"visibility": "team"})
    viewer = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await call(viewer, "doc_text", object=invoice))["text"] == text["text"]
    other_team = await world.person(ann.org, await world.team(ann.org))
    await share(ann, invoice, other_team)
    for person in (viewer, other_team):
        for tool, arguments in (
            ("doc_extract_fields", {"schema": SCHEMA, "text": text}),
            ("doc_render", {"template": TEMPLATE, "data": FIELDS}),
            ("doc_translate", {"locale": "es"}),
        ):
            with pytest.raises(errors.Forbidden):
                await call(person, tool, object=invoice, **arguments)
    assert (await spent(ann), await count(ann, "objects")) == (0, 1)


async def test_nothing_is_paid_if_the_key_is_taken(world: World, ann: Caller, invoice: str) -> None:
    bob = await world.person(ann.org, ann.team)
    await put(bob, "in/invoice.md.fields.json", b"{}")
    with pytest.raises(errors.Conflict):
        await call(ann, "doc_extract_fields", object=invoice, schema=SCHEMA, text="Total: 1")
    assert await spent(ann) == 0


async def test_a_derived_document_is_never_visible_to_more_than_its_source(
    world: World, ann: Caller, invoice: str
) -> None:
    bob = await world.person(ann.org, ann.team)
    await share(ann, invoice, bob)
    form = await call(bob, "doc_render", object=invoice, template=TEMPLATE, data=FIELDS)
    written = (await bob.get(f"/api/repo-obj/{form['object_id']}")).json()
    assert (written["owner"], written["visibility"]) == (bob.user_id, "private")
    assert (await ann.get(f"/api/repo-obj/{form['object_id']}")).status_code == 404, "grants are not copied"
    await bob.post(f"/api/repo-obj/{form['object_id']}/visibility", {"visibility": "team"})
    await call(bob, "doc_render", object=invoice, template=TEMPLATE, data={"total": 2})
    assert (await bob.get(f"/api/repo-obj/{form['object_id']}")).json()["visibility"] == "private"
    await ann.post(f"/api/repo-obj/{invoice}/visibility", {"visibility": "team"})
    shown = await call(ann, "doc_translate", object=invoice, locale="es")
    assert (await ann.get(f"/api/repo-obj/{shown['object_id']}")).json()["visibility"] == "team"


async def test_only_a_run_itself_is_recorded_as_the_run(ann: Caller, invoice: str) -> None:
    form = await call(ann, "doc_render", object=invoice, run="other", step="form", template=TEMPLATE, data=FIELDS)
    version = (await ann.get(f"/api/repo-obj/{form['object_id']}")).json()["versions"][0]
    assert (version["actor_kind"], version["run_id"]) == ("agent", None)
    more = await call(
        ann, "doc_render", "mine:form:0", object=invoice, run="other", step="form", template=TEMPLATE, data={}
    )
    version = (await ann.get(f"/api/repo-obj/{more['object_id']}")).json()["versions"][0]
    assert (version["actor_kind"], version["run_id"]) == ("workflow", None)


# The index


async def test_unindexed_documents_are_listed_and_indexed(world: World, ann: Caller) -> None:
    pdf = (await put(ann, "a.pdf", files.pdf("Harbour seal"), content_type="application/pdf"))["id"]
    bad = (await put(ann, "bad.pdf", b"%PDF-nothing", content_type="application/pdf"))["id"]
    await put(ann, "a.png", b"\x89PNG", content_type="image/png")
    assert await call(ann, "repo_list_unindexed") == [], "their jobs wait"
    async with world.db.engine.transaction() as tx:
        await tx.fetch("UPDATE jobs SET state = 'cancelled', rank = NULL WHERE kind = 'repo.extract_text'", {})
    assert set(await call(ann, "repo_list_unindexed")) == {pdf, bad}
    bob = await world.person(ann.org, ann.team)
    assert await call(bob, "repo_list_unindexed") == []
    with pytest.raises(errors.NotFound):
        await call(bob, "repo_extract_text", id=pdf)
    indexed = await call(ann, "repo_extract_text", id=pdf)
    assert (indexed["text_state"], indexed["version"]) == ("ready", 1) and indexed["characters"] > 0
    assert indexed == await call(ann, "repo_extract_text", id=pdf)
    assert [hit["id"] for hit in (await ann.get("/api/search?q=seal")).json()["items"]] == [pdf]
    for tries in range(3):
        assert await call(ann, "repo_list_unindexed") == [bad], tries
        assert (await call(ann, "repo_extract_text", id=bad))["text_state"] == "failed"
    assert await call(ann, "repo_list_unindexed") == [], "it was tried often enough"
