"""A hostile plugin tries everything, within the walls of every tier that works here. All of it is contained, the server
goes on, and operators can see it.
"""

import asyncio
import contextlib
import os
import socket
import textwrap
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from teamspace.core.principal import Call, Principal
from teamspace.oop.domain import limits
from teamspace.sandbox import Tier
from teamspace.settings import Settings
from tests.oop.help import call, copy_plugin, grant, instance_with, report, turn_on, until
from tests.support import tiers
from tests.support.world import Caller, World

pytestmark = [
    pytest.mark.skipif(not tiers.working(), reason="nothing on this system can contain a process"),
    pytest.mark.sampled(len(tiers.working()) or 1),
]


@pytest.fixture(params=tiers.working(), autouse=True)
def tier(request: pytest.FixtureRequest) -> Iterator[Tier]:
    """What contains the plugin."""
    chosen: Tier = request.param
    with tiers.only(chosen):
        yield chosen


@pytest.fixture
async def world(settings: Settings, sqlite_template: Path, tmp_path: Path, tier: Tier) -> AsyncIterator[World]:
    async with instance_with(settings, sqlite_template, copy_plugin(tmp_path, "hostile")) as world:
        yield world


@pytest.fixture
async def ann(world: World, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setattr(limits, "CALL_SECONDS", 3.0)
    ann = await world.bootstrap()
    await turn_on(ann, "hostile")
    world.app.plugin_host._keepers["hostile"]._delay = 0.1
    return ann


async def attack(caller: Caller, code: str) -> Any:
    answer = await call(caller, "hostile_attack", code=textwrap.dedent(code))
    return answer.get("result", answer.get("error"))


async def attack_and_stay_healthy(caller: Caller, code: str) -> Any:
    """Attack, and check meanwhile that the server answers."""
    attacking = asyncio.create_task(attack(caller, code))
    while not attacking.done():
        async with asyncio.timeout(2):
            assert (await caller.world.anonymous.get("/health")).status_code == 200
        await asyncio.sleep(0.05)
    return attacking.result()


async def test_files_network_environment_and_its_parent_are_out_of_reach(
    ann: Caller, settings: Settings, tmp_path: Path, tier: Tier
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        attempts = {
            f"open({str(secret)!r}).read()": "PermissionError",
            f"os.listdir({str(settings.data)!r})": "PermissionError",
            "os.listdir('/root')": "PermissionError",
            "os.listdir('/home')": "PermissionError",
            "open('/etc/passwd')": "PermissionError",
            "open('/proc/1/environ')": "PermissionError",
            f"open('/proc/{os.getpid()}/environ')": "PermissionError",
            "open('main.py', 'a')": "OSError",
            "os.chmod('main.py', 0)": "OSError",
            "open('/usr/made', 'w')": "OSError",
            f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1)": "PermissionError",
            "os.kill(os.getppid(), 9)": None,
            f"os.kill({os.getpid()}, 9)": "ProcessLookupError",
            # Bubblewrap adds PWD, which names the plugin's own folder.
            "result = sorted(set(os.environ) - {'PWD'})": [
                "HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "TMPDIR",
            ],
        }  # fmt: skip
        for code, expected in attempts.items():
            found = await attack(ann, code)
            # With bubblewrap, what is outside of the walls is not there at all, or is bubblewrap's own.
            in_bubblewrap = tier == "bubblewrap" and expected == "PermissionError"
            assert found == expected or (in_bubblewrap and "secret" not in str(found)), code
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert (await report(ann, "hostile"))["sandbox"] == tier


def count_processes(argument: str) -> int:
    """Return how many processes have an argument on their command line."""
    found = 0
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += argument.encode() in line.read_bytes().split(b"\0")
    return found


async def until_ended(argument: str) -> None:
    """Wait until most of many processes have ended. They were killed, but have the lowest priority."""
    deadline = time.monotonic() + 60
    while (left := count_processes(argument)) >= 20:
        assert time.monotonic() < deadline, f"{left} processes are left"
        await asyncio.sleep(0.1)


FATAL = {
    "fork bomb": ("while True:\n  try: os.fork()\n  except OSError: pass", "processes"),
    "memory": ("held = [bytearray(os.urandom(1 << 20)) for _ in range(4000)]", ""),
    "memory of many": (
        "import time\nfor _ in range(12):\n  if not os.fork(): held = bytearray(os.urandom(1 << 20)) * 60; time.sleep(60)\ntime.sleep(60)",
        "memory",
    ),
    "hanging": ("import time; time.sleep(1000)", "did not answer a call of attack within 3 seconds"),
    "burning": ("while True: pass", "did not answer a call of attack within 3 seconds"),
    "an endless line": ("while True: os.write(1, b'x' * 65536)", "more than 4194304 bytes"),
    "an endless line on descriptor 3": ("while True: os.write(3, b'x' * 65536)", "more than 1048576 bytes on descriptor 3"),
    "endless lines": ("while True: os.write(1, b'{}\\n' * 10000)", "did not answer"),
    "endless requests": ("while True: os.write(3, b'{\"id\":1,\"method\":\"log\"}\\n' * 100)", "did not answer"),
    "endless errors": ("while True: os.write(2, b'x' * 65536)", "did not answer"),
    "deep JSON": ("os.write(1, b'[' * 100000 + b'\\n'); import time; time.sleep(60)", "too deep"),
    "many values": ("os.write(1, b'[' + b'[],' * 1000000 + b'1]\\n'); import time; time.sleep(60)", "too many values"),
    "a false result": ("import json\nfor n in range(100): os.write(1, json.dumps({'id': n, 'result': 7}).encode() + b'\\n')", "result that is none"),
    "its end": ("os._exit(3)", "exited with 3"),
    "a signal to all": ("import contextlib\nwith contextlib.suppress(OSError): os.kill(-1, 9)\nos.killpg(0, 9); os.abort()", "exited with"),
}  # fmt: skip


@pytest.mark.by_turns
@pytest.mark.parametrize("name", FATAL)
async def test_what_harms_ends_the_plugin_alone(ann: Caller, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, reason = FATAL[name]
    if "did not answer" not in reason:
        monkeypatch.setattr(limits, "CALL_SECONDS", 30.0)
    answer = await attack_and_stay_healthy(ann, code)
    if name == "memory" and "MemoryError" in str(answer):
        return  # contained within its own process
    assert answer in (
        "The plugin hostile ended before it had answered.", "The plugin hostile did not answer within 3 seconds.",
    ), answer  # fmt: skip
    again = await until(ann, "hostile", "running", restarts=1)
    assert await attack(ann, "result = 1 + 1") == 2
    await until_ended("main.py")
    assert reason in again["last_error"]


async def test_a_plugin_that_keeps_failing_is_disabled_until_an_operator_decides(
    ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.world.app.plugin_host._keepers["hostile"]._delay = 0.01
    for restarts in range(1, limits.CRASHES):
        await attack(ann, "os._exit(3)")
        await until(ann, "hostile", "running", restarts)
    await attack(ann, "os._exit(3)")
    disabled = await until(ann, "hostile", "disabled")
    assert (disabled["tools"], disabled["restarts"], "exited with 3" in disabled["last_error"]) == ([], 4, True)
    assert (await ann.post("/api/tools/hostile_attack", {"enabled": True})).status_code == 404
    await grant(ann, "hostile", "kv")
    await until(ann, "hostile", "running")
    assert await attack(ann, "result = 2") == 2


async def test_restarts_wait_longer_each_time(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = ann.world.app.plugin_host._keepers["hostile"]
    keeper._delay, delays = 0.1, []
    for restarts in (1, 2, 3):
        delays.append(keeper._delay)
        await attack(ann, "os._exit(3)")
        await until(ann, "hostile", "running", restarts)
    assert delays == [0.1, 0.2, 0.4]


async def test_capabilities_need_a_grant_and_the_ticket_of_this_call(ann: Caller) -> None:
    refused = "Refused: No operator has granted kv."
    assert await attack(ann, "result = call.ask('kv.get', key='a')") == refused
    await grant(ann, "hostile", "kv")
    assert await attack(ann, "result = call.ask('kv.get', key='a')") is None
    assert (
        await attack(ann, "result = call.ask('search', arguments={'q': 'a'})")
        == "Refused: No operator has granted search."
    )
    undeclared = "result = call.ask('http.fetch', url='https://example.com/')"
    assert await attack(ann, undeclared) == "Refused: The manifest does not ask for http.fetch:example.com."
    no_ticket = "Refused: The ticket is not that of a running call, or was used too often."
    await attack(ann, "kept['call'] = call")
    for code in ("kept['call'].ask('kv.get', key='a')", "call._ticket = ''; call.ask('kv.get', key='a')",
                 "call._ticket = 'x' * 32; call.ask('kv.get', key='a')"):  # fmt: skip
        assert await attack(ann, code) == no_ticket
    assert await attack(ann, "for _ in range(101): call.ask('kv.get', key='a')") == no_ticket
    uses = {each["name"]: (each["granted"], each["refused"]) for each in (await report(ann, "hostile"))["capabilities"]}
    assert uses == {"kv": (True, 5), "search": (False, 1), "notes.read": (False, 0), "http.fetch": (False, 1)}


async def test_the_ticket_of_another_plugin_is_worth_nothing(
    settings: Settings, sqlite_template: Path, tmp_path: Path
) -> None:
    folders = copy_plugin(tmp_path, "hostile"), copy_plugin(tmp_path, "complete")
    async with instance_with(settings, sqlite_template, *folders) as world:
        ann = await world.bootstrap()
        for plugin in ("hostile", "complete"):
            await turn_on(ann, plugin)
            await grant(ann, plugin, "kv")
        keepers = world.app.plugin_host._keepers
        who = Principal("api", Call(), user_id=ann.user_id, team_id=ann.team.id, org_id=ann.org.id)
        with keepers["complete"].broker.tickets.issue(who, 30) as ticket:
            stolen = f"call._ticket = {ticket!r}; call.ask('kv.get', key='a')"
            assert "ticket" in await attack(ann, stolen)


async def test_a_caller_never_gets_more_than_they_may_see_themselves(world: World, ann: Caller) -> None:
    """The plugin has the grant, but each call has only the rights of its caller."""
    note = (await ann.post("/api/notes", {"title": "Secret plan", "visibility": "private"})).json()
    await grant(ann, "hostile", "notes.read", "search", "kv")
    bob = await world.person(ann.org, ann.team)
    other = await world.person(*await world.company())
    read = f"result = call.ask('notes.read', arguments={{'id': {note['id']!r}}})"
    assert (await attack(ann, read))["title"] == "Secret plan"
    assert "Refused" in await attack(bob, read)
    assert await attack(bob, "result = call.ask('search', arguments={'q': 'secret'})") == []
    narrow = await world.token(ann, scope=["chat:use"])
    assert "scope" in await attack(narrow, read)
    assert "off" in await attack(other, "result = 1")  # its team has not turned the tool on
    await attack(ann, "call.ask('kv.put', key='a', value=1)")
    assert await attack(bob, "result = call.ask('kv.get', key='a')") == 1  # of the same company


async def test_a_caller_who_goes_away_ends_the_ticket(ann: Caller) -> None:
    await grant(ann, "hostile", "kv")
    attacking = asyncio.create_task(attack(ann, "import time; kept['call'] = call; time.sleep(1)"))
    await asyncio.sleep(0.5)
    attacking.cancel()
    await asyncio.gather(attacking, return_exceptions=True)
    assert "ticket" in await attack(ann, "kept['call'].ask('kv.get', key='a')")
