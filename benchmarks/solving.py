"""How long Chromium takes to solve the challenge of a sign-up, on machines that are slower and slower.

The protocol's own slowdown, Emulation.setCPUThrottlingRate, stops the main thread of a page and no other: neither workers
nor the threads on which WebCrypto runs. So the whole renderer process is stopped whenever it has had more than its part of
the processor's time, and continued when that is made up for, some hundred times in a second. `slowdown` is how long a loop
in a worker really took, divided by the processor time that it takes.
"""

import base64
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any

import msgspec
from playwright.sync_api import Browser, Route, sync_playwright

from teamspace.core.crypto import Vault
from teamspace.onboarding.domain import challenges, page
from tests.console.browser import launch

Figures = dict[str, Any]
PLACES = {"WebCrypto": "http://localhost", "script": "http://signup.example"}
"""Browsers have WebCrypto on https pages and on localhost."""
RATES = (1, 4, 6)
_STEP, _CREDIT = 0.001, 0.01
"""Seconds: how often the processor time is read, and how much of it can be saved up by waiting."""
_VAULT = Vault(b"k" * 32)
_HTML = '<!doctype html><title>Sign up</title><script src="/beta-sdk.js"></script>'
_SIGN_UP = (
    "async () => { const began = performance.now(); await Service.beta.signup({}); return performance.now() - began; }"
)
_LOOP = """(where) => {
    const loop = () => { const began = performance.now(); let x = 1; for (let i = 0; i < 1e8; i++) x = Math.imul(x, 31) + i | 0; return performance.now() - began; };
    if (where === "page") return loop();
    const worker = new Worker(URL.createObjectURL(new Blob([`postMessage((${loop})())`])));
    return new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)));
}"""


class VisitorPage:
    """A page that signs up; its challenges come from here, so that their difficulty is known."""

    def __init__(self, browser: Browser, place: str) -> None:
        self._page = browser.new_context().new_page()
        self._page.set_default_timeout(0)
        self.difficulty, self._proofs = 1, list[str]()
        self._page.route("**/*", self._answer)
        self._page.goto(place)
        self._renderer = _find_renderer(browser)

    def _answer(self, route: Route) -> None:
        path = "/" + route.request.url.partition("://")[2].partition("/")[2]
        if path == "/beta-sdk.js":
            route.fulfill(body=page.script()[0], content_type="text/javascript")
        elif path == "/api/beta/challenge":
            made = challenges.create(_VAULT, "x", "o", self.difficulty)
            route.fulfill(body=msgspec.json.encode(made), content_type="application/json")
        elif path == "/api/beta/signup":
            self._proofs.append(msgspec.json.decode(route.request.post_data or "")["pow"])
            route.fulfill(status=202, json={"ok": True})
        else:
            route.fulfill(body=_HTML, content_type="text/html")

    def measure(self, rate: int, solves: int) -> Figures:
        """Sign up a number of times at a rate, and verify every solution."""
        self._proofs.clear()
        with slowed(self._renderer, rate):
            before = cpu_seconds(self._renderer)
            loop = self._loop()
            looped = cpu_seconds(self._renderer)
            times = sorted(float(self._page.evaluate(_SIGN_UP)) for _ in range(solves))
            spent = cpu_seconds(self._renderer) - looped
        for proof in self._proofs:
            challenges.verify(_VAULT, proof, "x", "o")
        counters = [msgspec.json.decode(base64.b64decode(proof))["solution"]["counter"] + 1 for proof in self._proofs]
        return {
            "rate": rate, "difficulty": self.difficulty, "solves": solves, "slowdown": round(loop / (looped - before), 1),
            "median_ms": round(median(times)), "p95_ms": round(times[int(len(times) * 0.95)]), "most_ms": round(times[-1]),
            "cpu_ms": round(spent / solves * 1000), "derivations": round(sum(counters) / solves),
        }  # fmt: skip

    def throttle(self, rate: int) -> Figures:
        """Return how much slower the protocol's slowdown makes the page and a worker."""
        session = self._page.context.new_cdp_session(self._page)
        fast = {where: self._loop(where) for where in ("page", "worker")}
        session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        slow = {where: self._loop(where) for where in ("page", "worker")}
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        return {"rate": rate, **{where: round(slow[where] / fast[where], 1) for where in fast}}

    def _loop(self, where: str = "worker") -> float:
        return float(self._page.evaluate(_LOOP, where)) / 1000


def measure_solving(solves: int) -> Figures:
    """Measure ordinary challenges at every rate, and the hardest at the slowest."""
    found = Figures()
    with sync_playwright() as playwright:
        for way, place in PLACES.items():
            with launch(playwright) as browser:
                visitor = VisitorPage(browser, place)
                rows = [visitor.measure(rate, solves) for rate in RATES]
                visitor.difficulty = challenges.MAX_DIFFICULTY
                found[way] = [*rows, visitor.measure(RATES[-1], max(3, solves // 5))]
                found.setdefault("throttling of the protocol", visitor.throttle(RATES[-1]))
    return found


@contextmanager
def slowed(pid: int, rate: int) -> Iterator[None]:
    """Give a process one part of `rate` of a processor's time."""
    if rate == 1:
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=partial(_ration, pid, rate, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _ration(pid: int, rate: int, ended: threading.Event) -> None:
    paid_until = time.perf_counter() - cpu_seconds(pid) * rate
    while not ended.is_set():
        # A process that waits does not save up more than a little.
        paid_until = max(paid_until, time.perf_counter() - _CREDIT - cpu_seconds(pid) * rate)
        is_ahead = paid_until + cpu_seconds(pid) * rate > time.perf_counter()
        os.kill(pid, signal.SIGSTOP if is_ahead else signal.SIGCONT)
        time.sleep(_STEP)
    os.kill(pid, signal.SIGCONT)


def cpu_seconds(pid: int) -> float:
    """Return the processor time of all threads of a process: Linux has a clock for each."""
    return time.clock_gettime(~pid << 3 | 2)


def _find_renderer(browser: Browser) -> int:
    session = browser.new_browser_cdp_session()
    running = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    (pid,) = [process["id"] for process in running if process["type"] == "renderer"]
    return int(pid)
