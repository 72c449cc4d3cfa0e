"""Metrics: requests by route, their latency, and gauges about the process.

No label names a tenant, a person or an address: routes are the declared patterns, never the requested paths.
"""

import os
import socket
import time
from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Metric,
    ProcessCollector,
    disable_created_metrics,
    exposition,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from teamspace import __version__

# The extra `_created` series per counter would double the output without adding information.
disable_created_metrics()  # type: ignore[no-untyped-call]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
CONTENT_TYPE = exposition.CONTENT_TYPE_PLAIN_1_0_0
_CUMULATIVE = ("counter", "histogram")
_REQUESTS, _SECONDS = "teamspace_requests", "teamspace_request_seconds"


class Sample(msgspec.Struct, frozen=True):
    name: str
    labels: dict[str, str]
    value: float


class Family(msgspec.Struct, frozen=True):
    """One metric of one process, with all its labels."""

    name: str
    doc: str
    kind: str
    samples: list[Sample]


class RouteFigures(msgspec.Struct, frozen=True):
    """Figures for one route since the start. Quantiles are interpolated from histogram buckets, in milliseconds."""

    method: str
    route: str
    count: int
    by_status: dict[str, int]
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


class _Requests(Collector):
    """Counts requests by route and status, and their time by route: added up as numbers, rendered when scraped."""

    def __init__(self) -> None:
        self._counts = Tally[tuple[str, str, int]]()
        self._buckets: dict[tuple[str, str], list[int]] = {}
        self._seconds: dict[tuple[str, str], float] = {}

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        key = (method, route)
        self._counts[method, route, status] += 1
        buckets = self._buckets.get(key)
        if buckets is None:
            buckets = self._buckets[key] = [0] * (len(BUCKETS) + 1)
            self._seconds[key] = 0.0
        buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[key] += seconds

    def collect(self) -> Iterator[Metric]:
        counts = CounterMetricFamily(_REQUESTS, "Requests answered.", labels=("method", "route", "status"))
        for (method, route, status), count in self._counts.items():
            counts.add_metric((method, route, str(status)), count)
        yield counts
        times = HistogramMetricFamily(
            _SECONDS, "Time to answer, in seconds; of a feed until it begins.", labels=("method", "route")
        )
        edges = [*map(floatToGoString, BUCKETS), "+Inf"]
        for key, buckets in self._buckets.items():
            times.add_metric(key, list(zip(edges, accumulate(buckets), strict=True)), self._seconds[key])
        yield times


class Metrics:
    """The metrics of this process."""

    def __init__(self) -> None:
        self.process = f"{socket.gethostname()}:{os.getpid()}"
        self.started_at = time.time()
        self.reported: list[Family] | None = None
        """What other processes know of this one."""
        self._registry = CollectorRegistry()
        self._requests = _Requests()
        self._registry.register(self._requests)
        self.observe = self._requests.observe
        self._plugin_failures = Counter(
            "teamspace_plugin_failures", "Calls of a plugin that crashed or took too long.", ("plugin",),
            registry=self._registry,
        )  # fmt: skip
        ProcessCollector(registry=self._registry)
        Gauge("teamspace_info", "The running version.", ("version",), registry=self._registry).labels(__version__).set(
            1
        )

    def count_plugin_failure(self, plugin: str) -> None:
        self._plugin_failures.labels(plugin).inc()

    def add_gauge(self, name: str, doc: str, read: Callable[[], float]) -> None:
        """Add a gauge whose value `read` returns at every scrape."""
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
    """Return the values without labels by name: the gauges, and those of the process."""
    return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}


def add_counts(total: list[Family], more: list[Family], *, times: int = 1) -> list[Family]:
    """Return the sums of what only ever grows. Gauges are of a process, and end with it."""
    sums: dict[str, tuple[Family, dict[tuple[str, frozenset[tuple[str, str]]], float]]] = {}
    for families, factor in ((total, 1), (more, times)):
        for family in families:
            if family.kind not in _CUMULATIVE:
                continue
            values = sums.setdefault(family.name, (family, {}))[1]
            for sample in family.samples:
                series = (sample.name, frozenset(sample.labels.items()))
                values[series] = values.get(series, 0.0) + factor * sample.value
    return [
        Family(
            name, first.doc, first.kind, [Sample(each, dict(labels), value) for (each, labels), value in values.items()]
        )
        for name, (first, values) in sums.items()
    ]


# Prometheus text format


def render(by_process: Mapping[str, list[Family]], *, labelled: bool) -> bytes:
    """Render all metrics in Prometheus' text format; `labelled` adds the process to every series."""
    return exposition.generate_latest(_MergedCollector(by_process, labelled))


class _MergedCollector:
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


class _RouteTotals(msgspec.Struct):
    """The sums of one route over all processes."""

    buckets: dict[float, float] = {}
    seconds: float = 0.0
    by_status: dict[str, int] = {}


def route_figures(processes: Iterable[list[Family]]) -> list[RouteFigures]:
    """Return the figures of every requested route, busiest first."""
    totals: dict[tuple[str, str], _RouteTotals] = {}
    for sample in _samples(processes, _SECONDS):
        total = totals.setdefault((sample.labels["method"], sample.labels["route"]), _RouteTotals())
        if sample.name.endswith("_bucket"):
            edge = float(sample.labels["le"])
            total.buckets[edge] = total.buckets.get(edge, 0.0) + sample.value
        elif sample.name.endswith("_sum"):
            total.seconds += sample.value
    for sample in _samples(processes, _REQUESTS):
        total = totals.setdefault((sample.labels["method"], sample.labels["route"]), _RouteTotals())
        status = sample.labels["status"]
        total.by_status[status] = total.by_status.get(status, 0) + int(sample.value)
    figures = [_figures(method, route, total) for (method, route), total in totals.items()]
    return sorted(figures, key=lambda figure: -figure.count)


def _samples(processes: Iterable[list[Family]], name: str) -> Iterator[Sample]:
    return (sample for families in processes for family in families if family.name == name for sample in family.samples)


def _figures(method: str, route: str, total: _RouteTotals) -> RouteFigures:
    buckets = sorted(total.buckets.items())
    count = buckets[-1][1] if buckets else 0.0
    mean = total.seconds / count if count else 0.0
    p50, p95, p99 = (round(_quantile(buckets, count * share) * 1000, 2) for share in (0.5, 0.95, 0.99))
    return RouteFigures(method, route, int(count), total.by_status, round(mean * 1000, 2), p50, p95, p99)


def _quantile(buckets: list[tuple[float, float]], rank: float) -> float:
    """Interpolate the value at `rank` within its bucket; at most the last finite edge."""
    lower, below = 0.0, 0.0
    for edge, count in buckets[:-1]:
        if count >= rank:
            return lower + (edge - lower) * (rank - below) / (count - below) if count > below else edge
        lower, below = edge, count
    return lower
