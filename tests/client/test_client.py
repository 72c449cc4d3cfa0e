"""Both clients against a real server: pages, errors, streams, large files, and connections that break."""

import asyncio
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace.client import AsyncClient, BadRequest, Client, NotFound, Retry, VersionMismatch
from teamspace.client.models import JobDetail, OwnerDraft, TextPart
from tests.branding.help import encoded, picture
from tests.client.conftest import QUICK, TLS
from tests.client.cutting import Cut, cutting
from tests.support.served import Served

MEBIBYTE = 1024 * 1024
PATIENT = Retry(attempts=1000, first_pause=0.05, max_pause=0.1)


# Calls


def test_notes_from_creation_to_deletion(ann: Client) -> None:
    note = ann.notes.create(title="Plan", body="Buy milk", tags=["home"])
    assert ann.notes.get(note.id) == note
    changed = ann.notes.update(note.id, body="Buy bread", if_match=note.version)
    assert (changed.title, changed.body, changed.version) == ("Plan", "Buy bread", note.version + 1)
    with pytest.raises(VersionMismatch) as caught:
        ann.notes.update(note.id, body="Buy nothing", if_match=note.version)
    assert caught.value.problem and caught.value.problem.version == changed.version
    ann.notes.delete(note.id)
    with pytest.raises(NotFound):
        ann.notes.get(note.id)


def test_an_error_names_the_field(ann: Client) -> None:
    with pytest.raises(BadRequest) as caught:
        ann.notes.create(title="")
    assert [error.pointer for error in caught.value.errors] == ["/title"]
    assert "/title" in str(caught.value)
    assert caught.value.request_id


def test_a_value_that_is_not_given_is_not_sent(ann: Client, served: Served) -> None:
    company = ann.orgs.create(name="Other", owner=OwnerDraft(username="olga")).org
    assert ann.orgs.update(company.id, domain="other.example.com").domain == "other.example.com"
    assert ann.orgs.update(company.id, name="Another").domain == "other.example.com"
    assert ann.orgs.update(company.id, domain=None).domain is None


def test_a_list_is_read_page_by_page(ann: Client) -> None:
    titles = [f"Note {number}" for number in range(7)]
    for title in titles:
        ann.notes.create(title=title, tags=["pages"])
    listed = ann.notes.list(limit=3, tag="pages")
    assert [note.title for note in listed] == titles[::-1]
    assert [len(page.items) for page in listed.pages()] == [3, 3, 1]
    assert listed.first_page().next_cursor
    assert list(ann.notes.list(shared=True)) == []


async def test_the_asynchronous_client_does_the_same(ann: Client) -> None:
    async with AsyncClient(ann.options.url, ann.options.token) as client:
        notes = await asyncio.gather(
            *(client.notes.create(title=f"Note {number}", tags=["async"]) for number in range(5))
        )
        listed = client.notes.list(limit=2, tag="async")
        assert {note.id async for note in listed} == {note.id for note in notes}
        assert [len(page.items) async for page in listed.pages()] == [2, 2, 1]
        assert (await client.account.whoami()).user.username == "ann"


def test_a_key_with_any_characters_reaches_the_server(ann: Client) -> None:
    key = "a folder/100% & ü?#.txt"
    stored = ann.repo.put(key, b"text", content_type="text/plain", visibility="team")
    assert stored.key == key
    assert [item.key for item in ann.repo.list(prefix="a folder/")] == [key]
    with pytest.raises(BadRequest):
        ann.repo.put("a/../../notes", b"text")
    with pytest.raises(ValueError, match="empty"):
        ann.repo.get("")


