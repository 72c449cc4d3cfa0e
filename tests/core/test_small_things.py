"""Small modules of `core`: clock, ids, text, paging, addresses, limits, logs."""

import asyncio
import errno
import io
import ipaddress
import logging
import re
import uuid

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.core import clock, paging, text
from teamspace.core.addresses import client_address, rate_limit_key
from teamspace.core.crypto import Vault
from teamspace.core.errors import BadRequest, Overloaded, RateLimited
from teamspace.core.ids import new_id
from teamspace.core.limits import ConcurrencyLimit, KeyedConcurrencyLimit, Notifier, Rate, Stopping
from teamspace.core.logs import LogHandler
from teamspace.core.paging import Paging, page


@given(st.floats(0, 4_000_000_000))
def test_a_timestamp_is_rfc_3339_and_sorts_by_time(seconds: float) -> None:
    stamp = clock.stamp(seconds)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamp)
    assert 0 <= seconds - clock.seconds(stamp) < 0.0011
    assert clock.stamp(seconds + 1) > stamp


def test_ids_are_uuid_7_and_ascending() -> None:
    ids = [new_id() for _ in range(10_000)]
    assert ids == sorted(set(ids))
    assert {uuid.UUID(id).version for id in ids[:100]} == {7}
    assert {uuid.UUID(id).variant for id in ids[:100]} == {uuid.RFC_4122}


@pytest.mark.parametrize(("name", "expected"), [(" a ", "a"), ("e\u0301", "\u00e9"), ("日本", "日本"), ("a b", "a b")])
def test_a_name_is_normalised(name: str, expected: str) -> None:
    assert text.clean_name(name, "name", max_length=80) == expected


@pytest.mark.parametrize("bad", ["", "  ", "a\nb", "a\u202eb", "a\u2066b", "x" * 81, "\x7f", "a\u200fb"])
def test_a_misleading_name_is_refused(bad: str) -> None:
    with pytest.raises(BadRequest):
        text.clean_name(bad, "name", max_length=80)


def test_a_page_has_a_cursor_only_if_there_is_more() -> None:
    rows = [new_id() for _ in range(4)]
    first = page(rows, Paging(limit=3), lambda row: row)
    assert first.items == rows[:3]
    assert Paging(cursor=first.next_cursor).before == rows[2]
    assert page(rows, Paging(limit=4), lambda row: row).next_cursor is None


def test_a_cursor_is_signed_with_the_servers_key() -> None:
    ours, theirs = Vault(b"k" * 32), Vault(b"l" * 32)
    sent = paging.sign_cursor(ours, paging.encode_cursor("an id"))
    assert paging.verify_cursor(ours, sent) == paging.encode_cursor("an id")
    for vault, cursor in (
        (theirs, sent),
        (ours, paging.encode_cursor("an id")),
        (ours, paging.encode_cursor("another id") + sent[sent.index(".") :]),
        (ours, sent[:-1]),
        (ours, ""),
        (ours, "é."),
    ):
        with pytest.raises(BadRequest):
            paging.verify_cursor(vault, cursor)


@given(st.text(max_size=80))
def test_an_arbitrary_cursor_is_decoded_or_refused(cursor: str) -> None:
    try:
        before = Paging(cursor=cursor).before
    except BadRequest:
        return
    assert before.isprintable()


PROXIES = (ipaddress.ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "expected"),
    [
        ("1.2.3.4", "9.9.9.9", (), "1.2.3.4"),
        ("1.2.3.4", "9.9.9.9", PROXIES, "1.2.3.4"),
        ("10.0.0.1", "9.9.9.9", PROXIES, "9.9.9.9"),
        ("10.0.0.1", "6.6.6.6, 9.9.9.9, 10.0.0.2", PROXIES, "9.9.9.9"),
        ("10.0.0.1", "", PROXIES, "10.0.0.1"),
        ("10.0.0.1", "nonsense", PROXIES, "10.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_sets_the_client_address(
    peer: str, forwarded: str, trusted: tuple[object, ...], expected: str
) -> None:
    assert client_address(peer, forwarded, trusted) == expected  # type: ignore[arg-type]


def test_an_ipv6_network_shares_one_rate_limit_key() -> None:
    assert rate_limit_key("2001:db8::1") == rate_limit_key("2001:db8::ffff") != rate_limit_key("2001:db8:0:1::1")
    assert rate_limit_key("1.2.3.4") == "1.2.3.4"


def test_a_rate_limit_refills(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("teamspace.core.limits.time.monotonic", lambda: now[0])
    rate = Rate(60, 2)
    rate.spend("a")
    rate.spend("a")
    rate.spend("b")
    with pytest.raises(RateLimited):
        rate.spend("a")
    now[0] = 1.0
    rate.spend("a")
    with pytest.raises(RateLimited):
        rate.spend("a")


async def test_slots_are_taken_then_queued_then_refused() -> None:
    slots, free = ConcurrencyLimit("busy.waiting", 2, queue=1), asyncio.Event()

    async def hold() -> None:
        async with slots.take():
            await free.wait()

    holding = [asyncio.create_task(hold()) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await hold()
    free.set()
    await asyncio.gather(*holding)
    await hold()


async def test_concurrency_is_limited_per_token_and_per_company() -> None:
    limit = KeyedConcurrencyLimit("busy.waiting_by", token=2, company=3)
    with limit.take(token="a", company="c"), limit.take(token="a", company="c"):
        with pytest.raises(RateLimited, match="one token"), limit.take(token="a", company="other"):
            pass
        with limit.take(token="b", company="c"):
            with pytest.raises(RateLimited, match="one company"), limit.take(token="d", company="c"):
                pass
            with limit.take(token="e", company="other"), limit.take(token="", company=""):
                pass
    assert not limit._own._taken, "refused requests are not counted"


async def test_a_waiter_unsubscribes() -> None:
    wake = Notifier(Stopping())
    with wake.subscribe(["topic", "other"]) as news:
        assert not await wake.wait(news, 0.001)
    assert wake._topics == {}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_log_line_is_one_line_whatever_the_message(form: str) -> None:
    out = io.StringIO()
    lines = LogHandler(form, out)
    record = logging.LogRecord("x", logging.WARNING, "", 0, 'one\ntwo "three"', None, None)
    lines.emit(record)
    assert out.getvalue().count("\n") == 1
    if form == "json":
        assert msgspec.json.decode(out.getvalue())["message"] == 'one\ntwo "three"'


async def test_access_lines_are_written_in_batches() -> None:
    out = io.StringIO()
    lines = LogHandler("json", out)
    for number in range(3):
        lines.access(request=f"request-{number}", method="GET", route="/a/:id", status=200, ms=1.5, user="-")
    assert out.getvalue() == ""
    lines.flush()
    assert [msgspec.json.decode(line)["request"] for line in out.getvalue().splitlines()] == [
        f"request-{n}" for n in range(3)
    ]


def test_a_log_on_a_full_disk_raises_nothing() -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "no space left")

    lines = LogHandler("text", Full())
    lines.write("info", {"message": "nobody reads this"})
    lines.flush()
