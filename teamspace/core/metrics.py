"""What the server counts about its own work: requests by route, how long they took, and how it is doing.

Nothing here names a tenant, a person or an address: the routes are the declared ones, never what was asked.
"""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    ProcessCollector,
    disable_created_metrics,
    exposition,
)

from teamspace import __version__

# A second series beside each counter, saying when it began, doubles the text and tells nothing new here.
disable_created_metrics()  # type: ignore[no-untyped-call]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
CONTENT_TYPE = exposition.CONTENT_TYPE_PLAIN_1_0_0
_REQUESTS, _SECONDS = "teamspace_requests", "teamspace_request_seconds"


class Sample(msgspec.Struct, frozen=True):
    name: str
    labels: dict[str, str]
    value: float


class Family(msgspec.Struct, frozen=True):
    """One figure with all its labels, as one process had it."""

    name: str
    doc: str
    kind: str
    samples: list[Sample]


class RouteFigures(msgspec.Struct, frozen=True):
    """One route since the start. The quantiles are read off the histogram's steps, in milliseconds."""

    method: str
    route: str
    count: int
    by_status: dict[str, int]
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


class Metrics:
    """The figures of this process."""

    def __init__(self) -> None:
        self.process = f"{socket.gethostname()}:{os.getpid()}"
        self.started_at = time.time()
        self._registry = CollectorRegistry()
        self._requests = Counter(
            _REQUESTS, "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            _SECONDS, "How long answers took.", ("method", "route"), buckets=BUCKETS, registry=self._registry
        )
        # Looking a labelled child up costs more than counting: each is looked up once.
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[tuple[str, str], Histogram] = {}
        ProcessCollector(registry=self._registry)
        Gauge("teamspace_info", "The running version.", ("version",), registry=self._registry).labels(__version__).set(
            1
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        count = self._counts.get((method, route, status))
        if count is None:
            count = self._counts[method, route, status] = self._requests.labels(method, route, str(status))
        taken = self._times.get((method, route))
        if taken is None:
            taken = self._times[method, route] = self._seconds.labels(method, route)
        count.inc()
        taken.observe(seconds)

    def watch(self, name: str, doc: str, read: Callable[[], float]) -> None:
        """A figure that is read whenever somebody asks."""
        Gauge(f"teamspace_{name}", doc, registry=self._registry).set_function(read)

    def families(self) -> list[Family]:
        return [
            Family(
                each.name, each.documentation, each.type,
                [Sample(sample.name, sample.labels, sample.value) for sample in each.samples],
            )
            for each in self._registry.collect()
        ]  # fmt: skip


def readings(families: Iterable[Family]) -> dict[str, float]:
    """The figures without labels, by name: what is watched, and the process itself."""
    return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}


# As Prometheus reads it


def text(by_process: Mapping[str, list[Family]], *, labelled: bool) -> bytes:
    """All of it in Prometheus' text format; where there may be several processes, each series says whose it is."""
    return exposition.generate_latest(_Together(by_process, labelled))


class _Together:
    def __init__(self, by_process: Mapping[str, list[Family]], labelled: bool) -> None:
        self._by_process, self._labelled = by_process, labelled

    def collect(self) -> Iterator[Metric]:
        metrics: dict[str, Metric] = {}
        for process, families in self._by_process.items():
            for family in families:
                metric = metrics.setdefault(family.name, Metric(family.name, family.doc, family.kind))
                for sample in family.samples:
                    labels = {**sample.labels, "process": process} if self._labelled else sample.labels
                    metric.add_sample(sample.name, labels, sample.value)
        yield from metrics.values()


# By route


class _Seen(msgspec.Struct):
    """What several processes counted of one route, taken together."""

    buckets: dict[float, float] = {}
    seconds: float = 0.0
    by_status: dict[str, int] = {}


def routes(processes: Iterable[list[Family]]) -> list[RouteFigures]:
    """Every route that was asked, the busiest first."""
    seen: dict[tuple[str, str], _Seen] = {}
    for sample in _samples(processes, _SECONDS):
        one = seen.setdefault((sample.labels["method"], sample.labels["route"]), _Seen())
        if sample.name.endswith("_bucket"):
            edge = float(sample.labels["le"])
            one.buckets[edge] = one.buckets.get(edge, 0.0) + sample.value
        elif sample.name.endswith("_sum"):
            one.seconds += sample.value
    for sample in _samples(processes, _REQUESTS):
        one = seen.setdefault((sample.labels["method"], sample.labels["route"]), _Seen())
        status = sample.labels["status"]
        one.by_status[status] = one.by_status.get(status, 0) + int(sample.value)
    figures = [_figures(method, route, one) for (method, route), one in seen.items()]
    return sorted(figures, key=lambda each: -each.count)


def _samples(processes: Iterable[list[Family]], name: str) -> Iterator[Sample]:
    return (sample for families in processes for family in families if family.name == name for sample in family.samples)


def _figures(method: str, route: str, seen: _Seen) -> RouteFigures:
    buckets = sorted(seen.buckets.items())
    count = buckets[-1][1] if buckets else 0.0
    mean = seen.seconds / count if count else 0.0
    p50, p95, p99 = (round(_quantile(buckets, count * share) * 1000, 2) for share in (0.5, 0.95, 0.99))
    return RouteFigures(method, route, int(count), seen.by_status, round(mean * 1000, 2), p50, p95, p99)


def _quantile(buckets: list[tuple[float, float]], wanted: float) -> float:
    """Where the wanted one falls, between the edges of its step; at most the last finite edge."""
    lower, below = 0.0, 0.0
    for edge, count in buckets[:-1]:
        if count >= wanted:
            return lower + (edge - lower) * (wanted - below) / (count - below) if count > below else edge
        lower, below = edge, count
    return lower