async def test_every_kind_of_upload_arrives(ann: Client, tmp_path: Path) -> None:
    path, empty = tmp_path / "some.txt", tmp_path / "none.txt"
    path.write_bytes(b"some")
    empty.write_bytes(b"")
    with path.open("rb") as file, path.open("rb") as same:
        for content in (b"some", path, file, iter([b"so", b"me"])):
            assert ann.repo.put("upload.txt", content).size == 4
        for content in (b"", empty, iter([])):
            assert ann.repo.put("upload.txt", content).size == 0
        async with AsyncClient(ann.options.url, ann.options.token) as client:
            for one in (b"some", path, same, iter([b"so", b"me"]), slowly()):
                assert (await client.repo.put("upload.txt", one)).size == 4
    with pytest.raises(VersionMismatch):
        ann.repo.put("upload.txt", b"new", only_new=True)


async def slowly() -> AsyncIterator[bytes]:
    for piece in (b"so", b"me"):
        await asyncio.sleep(0)
        yield piece


def test_content_that_is_not_json_is_bytes(ann: Client) -> None:
    address = ann.branding.upload_logo(data=encoded(picture())).logo
    assert address and ann.branding.logo(logo=address.rpartition("=")[2]).startswith(b"\x89PNG")
    assert json.loads(ann.instance.openapi())["openapi"].startswith("3.1")
    with ann.plugins.file("example-tools", "index.js") as file:
        assert file.content_type.startswith("text/javascript") and file.read()


def test_sign_in_gives_a_token_that_another_client_uses(ann: Client) -> None:
    signed_in = ann.auth.sign_in(username="ann", password="correct horse battery")
    other = ann.with_options(token=signed_in.token)
    assert other.account.whoami().user.username == "ann"
    other.auth.sign_out()
    assert ann.account.whoami().team.name == "General"


def test_a_plugins_route_is_called_by_its_path(ann: Client) -> None:
    path = "/api/x/integrator-demo/eta"
    assert ann.request("GET", path, query={"lane": "hamburg-oslo"})["days"] == 2
    assert ann.request("POST", path, body={"lane": "hamburg-oslo"})["days"] == 2


def test_answers_with_alternatives_have_their_type(ann: Client) -> None:
    job = ann.jobs.create(kind="ai.chat", input={"prompt": "Hello"})
    assert isinstance(ann.jobs.get(job.id), JobDetail)
    assert ann.ai.chat(prompt=[TextPart(text="Say hello.")]).simulated
    assert ann.ai.preview(prompt="Say hello.").admitted
    with ann.audit.export() as export:
        assert all(json.loads(line)["action"] for line in export.read().splitlines())
    assert next(iter(ann.audit.list())).action


# Streams


def test_a_stream_is_read_as_events(ann: Client) -> None:
    with ann.ai.stream(prompt="One two three four") as stream:
        with pytest.raises(RuntimeError, match="not been read"):
            print(stream.result)
        names = [event.name for event in stream]
        assert (names[0], names[-1]) == ("start", "done")
        assert stream.text == stream.result["text"]
    whole = ann.ai.chat(prompt="One two three four").text
    assert stream.text == whole


def test_an_agents_steps_are_events(ann: Client) -> None:
    with ann.agent.stream(prompt="Search for the budget") as stream:
        names = [event.name for event in stream]
    assert {"tool_call", "tool_result", "done"} <= set(names)


def test_changes_are_told_and_the_feed_survives_a_restart(ann: Client, served: Served) -> None:
    told: list[str] = []
    ready, changed = threading.Event(), threading.Event()

    def listen() -> None:
        with ann.with_options(retry=PATIENT).events.stream() as stream:
            for event in stream:
                ready.set()
                if event.name == "change":
                    told.append(event.data["id"])
                    changed.set()
                if len(told) == 2:
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert ready.wait(10)
    first = ann.notes.create(title="Before")
    assert changed.wait(10)
    served.kill()
    ready.clear()
    served.start()
    assert ready.wait(30), "it listens again"
    second = ann.notes.create(title="After")
    thread.join(15)
    assert told == [first.id, second.id]


