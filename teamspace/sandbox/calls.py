"""The system calls that a sandboxed process may use: an allowlist, in groups.

Calls that reach anything but the process itself are in groups of their own. What `FILES` can open is for the mounts and
for Landlock to decide; `PROCESSES` needs a PID namespace.
"""

from typing import NamedTuple

BASE = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3 fcntl
    ioctl fstat newfstatat pipe pipe2 eventfd eventfd2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl
    epoll_wait epoll_pwait epoll_pwait2 signalfd4
    mmap munmap mremap mprotect madvise msync mincore mlock mlock2 munlock brk membarrier pkey_alloc pkey_free
    pkey_mprotect
    clone exit exit_group futex futex_waitv set_robust_list get_robust_list set_tid_address rseq arch_prctl prctl
    sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval getcpu getpriority
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack pause tgkill
    restart_syscall
    nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times alarm getitimer setitimer timer_create
    timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime
    getpid getppid gettid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups capget
    uname sysinfo getrlimit prlimit64 getrusage getrandom
"""
"""Memory, threads, time and files that are open already."""
FILES = """
    open openat creat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd chdir fchdir
    getdents getdents64 statfs fstatfs getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
    truncate ftruncate fallocate chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat umask
    fsync fdatasync sync_file_range flock fadvise64 readahead sendfile copy_file_range splice
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
"""
"""Files by name."""
PROCESSES = """
    clone fork vfork execve execveat wait4 waitid kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo setsid setpgid
    pidfd_open pidfd_send_signal
    socketpair sendmsg recvmsg sendmmsg recvmmsg sendto recvfrom shutdown getsockopt setsockopt getsockname getpeername
"""
"""Other processes, and connections to them that are there from the start."""
NETWORK = "socket connect bind listen accept accept4"
"""Sockets of the Internet protocols."""


class Condition(NamedTuple):
    """A word of an argument must, under a mask, have one of some values."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    high: bool = False
    """Whether it is the upper half of the argument."""


OWN_PROCESS = -1
"""A value that stands for the id of the process that installs the filter."""
_THREAD, _NAMESPACES = 0x10100, 0x7E020000
_STREAM, _SEQUENCED_PACKETS, _SOCKET_TYPE = 1, 5, 0xF
_INTERNET, _INTERNET_6, _NETLINK = 2, 10, 16
_EMPTY_PATH = 0x1000

CONDITIONS: dict[tuple[str, str], tuple[Condition, ...]] = {
    (BASE, "clone"): (Condition(0, (_THREAD,), _THREAD | _NAMESPACES),),
    (PROCESSES, "clone"): (Condition(0, (0,), _NAMESPACES),),
    (BASE, "tgkill"): (Condition(0, (OWN_PROCESS,)),),
    # Reading a limit, not setting one.
    (BASE, "prlimit64"): (Condition(2, (0,)), Condition(2, (0,), high=True)),
    (BASE, "newfstatat"): (Condition(3, (_EMPTY_PATH,), _EMPTY_PATH),),
    # Names, dumpable, capabilities, no new privileges. Not the signal at the death of the parent, on which we rely.
    (BASE, "prctl"): (Condition(0, (3, 15, 16, 21, 23, 38, 39, 0x53564D41)),),
    # Terminals: what is it, how large. Any descriptor: close on exec, non-blocking, how much can be read.
    (BASE, "ioctl"): (Condition(1, (0x5401, 0x802C542A, 0x5413, 0x540F, 0x541B, 0x5421, 0x5450, 0x5451)),),
    # With a socket for datagrams one could write to every socket in the file system, which Landlock does not notice.
    (PROCESSES, "socketpair"): (Condition(1, (_STREAM, _SEQUENCED_PACKETS), _SOCKET_TYPE),),
    (NETWORK, "socket"): (Condition(0, (_INTERNET, _INTERNET_6, _NETLINK)),),
}
"""Which arguments a call of a group may have; any, if it is not listed."""


class Machine(NamedTuple):
    column: int
    """In the table of numbers."""
    arch: int
    """As the kernel names it to filters."""
    seccomp: int
    """The call that installs a filter."""


