"""Topics sent between the server processes on one SQLite file: a datagram socket per process, in a folder beside it.

A lost topic only costs time: nobody waits for one for long.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

_MAX_DATAGRAM = 32 * 1024
_SEPARATOR = "\n"


class Wakeups:
    def __init__(self, database: Path) -> None:
        self._folder = database.with_name(f"{database.name}-wakeups")
        self._name = f"{os.getpid()}.sock"

    async def notify(self, topics: Collection[str]) -> None:
        """Send the topics to the other processes that listen."""
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender,
            self._opened() as folder,
        ):
            others = [name for name in os.listdir(self._folder) if name != self._name]
            for datagram in _datagrams(topics):
                for name in others:
                    with contextlib.suppress(BlockingIOError):  # it does not keep up, and will see the rows anyway
                        self._send(sender, folder, name, datagram)

    def _send(self, sender: socket.socket, folder: Path, name: str, datagram: bytes) -> None:
        try:
            sender.sendto(datagram, str(folder / name))
        except (ConnectionRefusedError, FileNotFoundError):
            (self._folder / name).unlink(missing_ok=True)  # its process has died

    @asynccontextmanager
    async def listen(self, on_topic: Callable[[str], None]) -> AsyncIterator[None]:
        """Inside the block, call `on_topic` with every topic that another process sends."""
        loop = asyncio.get_running_loop()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        own = self._folder / self._name
        own.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as receiver:
            with self._opened() as folder:
                receiver.bind(str(folder / self._name))
            loop.add_reader(receiver, _receive, receiver, on_topic)
            try:
                yield
            finally:
                loop.remove_reader(receiver)
                own.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[Path]:
        """A short path to the folder: the address of a socket has at most 107 bytes."""
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield Path(f"/proc/self/fd/{descriptor}") if os.path.isdir("/proc/self/fd") else self._folder
        finally:
            os.close(descriptor)


def _receive(receiver: socket.socket, on_topic: Callable[[str], None]) -> None:
    with contextlib.suppress(BlockingIOError):
        while True:
            for topic in receiver.recv(_MAX_DATAGRAM).decode().split(_SEPARATOR):
                on_topic(topic)


def _datagrams(topics: Collection[str]) -> Iterator[bytes]:
    gathered: list[str] = []
    size = 0
    for topic in topics:
        length = len(topic.encode()) + 1
        if gathered and size + length > _MAX_DATAGRAM:
            yield _SEPARATOR.join(gathered).encode()
            gathered, size = [], 0
        gathered.append(topic)
        size += length
    if gathered:
        yield _SEPARATOR.join(gathered).encode()
