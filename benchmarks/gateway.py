"""Measure what a gateway adds to a chat: Teamspace beside Portkey and LiteLLM, in front of one model server.

The model server answers at once, so the rest is the gateway's. Gateways take turns, round by round, and each answers the
same number of chats. Run from the top of the repository as `python -m benchmarks.gateway`; README.md explains the options and the report.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product, repeat
from pathlib import Path
from statistics import median, stdev
from typing import Any

from benchmarks import report
from benchmarks.gateways import Bare, Forwarder, Gateway, LiteLlm, Portkey, Teamspace
from benchmarks.load import Load, Result, run
from tests.support.postgres import Postgres

RESULTS = Path(__file__).parent / "results"
PEERS = ("portkey", "litellm")
Runs = dict[str, dict[str, list[Result]]]
"""Rounds by operation and by the name of a request."""


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    chats: int
    """Whole chats of a round; streams, which take a tenth of a second each, are a quarter of that."""

    def count(self, *, stream: bool, connections: int) -> int:
        """Return the chats of a round, fewer if they are sent one at a time."""
        return self.chats // (4 if stream else 1) // (1 if connections > 1 else 4)


FULL = Effort(rounds=12, chats=800)
SHORT = Effort(rounds=5, chats=320)
CONNECTIONS = (1, 8)
WARM_CHATS = 200
"""Before the first round, since compilers and caches need a hundred or two."""
LIMIT = 300.0
"""Seconds for the chats of a round."""
SETTLE = 1.5
"""Seconds after the chats of a round: what a server leaves for later, such as sealing audit rows, is part of their cost."""
IDLE = 5.0
"""Seconds for measuring what a server uses without chats, which is not."""


def measure(gateway: Gateway, asked: bytes, chats: int, connections: int, idle: float) -> Result:
    """Have chats answered; `idle` is the CPU time that the server uses in a second without any."""
    before = gateway.server.cpu_seconds()
    seen = run(Load(gateway.server.port, islice(repeat(asked), chats), connections, LIMIT, warmup=0))
    if seen.errors or seen.requests < chats:
        raise RuntimeError(
            f"{gateway.name}: {seen.requests} of {chats} chats, {seen.errors} errors: {seen.first_error}"
        )
    time.sleep(SETTLE)
    return replace(seen, server_cpu=gateway.server.cpu_seconds() - before - idle * SETTLE)


def measure_idle(gateways: Sequence[Gateway]) -> dict[str, float]:
    """Return the CPU time that each server uses in a second without chats."""
    before = [gateway.server.cpu_seconds() for gateway in gateways]
    time.sleep(IDLE)
    return {
        gateway.name: (gateway.server.cpu_seconds() - used) / IDLE
        for gateway, used in zip(gateways, before, strict=True)
    }


def warm_up(gateways: Sequence[Gateway]) -> None:
    for gateway, stream in product(gateways, (False, True)):
        for asked in gateway.chats(stream=stream).values():
            measure(gateway, asked, WARM_CHATS, max(CONNECTIONS), 0)


def take_turns(gateways: Sequence[Gateway], effort: Effort, idle: dict[str, float]) -> Runs:
    runs: Runs = {}
    for _, stream, connections in product(range(effort.rounds), (False, True), CONNECTIONS):
        operation = f"{'stream' if stream else 'whole'}, {connections} at a time"
        chats = effort.count(stream=stream, connections=connections)
        for gateway in gateways:
            for name, asked in gateway.chats(stream=stream).items():
                seen = measure(gateway, asked, chats, connections, idle[gateway.name])
                runs.setdefault(operation, {}).setdefault(name, []).append(seen)
                print(
                    f"{operation:22}{name:30}{seen.p50:8.2f} ms{seen.cpu_per_request:10,.0f} us CPU", flush=True
                )  # fmt: skip
    return runs


def added(rounds: Sequence[Result], bare: Sequence[Result]) -> dict[str, Any]:
    """What a gateway adds to the latency of the model server, each round compared with the server's own."""
    pairs = list(zip(rounds, bare, strict=True))
    return {
        "added_p50_ms": round(added_p50(rounds, bare), 3),
        "added_p99_ms": round(median(seen.p99 - least.p99 for seen, least in pairs), 3),
        "cpu_us_rounds": [round(seen.cpu_per_request) for seen in rounds],
    }


def summary(runs: Runs) -> dict[str, Any]:
    operations = {
        operation: {name: report.medians(rounds) | added(rounds, names["bare"]) for name, rounds in names.items()}
        for operation, names in runs.items()
    }
    return {"operations": operations, "ratios": {name: ratios(seen) for name, seen in runs.items()}}


