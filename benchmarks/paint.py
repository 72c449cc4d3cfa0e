"""Measure in Chromium, on a slowed processor, how soon the console paints, and how smoothly a very long list scrolls.

With `--beside FOLDER`, another build of the console is measured in the same run, round by round, on the same server.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.instances import new_world, settings_of
from benchmarks.listing import fill
from benchmarks.report import machine
from benchmarks.weight import FETCHED, KINDS, PLACES, QUIET, Place
from teamspace.core.principal import system
from tests.console.browser import launch, settle, window
from tests.support.served import Served

SLOWDOWN = 4
FILES = 100_000
SCROLL_SECONDS = 6
SPEEDS = {"fast": 400, "very fast": 2_000}
"""Pixels that each turn of the wheel scrolls, sixteen times a second: seven screens a second, and thirty-five."""
FRAME_BUDGET_MS = 50
"""A frame that takes longer is one that people notice."""
# Chromium's own measures: https://web.dev/articles/vitals names them.
PAINTS = """() => new Promise((resolve) => {
    const found = { first_paint_ms: 0, largest_paint_ms: 0, layout_shift: 0, blocked_ms: 0 }
    found.first_paint_ms = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0
    const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
    watch("largest-contentful-paint", (entry) => { found.largest_paint_ms = entry.startTime })
    watch("layout-shift", (entry) => { if (!entry.hadRecentInput) found.layout_shift += entry.value })
    watch("longtask", (entry) => { found.blocked_ms += entry.duration - 50 })
    setTimeout(() => resolve(found), 300)
})"""
FRAMES = """(seconds) => new Promise((resolve) => {
    const times = []
    const end = performance.now() + seconds * 1000
    const step = (now) => { times.push(now); now < end ? requestAnimationFrame(step) : resolve(times) }
    requestAnimationFrame(step)
})"""


def slow_down(page: Page, rate: int) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def visit(browser: Browser, url: str, place: Place, token: str, note: str, rate: int) -> dict[str, float]:
    """Measure a first visit with an empty cache."""
    with window(browser, url, token=token if place.signed_in else "", empty_cache=True) as page:
        slow_down(page, rate)
        page.goto(place.address.replace("NOTE", note))
        place.ready(page)
        page.evaluate(QUIET)
        fetched: list[tuple[str, int]] = page.evaluate(FETCHED)
        sizes = {
            kind: sum(size for path, size in fetched if path.endswith(KINDS[kind])) for kind in ("script", "style")
        }
        return {**sizes, **page.evaluate(PAINTS)}


def scroll(browser: Browser, url: str, token: str, rate: int, step: int) -> dict[str, float]:
    """Turn the wheel over a folder with very many files; return how long its frames took."""
    with window(browser, url, token=token) as page:
        page.goto("/app/files?in=many/")
        settle(page)
        slow_down(page, rate)
        grid = page.get_by_role("grid").or_(page.get_by_role("table")).first
        grid.hover(position={"x": 300, "y": 200})
        page.evaluate(f"() => {{ window.frames_seen = ({FRAMES})({SCROLL_SECONDS}) }}")
        for _ in range(SCROLL_SECONDS * 12):
            page.mouse.wheel(0, step)
            page.wait_for_timeout(60)
        times: list[float] = page.evaluate("() => window.frames_seen")
        lengths = sorted(after - before for before, after in pairwise(times))
        late = sum(length > FRAME_BUDGET_MS for length in lengths)
        return {
            "frames": len(lengths), "p50_ms": round(median(lengths), 1), "p99_ms": round(lengths[len(lengths) * 99 // 100], 1),
            "longest_ms": round(lengths[-1], 1), "late_share": round(late / len(lengths), 4),
        }  # fmt: skip


async def populate(folder: Path) -> tuple[str, str]:
    """Create an instance with sample notes and a folder of very many files; return a token and a note's id."""
    settings = settings_of(folder, "")
    async with new_world(settings) as made:
        owner = await made.bootstrap()
        await fill(made, owner, owner, FILES, FILES)
        await owner.post("/api/admin/seed", {})
        async with made.db.maintenance(system(org_id=owner.org.id)) as tx:
            await tx.run("UPDATE objects SET key = 'many/' || filename WHERE key LIKE 'folder%'")
        note = (await owner.get("/api/notes")).json()["items"][0]["id"]
        return str(owner.token), str(note)


def measured(browser: Browser, url: str, token: str, note: str, rate: int) -> Iterator[tuple[str, dict[str, float]]]:
    for name, place in PLACES.items():
        yield name, visit(browser, url, place, token, note, rate)
    for (speed, step), slowness in product(SPEEDS.items(), (1, rate)):
        yield f"scrolling {speed}, slowed {slowness} times", scroll(browser, url, token, slowness, step)


def summary(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(median(each[name] for each in rounds), 4) for name in rounds[0]}


def measure(folder: Path, beside: Path | None, rounds: int, rate: int) -> dict[str, Any]:
    token, note = asyncio.run(populate(folder))
    builds: dict[str, Path | None] = {"this": None, **({"beside": beside} if beside else {})}
    seen: dict[str, dict[str, list[dict[str, float]]]] = {name: {} for name in builds}
    with sync_playwright() as playwright, launch(playwright) as browser:
        for _ in range(rounds):
            for name, build in builds.items():
                with _served(folder, build) as served:
                    for place, found in measured(browser, served.url, token, note, rate):
                        seen[name].setdefault(place, []).append(found)
    return {name: {place: summary(found) for place, found in places.items()} for name, places in seen.items()}


def _served(folder: Path, build: Path | None) -> Served:
    settings = {"SERVICE_DATA": str(folder)}
    if build is None:
        return Served(settings)
    return Served({**settings, "CONSOLE_BUILD": str(build.resolve())}, "benchmarks.another_build")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another build: its teamspace/console/static")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slowdown", type=int, default=SLOWDOWN)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "paint.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder) / "data", options.beside, options.rounds, options.slowdown)
    print(json.dumps(found, indent=2))
    options.output.write_text(
        json.dumps({"machine": machine(), "slowdown": options.slowdown, **found}, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
