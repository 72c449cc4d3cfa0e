"""Landlock: which files this process and all that it starts can open, for good."""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from teamspace.sandbox import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_LAST_RIGHT_BY_VERSION = {1: 12, 2: 13, 3: 14, 4: 14}
_LAST_RIGHT = 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE
_READABLE = _EXECUTE | _READ | _LIST
_DEVICES_AND_SOCKETS = 1 << 6 | 1 << 9 | 1 << 11
"""Making them, which nobody may."""
_SINCE_NETWORK, _SINCE_SCOPES = 4, 6
_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS = 0b11, 0b11


def version() -> int:
    """Return the version of Landlock that the kernel has; raise OSError if it has none."""
    return kernel.call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)


def restrict(readable: Iterable[Path], writable: Iterable[Path], *, network: bool) -> None:
    """Allow to open nothing but what is in the given folders and files. Those that are missing are left out."""
    known = version()
    every_right = (2 << _LAST_RIGHT_BY_VERSION.get(known, _LAST_RIGHT)) - 1
    tcp = _TCP if known >= _SINCE_NETWORK and not network else 0
    scopes = _ABSTRACT_SOCKETS_AND_SIGNALS if known >= _SINCE_SCOPES else 0
    size = 8 if known < _SINCE_NETWORK else 16 if known < _SINCE_SCOPES else 24
    rules = kernel.call(_CREATE_RULESET, struct.pack("QQQ", every_right, tcp, scopes), ctypes.c_size_t(size), 0)
    try:
        for path in readable:
            _allow(rules, path, _READABLE)
        for path in writable:
            _allow(rules, path, every_right & ~_DEVICES_AND_SOCKETS)
        kernel.forbid_new_privileges()
        kernel.call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        kernel.call(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)
