"""The table of system calls, and the filter that is compiled from it."""

import ctypes
import re
import struct
from errno import ENOSYS, EPERM
from pathlib import Path

import pytest

from teamspace.sandbox import calls, filters
from teamspace.sandbox.calls import BASE, FILES, NETWORK, NUMBERS, PROCESSES

GROUPS = (BASE, FILES, PROCESSES, NETWORK)
HEADERS = Path("/usr/include/asm-generic/unistd.h")
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


def run(program: bytes, machine: str, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Run a filter as the kernel does, and return what it decides."""
    data = struct.pack("iIQ6Q", number, calls.MACHINES[machine].arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    rules = [struct.unpack_from("HBBI", program, offset) for offset in range(0, len(program), 8)]
    register = position = 0
    while True:
        code, if_so, if_not, value = rules[position]
        position += 1
        if code == 0x20:
            register = struct.unpack_from("I", data, value)[0]
        elif code == 0x54:
            register &= value
        elif code == 0x06:
            return int(value)
        else:
            holds = register == value if code == 0x15 else register >= value
            position += if_so if holds else if_not


@pytest.fixture(params=calls.MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def number(machine: str, call: str) -> int:
    found = NUMBERS[call][calls.MACHINES[machine].column]
    assert found is not None
    return found


def test_every_number_has_a_group_and_every_call_a_number() -> None:
    assert {call for group in GROUPS for call in group.split()} == NUMBERS.keys()


def test_no_number_is_listed_twice(machine: str) -> None:
    known = [numbers[calls.MACHINES[machine].column] for numbers in NUMBERS.values()]
    present = [each for each in known if each is not None]
    assert len(present) == len(set(present))


@pytest.mark.skipif(not HEADERS.exists(), reason="the headers of the kernel are not installed")
def test_numbers_of_aarch64_are_those_of_the_headers() -> None:
    generic = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", HEADERS.read_text()))
    renamed = {"newfstatat": "fstatat"}
    for call, (_, aarch64) in NUMBERS.items():
        name = renamed.get(call, call)
        if name in generic:  # older headers lack recent calls
            assert int(generic[name]) == aarch64, call
        else:
            assert aarch64 is None or aarch64 >= calls.FIRST_RECENT, call


def test_exactly_the_calls_of_the_groups_are_allowed(machine: str) -> None:
    program = filters.compile_filter((BASE, FILES), machine)
    column = calls.MACHINES[machine].column
    conditional = {call for _, call in calls.CONDITIONS}
    allowed = {NUMBERS[call][column] for call in f"{BASE} {FILES}".split() if call not in conditional}
    for each in range(500):
        if each not in {NUMBERS[call][column] for call in conditional}:
            expected = _ALLOW if each in allowed else _ERROR | (ENOSYS if each >= 424 else EPERM)
            assert run(program, machine, each) == expected, each


def test_a_program_of_another_architecture_gets_nothing(machine: str) -> None:
    (other,) = calls.MACHINES.keys() - {machine}
    assert run(filters.compile_filter((BASE,), machine), other, number(other, "read")) == _ERROR | ENOSYS


@pytest.mark.parametrize(
    ("groups", "call", "arguments", "allowed"),
    [
        ((BASE,), "clone", (0x3D0F00,), True),  # a thread
        ((BASE,), "clone", (17,), False),  # a process
        ((BASE, PROCESSES), "clone", (17,), True),
        ((BASE, PROCESSES), "clone", (0x10000000 | 17,), False),  # in a new user namespace
        ((BASE, PROCESSES), "clone", (0x00020000 | 17,), False),
        ((BASE,), "prlimit64", (0, 7, 0), True),
        ((BASE,), "prlimit64", (0, 7, 1 << 40), False),
        ((BASE,), "prctl", (15,), True),
        ((BASE,), "prctl", (1,), False),  # the signal at the death of the parent
        ((BASE,), "ioctl", (0, 0x5401), True),
        ((BASE,), "ioctl", (0, 0x5412), False),  # typing into a terminal
        ((BASE,), "newfstatat", (3, 0, 0, 0x1000), True),
        ((BASE,), "newfstatat", (3, 0, 0, 0), False),
        ((BASE, FILES), "newfstatat", (3, 0, 0, 0), True),
        ((BASE,), "tgkill", (1, 1, 9), False),
        ((BASE, PROCESSES), "tgkill", (1, 1, 9), True),
        ((PROCESSES,), "socketpair", (1, 0x80801), True),
        ((PROCESSES,), "socketpair", (1, 2), False),  # datagrams
        ((BASE, PROCESSES), "socket", (2, 1), False),
        ((NETWORK,), "socket", (2, 1), True),
        ((NETWORK,), "socket", (1, 1), False),  # in the file system
    ],
)
def test_arguments_decide(
    machine: str, groups: tuple[str, ...], call: str, arguments: tuple[int, ...], allowed: bool
) -> None:
    decision = run(filters.compile_filter(groups, machine), machine, number(machine, call), arguments)
    assert decision == (_ALLOW if allowed else _ERROR | EPERM)


def test_the_kernel_accepts_programs_of_this_length(machine: str) -> None:
    assert len(filters.compile_filter(GROUPS, machine)) // ctypes.sizeof(ctypes.c_uint64) <= 4096
