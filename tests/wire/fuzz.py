"""Fuzzes the HTTP server: mutated rows of the corpus, in random pieces, on a transport without a socket.

`python -m tests.wire.fuzz --seconds 3600` runs for an hour; the test suite runs it for a moment. Whatever the bytes:

- no exception leaves the protocol, and no task is left behind;
- the answers do not depend on how the bytes were cut;
- what is kept of a request stays within the limits;
- an application never sees a request that another reading of the bytes could place elsewhere: its body has the declared
  length, and a connection that refused something reads no more.
"""

import argparse
import random
import time
from itertools import pairwise

import uvloop

from tests.wire.corpus import ROWS
from tests.wire.offline import Outcome, play

SEEDS = [row.sent for name, row in ROWS.items() if not name.startswith(("byte ", "too large"))]
TOKENS = [
    b"\r\n", b"\n", b"\r", b"\r\n\r\n", b" ", b"\t", b":", b"0\r\n\r\n", b"chunked", b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 3\r\n", b"Content-Length: 0\r\n", b"Host: a\r\n", b"Connection: close\r\n", b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\nConnection: upgrade\r\n", b"HTTP/1.1", b"HTTP/1.0", b"GET / ", b"POST / ", b"HEAD / ", b"\0", b"\xff",
    b"ffffffffffffffff", b"1\r\na\r\n", b";x=y", b"X: " + b"y" * 300 + b"\r\n",
]  # fmt: skip


def mutate(random: random.Random) -> bytes:
    data = bytearray(b"".join(random.choice(SEEDS) for _ in range(random.randint(1, 3))))
    for _ in range(random.randint(0, 6)):
        place = random.randint(0, len(data))
        match random.randint(0, 4):
            case 0:
                data[place:place] = random.choice(TOKENS)
            case 1:
                del data[place : place + random.randint(1, 20)]
            case 2 if place < len(data):
                data[place] = random.randint(0, 255)
            case 3:
                data[place:place] = data[place : place + random.randint(1, 60)]
            case _:
                data[place:place] = random.choice(SEEDS)
    return bytes(data)


def cut(random: random.Random, data: bytes) -> list[bytes]:
    edges = sorted({0, len(data), *(random.randint(0, len(data)) for _ in range(random.randint(0, 12)))})
    return [data[start:end] for start, end in pairwise(edges)]


async def run(seed: int, *, seconds: float, cases: int) -> int:
    """Fuzz until the time or the number of cases is reached; return how many there were."""
    chance, end = random.Random(seed), time.monotonic() + seconds
    for number in range(cases):
        if time.monotonic() > end:
            return number
        data = mutate(chance)
        whole = await play([data])
        for pieces in (cut(chance, data), [data[place : place + 1] for place in range(len(data))]):
            try:
                again = await play(pieces)
            except Exception as fault:
                raise AssertionError(f"seed {seed}, case {number}: {fault!r} for {data!r} in {pieces!r}") from fault
            assert _agree(whole, again), f"seed {seed}, case {number}: {data!r} in {pieces!r} is {again}, not {whole}"
    return cases


def _agree(one: Outcome, other: Outcome) -> bool:
    """Whether both are readings of the same bytes: one may have stopped before the other, at a limit of pipelining."""
    return all(ours == theirs for ours, theirs in zip(one.seen, other.seen, strict=False))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzz the HTTP server.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    print(f"{uvloop.run(run(options.seed, seconds=options.seconds, cases=10**12)):,} cases, no violation")


if __name__ == "__main__":
    main()
