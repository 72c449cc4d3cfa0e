"""Compiles groups of system calls to a seccomp filter, and installs it."""

import ctypes
import os
import platform
import struct
from collections.abc import Iterator, Sequence
from errno import ENOSYS, EPERM

from teamspace.sandbox import kernel
from teamspace.sandbox.calls import CONDITIONS, FIRST_RECENT, MACHINES, NUMBERS, OWN_PROCESS, Condition

_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_SET_MODE_FILTER, _ALL_THREADS = 1, 1


def compile_filter(groups: Sequence[str], machine: str | None = None) -> bytes:
    """Return the program that allows only the calls of the groups.

    Others fail: recent ones as if the kernel did not have them, so that libraries fall back to older ones.
    """
    column, arch, _ = MACHINES[machine or platform.machine()]
    program = [
        _rule(_LOAD, _ARCH),
        _rule(_IF_EQUAL, arch, 1, 0),
        _rule(_RETURN, _REFUSE | ENOSYS),
        _rule(_LOAD, _NUMBER),
    ]
    for group in groups:
        for call in group.split():
            number = NUMBERS[call][column]
            if number is not None:
                program += _allow(number, CONDITIONS.get((group, call), ()))
    program += [
        _rule(_IF_AT_LEAST, FIRST_RECENT, 0, 1),
        _rule(_RETURN, _REFUSE | ENOSYS),
        _rule(_RETURN, _REFUSE | EPERM),
    ]
    return b"".join(program)


def install(program: bytes) -> None:
    """Install the filter for all threads of this process and all that it starts, for good."""
    code = ctypes.create_string_buffer(program)
    count = len(program) // len(_rule(_RETURN, 0))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", count, ctypes.addressof(code)))
    kernel.forbid_new_privileges()
    kernel.call(MACHINES[platform.machine()].seccomp, _SET_MODE_FILTER, _ALL_THREADS, header)


def _allow(number: int, conditions: Sequence[Condition]) -> list[bytes]:
    """Return the part of the program that allows one call, and passes on all others with their number loaded."""
    checks = [rule for condition in conditions for rule in _check(condition)]
    if not checks:
        return [_rule(_IF_EQUAL, number, 0, 1), _rule(_RETURN, _ALLOW)]
    body = [*_resolve(checks), _rule(_RETURN, _ALLOW), _rule(_LOAD, _NUMBER)]
    return [_rule(_IF_EQUAL, number, 0, len(body)), *body]


_Check = tuple[int, int, int | None]
"""Code, value, and for a comparison how many rules to skip if it holds; the last one of a condition skips none."""


def _check(condition: Condition) -> Iterator[_Check]:
    yield _LOAD, _FIRST_ARGUMENT + 8 * condition.argument + 4 * condition.high, None
    yield _AND, condition.mask, None
    for left, value in zip(reversed(range(len(condition.values))), condition.values, strict=True):
        yield _IF_EQUAL, os.getpid() if value == OWN_PROCESS else value, left


def _resolve(checks: Sequence[_Check]) -> Iterator[bytes]:
    """Return the rules; the last comparison of a condition, if it does not hold, leads behind the permission."""
    for position, (code, value, skip) in enumerate(checks):
        is_last = code == _IF_EQUAL and skip == 0
        yield _rule(code, value, skip or 0, len(checks) - position if is_last else 0)


def _rule(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_so, if_not, value)
