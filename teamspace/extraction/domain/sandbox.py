"""The sandbox of the process that reads an untrusted file. The process enters it itself, and cannot leave it.

A seccomp filter refuses system calls for sockets, files, other programs and signals to others. Where the system
allows it, the process also gets an empty network namespace. Neither needs privileges.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from errno import EACCES

from teamspace.extraction.domain import limits

# fmt: off
_CALLS = {
    #                     x86_64 aarch64; None where there is no such call
    "socket":             (41,   198),  "socketpair":         (53,   199),  "io_uring_setup":     (425,  425),
    "execve":             (59,   221),  "execveat":           (322,  281),  "fork":               (57,   None),
    "vfork":              (58,   None), "setsid":             (112,  157),  "setpgid":            (109,  154),
    "ptrace":             (101,  117),  "process_vm_readv":   (310,  270),  "process_vm_writev":  (311,  271),
    "kill":               (62,   129),  "tkill":              (200,  130),  "pidfd_open":         (434,  434),
    "rt_sigqueueinfo":    (129,  138),  "rt_tgsigqueueinfo":  (297,  240),  "prlimit64":          (302,  261),
    "open":               (2,    None), "openat":             (257,  56),   "openat2":            (437,  437),
    "creat":              (85,   None), "open_by_handle_at":  (304,  265),  "truncate":           (76,   45),
    "unlink":             (87,   None), "unlinkat":           (263,  35),   "rmdir":              (84,   None),
    "rename":             (82,   None), "renameat":           (264,  38),   "renameat2":          (316,  276),
    "mkdir":              (83,   None), "mkdirat":            (258,  34),   "mknod":              (133,  None),
    "mknodat":            (259,  33),   "link":               (86,   None), "linkat":             (265,  37),
    "symlink":            (88,   None), "symlinkat":          (266,  36),   "chmod":              (90,   None),
    "fchmodat":           (268,  53),   "fchmodat2":          (452,  452),  "chown":              (92,   None),
    "lchown":             (94,   None), "fchownat":           (260,  54),   "utimensat":          (280,  88),
    "setxattr":           (188,  5),    "lsetxattr":          (189,  6),    "mount":              (165,  40),
    "umount2":            (166,  39),   "chroot":             (161,  51),   "pivot_root":         (155,  41),
    "unshare":            (272,  97),   "setns":              (308,  268),  "bpf":                (321,  280),
    "perf_event_open":    (298,  241),  "userfaultfd":        (323,  282),  "add_key":            (248,  217),
    "request_key":        (249,  218),  "keyctl":             (250,  219),  "msgget":             (68,   186),
    "shmget":             (29,   194),  "semget":             (64,   190),  "mq_open":            (240,  180),
}
_MACHINES = {
    #           column arch        seccomp tgkill
    "x86_64":  (0,     0xC000003E, 317,    234),
    "aarch64": (1,     0xC00000B7, 277,    131),
}
# fmt: on
_OTHER_ABI = 0x40000000
"""On x86_64, numbers from here on are the x32 ABI: the same calls with other numbers."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | EACCES
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_PARENT_DEATH_SIGNAL, _NOT_DUMPABLE, _NO_NEW_PRIVILEGES = 1, 4, 38
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000


def set_limits() -> None:
    """Limit memory and CPU time."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.MEMORY_BYTES, limits.MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.CPU_SECONDS, limits.CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # One CPU is enough: libraries start a thread per CPU, and on many CPUs their stacks would exceed the limit.
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[os.getpid() % len(processors)]})


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def unshare_network() -> bool:
    """Enter an empty network namespace; must be called before any thread starts."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK) == 0)


def install_filter() -> bool:
    """Install the system call filter for all threads. Open files stay open, but no others can be opened."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    rules = _program(*machine)
    code = ctypes.create_string_buffer(b"".join(rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code)))
    return bool(libc.syscall(machine[2], _SET_MODE_FILTER, _ALL_THREADS, program) == 0)


def _program(column: int, arch: int, seccomp: int, tgkill: int) -> list[bytes]:
    """Build the BPF program: refused calls jump to the end. Signals to this process itself are allowed."""
    refused = [number for numbers in _CALLS.values() if (number := numbers[column]) is not None]
    last = len(refused) + 9
    rules = [_rule(_LOAD, _ARCH), _rule(_EQUAL, arch, 0, last - 2), _rule(_LOAD, _NUMBER)]
    rules.append(_rule(_AT_LEAST, _OTHER_ABI, last - 4, 0))
    for number in refused:
        rules.append(_rule(_EQUAL, number, last - len(rules) - 1, 0))
    rules += [
        _rule(_EQUAL, tgkill, 1, 0),
        _rule(_RETURN, _ALLOW),
        _rule(_LOAD, _FIRST_ARGUMENT),
        _rule(_EQUAL, os.getpid(), 0, 1),
        _rule(_RETURN, _ALLOW),
        _rule(_RETURN, _REFUSE),
    ]
    return rules


def _rule(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_so, if_not, value)