# Connections that break


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.thorough)])
def test_no_cut_makes_a_note_twice_or_loses_it(ann: Client, served: Served, step: int) -> None:
    with cutting(served.port) as proxy:
        with Client(proxy.url, ann.options.token) as client:
            client.notes.create(title="Note 00", tags=[f"cut-{step}"])  # its request and response have the usual size
        sizes = dict(proxy.passed)
        cuts = [Cut("request", after) for after in range(1, sizes["request"] + 1, step)]
        cuts += [Cut("response", after) for after in range(1, sizes["response"] + 1, step)]
        for number, cut in enumerate(cuts):
            proxy.cuts = [cut]
            with Client(proxy.url, ann.options.token, retry=QUICK, verify=TLS) as client:
                assert client.notes.create(title=f"Note {number}", tags=[f"cut-{step}"]).title == f"Note {number}"
    titles = [note.title for note in ann.notes.list(tag=f"cut-{step}")]
    assert sorted(titles) == sorted(["Note 00", *(f"Note {number}" for number in range(len(cuts)))])


@pytest.mark.parametrize("area", ["ai", "agent"])
def test_a_stream_that_is_cut_anywhere_gives_the_same_text(ann: Client, served: Served, area: str) -> None:
    prompt = "Search for the budget" if area == "agent" else "Ten green bottles hanging on the wall"

    def count_requests() -> int:
        return next(int(row.used) for row in ann.quota.usage().items if row.dimension == "ai.requests")

    before = count_requests()
    with getattr(ann, area).stream(prompt=prompt) as stream:
        expected = [(event.name, event.data.get("text")) for event in stream]
    price = count_requests() - before
    cuts = [*range(1, 400, 57), *range(400, 4000, 311)]
    with cutting(served.port) as proxy:
        for after in cuts:
            proxy.cuts = [Cut("response", after), Cut("request", 90), Cut("response", after)]
            with Client(proxy.url, ann.options.token, retry=QUICK, verify=TLS) as client:
                with getattr(client, area).stream(prompt=prompt) as stream:
                    assert [(event.name, event.data.get("text")) for event in stream] == expected
                assert stream.text == stream.result["text"]
    assert count_requests() - before == price * (len(cuts) + 1)


def test_a_download_that_is_cut_goes_on_where_it_broke(ann: Client, served: Served) -> None:
    content = bytes(range(256)) * 8192
    stored = ann.repo.put("large.bin", content)
    with cutting(served.port) as proxy:
        for after in (1, 200, 5000, MEBIBYTE, len(content) + 100):
            proxy.cuts = [Cut("response", after)] * 2
            with (
                Client(proxy.url, ann.options.token, retry=QUICK, verify=TLS) as client,
                client.repo.content(stored.id) as download,
            ):
                assert download.read() == content
                assert download.size == len(content)


# Memory

TRANSFER = """
import sys
from pathlib import Path
from teamspace.client import Client

def peak():  # not ru_maxrss, which begins with that of the parent
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

url, token, source, target = sys.argv[1:]
with Client(url, token) as client:
    client.account.whoami()
    before = peak()
    def pieces():
        with open(source, "rb") as file:
            while piece := file.read(65536):
                yield piece
    client.repo.put("from-pieces.bin", pieces())
    stored = client.repo.put("from-path.bin", Path(source))
    with client.repo.content(stored.id) as download:
        download.save(Path(target))
    print(peak() - before)
"""


def test_64_mebibytes_go_up_and_down_in_little_memory(ann: Client, tmp_path: Path) -> None:
    source, target = tmp_path / "source.bin", tmp_path / "target.bin"
    with source.open("wb") as file:
        for number in range(64):
            file.write(hashlib.sha512(str(number).encode()).digest() * (MEBIBYTE // 64))
    result = subprocess.run(
        [sys.executable, "-c", TRANSFER, ann.options.url, ann.options.token, str(source), str(target)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    grown = int(result.stdout) * 1024
    assert grown < 4 * MEBIBYTE
    assert target.read_bytes() == source.read_bytes()
