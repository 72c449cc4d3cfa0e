"""Requests to the kernel that Python has no function for. All raise OSError if they fail."""

import ctypes
import os
import signal
from typing import Any

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
NO_SUID, NO_DEVICES, BIND, RECURSIVE = 2, 4, 4096, 16384
_PARENT_DEATH_SIGNAL, _DUMPABLE, _DROP_FROM_BOUNDING_SET, _NO_NEW_PRIVILEGES = 1, 4, 24, 38
_CAPABILITY_VERSION = 0x20080522
_SET_MOUNT_ATTRIBUTES = 442
_HERE, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY, _IGNORE_SUID = 1, 2
_LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: Any) -> int:
    """Make a system call."""
    return _checked(_libc.syscall(number, *arguments))


def prctl(option: int, *arguments: int) -> None:
    _checked(_libc.prctl(option, *map(ctypes.c_ulong, (*arguments, 0, 0, 0, 0)[:4])))


def unshare(namespaces: int) -> None:
    _checked(_libc.unshare(namespaces))


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _checked(_libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]))


def unmount(target: str) -> None:
    _checked(_libc.umount2(os.fsencode(target), 0))


def make_read_only(path: str) -> None:
    """Make the mount of a path and all below it read-only, without set-user-id programs."""
    _set_mount_attributes(path, _AT_RECURSIVE, added=_READ_ONLY | _IGNORE_SUID)


def make_writable(path: str) -> None:
    _set_mount_attributes(path, 0, removed=_READ_ONLY)


def _set_mount_attributes(path: str, flags: int, *, added: int = 0, removed: int = 0) -> None:
    attributes = (ctypes.c_uint64 * 4)(added, removed, 0, 0)
    call(_SET_MOUNT_ATTRIBUTES, _HERE, os.fsencode(path), flags, attributes, ctypes.c_size_t(32))


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies."""
    prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def hide_memory() -> None:
    """Let no other process of this user look into this one, and write no core files."""
    prctl(_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    prctl(_NO_NEW_PRIVILEGES, 1)


def drop_capabilities() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(_DROP_FROM_BOUNDING_SET, capability)
        except OSError:  # the kernel has fewer
            break
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, none))


def _checked(result: int) -> int:
    if result == -1:
        fault = ctypes.get_errno()
        raise OSError(fault, os.strerror(fault))
    return result