MACHINES = {"x86_64": Machine(0, 0xC000003E, 317), "aarch64": Machine(1, 0xC00000B7, 277)}
FIRST_RECENT = 424
"""Calls from here on came after Linux 5.0, with the same number everywhere. Libraries can do without them."""

# fmt: off
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    #                        x86_64 aarch64; None where there is no such call
    "accept":                 (43,   202),  "accept4":                (288,  242),  "access":                 (21,   None),
    "alarm":                  (37,   None), "arch_prctl":             (158,  None), "bind":                   (49,   200),
    "brk":                    (12,   214),  "capget":                 (125,  90),   "chdir":                  (80,   49),
    "chmod":                  (90,   None), "clock_getres":           (229,  114),  "clock_gettime":          (228,  113),
    "clock_nanosleep":        (230,  115),  "clone":                  (56,   220),  "close":                  (3,    57),
    "close_range":            (436,  436),  "connect":                (42,   203),  "copy_file_range":        (326,  285),
    "creat":                  (85,   None), "dup":                    (32,   23),   "dup2":                   (33,   None),
    "dup3":                   (292,  24),   "epoll_create":           (213,  None), "epoll_create1":          (291,  20),
    "epoll_ctl":              (233,  21),   "epoll_pwait":            (281,  22),   "epoll_pwait2":           (441,  441),
    "epoll_wait":             (232,  None), "eventfd":                (284,  None), "eventfd2":               (290,  19),
    "execve":                 (59,   221),  "execveat":               (322,  281),  "exit":                   (60,   93),
    "exit_group":             (231,  94),   "faccessat":              (269,  48),   "faccessat2":             (439,  439),
    "fadvise64":              (221,  223),  "fallocate":              (285,  47),   "fchdir":                 (81,   50),
    "fchmod":                 (91,   52),   "fchmodat":               (268,  53),   "fchmodat2":              (452,  452),
    "fcntl":                  (72,   25),   "fdatasync":              (75,   83),   "fgetxattr":              (193,  10),
    "flistxattr":             (196,  13),   "flock":                  (73,   32),   "fork":                   (57,   None),
    "fstat":                  (5,    80),   "fstatfs":                (138,  44),   "fsync":                  (74,   82),
    "ftruncate":              (77,   46),   "futex":                  (202,  98),   "futex_waitv":            (449,  449),
    "futimesat":              (261,  None), "get_robust_list":        (274,  100),  "getcpu":                 (309,  168),
    "getcwd":                 (79,   17),   "getdents":               (78,   None), "getdents64":             (217,  61),
    "getegid":                (108,  177),  "geteuid":                (107,  175),  "getgid":                 (104,  176),
    "getgroups":              (115,  158),  "getitimer":              (36,   102),  "getpeername":            (52,   205),
    "getpgid":                (121,  155),  "getpgrp":                (111,  None), "getpid":                 (39,   172),
    "getppid":                (110,  173),  "getpriority":            (140,  141),  "getrandom":              (318,  278),
    "getresgid":              (120,  150),  "getresuid":              (118,  148),  "getrlimit":              (97,   163),
    "getrusage":              (98,   165),  "getsid":                 (124,  156),  "getsockname":            (51,   204),
    "getsockopt":             (55,   209),  "gettid":                 (186,  178),  "gettimeofday":           (96,   169),
    "getuid":                 (102,  174),  "getxattr":               (191,  8),    "inotify_add_watch":      (254,  27),
    "inotify_init":           (253,  None), "inotify_init1":          (294,  26),   "inotify_rm_watch":       (255,  28),
    "ioctl":                  (16,   29),   "kill":                   (62,   129),  "lgetxattr":              (192,  9),
    "link":                   (86,   None), "linkat":                 (265,  37),   "listen":                 (50,   201),
    "listxattr":              (194,  11),   "llistxattr":             (195,  12),   "lseek":                  (8,    62),
    "lstat":                  (6,    None), "madvise":                (28,   233),  "membarrier":             (324,  283),
    "mincore":                (27,   232),  "mkdir":                  (83,   None), "mkdirat":                (258,  34),
    "mlock":                  (149,  228),  "mlock2":                 (325,  284),  "mmap":                   (9,    222),
    "mprotect":               (10,   226),  "mremap":                 (25,   216),  "msync":                  (26,   227),
    "munlock":                (150,  229),  "munmap":                 (11,   215),  "nanosleep":              (35,   101),
    "newfstatat":             (262,  79),   "open":                   (2,    None), "openat":                 (257,  56),
    "pause":                  (34,   None), "pidfd_open":             (434,  434),  "pidfd_send_signal":      (424,  424),
    "pipe":                   (22,   None), "pipe2":                  (293,  59),   "pkey_alloc":             (330,  289),
    "pkey_free":              (331,  290),  "pkey_mprotect":          (329,  288),  "poll":                   (7,    None),
    "ppoll":                  (271,  73),   "prctl":                  (157,  167),  "pread64":                (17,   67),
    "preadv":                 (295,  69),   "preadv2":                (327,  286),  "prlimit64":              (302,  261),
    "pselect6":               (270,  72),   "pwrite64":               (18,   68),   "pwritev":                (296,  70),
    "pwritev2":               (328,  287),  "read":                   (0,    63),   "readahead":              (187,  213),
    "readlink":               (89,   None), "readlinkat":             (267,  78),   "readv":                  (19,   65),
    "recvfrom":               (45,   207),  "recvmmsg":               (299,  243),  "recvmsg":                (47,   212),
    "rename":                 (82,   None), "renameat":               (264,  38),   "renameat2":              (316,  276),
    "restart_syscall":        (219,  128),  "rmdir":                  (84,   None), "rseq":                   (334,  293),
    "rt_sigaction":           (13,   134),  "rt_sigpending":          (127,  136),  "rt_sigprocmask":         (14,   135),
    "rt_sigqueueinfo":        (129,  138),  "rt_sigreturn":           (15,   139),  "rt_sigsuspend":          (130,  133),
    "rt_sigtimedwait":        (128,  137),  "rt_tgsigqueueinfo":      (297,  240),  "sched_get_priority_max": (146,  125),
    "sched_get_priority_min": (147,  126),  "sched_getaffinity":      (204,  123),  "sched_getparam":         (143,  121),
    "sched_getscheduler":     (145,  120),  "sched_rr_get_interval":  (148,  127),  "sched_yield":            (24,   124),
    "select":                 (23,   None), "sendfile":               (40,   71),   "sendmmsg":               (307,  269),
    "sendmsg":                (46,   211),  "sendto":                 (44,   206),  "set_robust_list":        (273,  99),
    "set_tid_address":        (218,  96),   "setitimer":              (38,   103),  "setpgid":                (109,  154),
    "setsid":                 (112,  157),  "setsockopt":             (54,   208),  "shutdown":               (48,   210),
    "sigaltstack":            (131,  132),  "signalfd4":              (289,  74),   "socket":                 (41,   198),
    "socketpair":             (53,   199),  "splice":                 (275,  76),   "stat":                   (4,    None),
    "statfs":                 (137,  43),   "statx":                  (332,  291),  "symlink":                (88,   None),
    "symlinkat":              (266,  36),   "sync_file_range":        (277,  84),   "sysinfo":                (99,   179),
    "tgkill":                 (234,  131),  "time":                   (201,  None), "timer_create":           (222,  107),
    "timer_delete":           (226,  111),  "timer_getoverrun":       (225,  109),  "timer_gettime":          (224,  108),
    "timer_settime":          (223,  110),  "timerfd_create":         (283,  85),   "timerfd_gettime":        (287,  87),
    "timerfd_settime":        (286,  86),   "times":                  (100,  153),  "tkill":                  (200,  130),
    "truncate":               (76,   45),   "umask":                  (95,   166),  "uname":                  (63,   160),
    "unlink":                 (87,   None), "unlinkat":               (263,  35),   "utime":                  (132,  None),
    "utimensat":              (280,  88),   "utimes":                 (235,  None), "vfork":                  (58,   None),
    "wait4":                  (61,   260),  "waitid":                 (247,  95),   "write":                  (1,    64),
    "writev":                 (20,   66),
}
# fmt: on
