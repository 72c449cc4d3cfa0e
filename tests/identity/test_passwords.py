"""Passwords: how they are stored, and which are accepted."""

import importlib.util
import time
from typing import Any

import httpx2
import pytest
from argon2 import Type, extract_parameters

from teamspace.identity.domain import passwords
from tests.identity.help import OTHER_PASSWORD, is_alive, login, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

LONG = "correct horse battery staple lantern orbit "


async def change(caller: Caller, new: str, current: str = PASSWORD) -> httpx2.Response:
    return await caller.post("/api/password", {"current_password": current, "new_password": new})


async def stored_password(world: World, caller: Caller) -> str | None:
    return await world.db.one(str, "SELECT password FROM users WHERE id = :id", id=caller.user_id)


# At rest


def test_a_hash_is_argon2id_with_64_mebibytes_and_three_passes() -> None:
    """Uses the module as shipped, since the fixtures of this suite make hashing cheap."""
    spec = importlib.util.find_spec(passwords.__name__)
    assert spec is not None and spec.loader is not None
    shipped: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shipped)
    parameters = extract_parameters(shipped.hasher.hash("any"))
    assert (parameters.type, parameters.memory_cost, parameters.time_cost) == (Type.ID, 64 * 1024, 3)
    assert parameters.salt_len >= 16


async def test_equal_passwords_have_different_hashes(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, password=PASSWORD)
    hashes = {await stored_password(world, person) for person in (ann, bob)}
    assert len(hashes) == 2
    assert all((stored or "").startswith("$argon2id$") for stored in hashes)


# Accepted passwords


async def test_a_good_password_is_accepted_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    current = PASSWORD
    for new in (
        "a7Kq!pZ2vLm4",
        LONG + "x" * (1024 - len(LONG)),
        "correct horse battery " + "é" * 501,
        "пароль из нескольких слов",
        "  correct horse battery  ",
    ):
        assert (await change(ann, new, current)).status_code == 204, new
        assert (await login(world, "ann", new[:-1])).status_code == 401
        assert (await login(world, "ann", new)).status_code == 200
        current = new


async def test_a_password_of_the_wrong_size_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    for new in (
        "",
        "a7Kq!pZ2vLm",
        LONG + "x" * (1025 - len(LONG)),
        "correct horse battery " + "é" * 502,
        "correct\0horse battery",
    ):
        assert refusal(await change(ann, new)) == (400, "invalid_request"), new
    assert (await login(world, "ann")).status_code == 200


async def test_a_common_password_is_refused(world: World) -> None:
    annabel = await world.bootstrap("annabel")
    for new in (
        "password1234",
        "123456789012",
        "qwertyuiop12",
        "iloveyou1234",
        "letmeinplease",
        "Password123!",
        "aaaaaaaaaaaaaaaa",
        "teamspace1234",
        "annabel12345",
    ):
        answer = await change(annabel, new)
        assert refusal(answer) == (400, "invalid_request"), new
        assert answer.json()["errors"][0]["pointer"] == "/new_password"


async def test_every_way_to_set_a_password_refuses_a_weak_one(world: World) -> None:
    first = await world.anonymous.post("/api/bootstrap", {"username": "ann", "password": "password1234"})
    ann = await world.bootstrap()
    member = await ann.post("/api/members", {"username": "bob", "role": "member", "password": "password1234"})
    for answer in (first, member):
        assert refusal(answer) == (400, "invalid_request")
        assert answer.json()["errors"][0]["pointer"] == "/password"


# Changing


async def test_changing_the_password_needs_the_current_one(world: World) -> None:
    ann = await world.bootstrap()
    other = await signed_in(world, "ann")
    before = await stored_password(world, ann)
    for current in ("", "a wrong password"):
        assert refusal(await change(ann, OTHER_PASSWORD, current)) == (401, "invalid_credentials")
    assert await stored_password(world, ann) == before
    assert await is_alive(other)


async def test_a_person_without_a_password_can_set_one(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob")
    assert (await login(world, "bob", "")).status_code == 401
    assert (await bob.post("/api/password", {"new_password": OTHER_PASSWORD})).status_code == 204
    assert (await login(world, "bob", OTHER_PASSWORD)).status_code == 200
    assert refusal(await change(bob, PASSWORD, "")) == (401, "invalid_credentials")


async def test_a_long_password_is_compared_in_full(world: World) -> None:
    ann = await world.bootstrap()
    await change(ann, LONG + "x" * 200 + "y")
    assert (await login(world, "ann", LONG + "x" * 200 + "z")).status_code == 401


async def test_an_unreadable_hash_matches_nothing() -> None:
    for stored in ("", "plain text", "$argon2id$v=19$broken"):
        assert not await passwords.matches(stored, "plain text")


# Cost of the strength check


@pytest.mark.parametrize(
    "password",
    [
        "4@8({[<3691!|70$5+7%2" * 4,
        "4836917052|$+" * 6,
        "".join(f"{sign}{letter}" for sign, letter in zip("4@8({[<3691!|70$5+%2" * 2, "abcdefgh" * 5, strict=True)),
        "p@$$w0rd1!" * 8,
        "1999" * 18,
        "a" * 1024,
    ],
    ids=lambda password: password[:12],
)
def test_checking_the_strength_of_a_password_is_cheap(password: str) -> None:
    """72 symbols that could each stand for a letter once took ten seconds."""
    passwords._guesses("loads its words", ())
    began = time.thread_time()
    passwords._guesses(password, ("ann", "Ann"))
    assert time.thread_time() - began < 0.5


def test_symbols_for_letters_do_not_hide_words() -> None:
    for password in ("p@$$w0rd1234", "123456789012", "passwordpassword", "qwertyuiop[]"):
        assert passwords._guesses(password, ()) < 1_000_000, password