def ratios(servers: dict[str, list[Result]]) -> dict[str, dict[str, float]]:
    """Latency that is added, and CPU: each request to Teamspace over each peer."""
    subjects = [name for name in servers if name.startswith("teamspace")]
    return {
        f"{subject}/{peer}": compare_rounds(servers[subject], servers[peer], servers["bare"])
        for subject, peer in product(subjects, PEERS)
        if peer in servers
    }


def compare_rounds(ours: Sequence[Result], theirs: Sequence[Result], bare: Sequence[Result]) -> dict[str, float]:
    """Compare each round with the same round of the peer, since what else the machine does changes from one to the next."""
    cpu = [one.cpu_per_request / other.cpu_per_request for one, other in zip(ours, theirs, strict=True)]
    added = added_p50(ours, bare) / added_p50(theirs, bare)
    noise = stdev(cpu) / len(cpu) ** 0.5 if len(cpu) > 1 else 0.0
    return {"added_p50": round(added, 2), "cpu": round(median(cpu), 2), "cpu_noise": round(noise, 2)}


def added_p50(rounds: Sequence[Result], bare: Sequence[Result]) -> float:
    return median(seen.p50 - least.p50 for seen, least in zip(rounds, bare, strict=True))


def show(seen: dict[str, Any]) -> None:
    print(f"\n{'operation':22}{'gateway':30}{'added p50 ms':>13}{'added p99 ms':>13}{'CPU us':>9}")
    for operation, names in seen["operations"].items():
        for name, one in names.items():
            print(
                f"{operation:22}{name:30}{one['added_p50_ms']:>13.2f}{one['added_p99_ms']:>13.2f}"
                f"{one['server_cpu_us']:>9,.0f}"
            )
    for operation, pairs in seen["ratios"].items():
        for pair, ratio in pairs.items():
            cpu = f"CPU {ratio['cpu']:.2f} ± {ratio['cpu_noise']:.2f}"
            print(f"{operation:22}{pair:40}added p50 {ratio['added_p50']:.2f}, {cpu}")
    for name, idle in seen["idle_cpu_us_per_second"].items():
        print(f"{'idle':22}{name:30}{idle:>9,.0f} us CPU a second")


def peers(folder: Path, upstream: int, names: Sequence[str]) -> Iterator[Gateway]:
    kinds: dict[str, Callable[[Path, int], Gateway]] = {"portkey": Portkey, "litellm": LiteLlm}
    for name in names:
        yield kinds[name](subfolder(folder, name), upstream)


def subfolder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def compare(folder: Path, options: argparse.Namespace, effort: Effort) -> dict[str, Any]:
    facts = {"machine": report.machine(), "effort": vars(effort)}
    with ExitStack() as stack:
        start = partial(started, stack)
        bare = start(Bare(subfolder(folder, "bare")))
        upstream = bare.server.port
        gateways: list[Gateway] = [
            bare,
            start(Forwarder(subfolder(folder, "forwarder"), upstream)),
            start(Teamspace(subfolder(folder, "teamspace"), upstream)),
        ]
        if options.postgres:
            url = stack.enter_context(Postgres.start(fsync=True)).create_database("gateway")
            gateways.append(start(Teamspace(subfolder(folder, "postgres"), upstream, url)))
        gateways += [start(peer) for peer in peers(folder, upstream, options.peers)]
        warm_up(gateways)
        idle = measure_idle(gateways)
        found = summary(take_turns(gateways, effort, idle))
        found["idle_cpu_us_per_second"] = {name: round(used * 1e6) for name, used in idle.items()}
    facts["machine"]["load_average_after"] = round(os.getloadavg()[0], 2)
    return facts | found


def started(stack: ExitStack, gateway: Gateway) -> Gateway:
    stack.callback(gateway.server.stop)
    gateway.prepare()
    return gateway


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer chats: some minutes")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--chats", type=int, help="whole chats of each round; a quarter of that are streamed")
    parser.add_argument("--postgres", action="store_true", help="adds Teamspace on a private PostgreSQL")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    default = SHORT if options.short else FULL
    effort = Effort(options.rounds or default.rounds, options.chats or default.chats)
    # A short run must not replace the results of a full one.
    output = options.output or RESULTS / ("gateway-short.json" if options.short else "gateway.json")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        seen = compare(Path(folder), options, effort)
    show(seen)
    report.save(seen, output)


if __name__ == "__main__":
    main()
