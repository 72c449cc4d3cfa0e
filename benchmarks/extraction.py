"""Measure text extraction: with a new process per file, with a fork server, and inside the server.

Run from the top of the repository as `python -m benchmarks.extraction`; README.md explains the report.
"""

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.load import Load, request, run
from benchmarks.report import machine, save
from benchmarks.subject import Teamspace
from benchmarks.targets import call
from teamspace import extraction
from teamspace.extraction.domain.readers import ReaderProcess
from tests.extraction import files

RESULTS = Path(__file__).parent / "results" / "extraction.json"
TEXT = b"The crane is back on Tuesday, and the harbour is open.\n" * 20
TEXT_PATH = "text/plain"
PDF_PATH = "application/pdf"
LIMIT = 1800.0

Way = Callable[[Path, str], Awaitable[object]]


async def process_for_each(path: Path, kind: str) -> None:
    """Start an interpreter, load the libraries, read one file and exit."""
    reader = await ReaderProcess.start()
    await reader.read(path, kind)
    await reader.end()


def in_the_server(data: bytes) -> Way:
    async def read(_path: Path, _kind: str) -> None:
        await extraction.plan("", "a.txt", len(data)).read(data)

    return read


async def measured(way: Way, path: Path, kind: str, count: int) -> dict[str, float]:
    await way(path, kind)
    began, spent = time.monotonic(), _cpu()
    for _ in range(count):
        await way(path, kind)
    seconds, cpu = time.monotonic() - began, _cpu() - spent
    return {"files": count, "files_per_second": round(count / seconds, 1), "cpu_ms": round(cpu * 1000 / count, 3)}


def _cpu() -> float:
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


async def ways(folder: Path, count: int) -> dict[str, dict[str, float]]:
    """Read one file after the other, without concurrency."""
    text, pdf = folder / "a.txt", folder / "a.pdf"
    text.write_bytes(TEXT)
    pdf.write_bytes(files.pdf())
    readers = extraction.ReaderPool()

    async def forked(path: Path, kind: str) -> None:
        async with readers.acquire(nullcontext) as reader:
            await reader.read(path, kind)

    few = max(10, count // 100)
    found = {
        "text: a process for each": await measured(process_for_each, text, TEXT_PATH, few),
        "text: in the server": await measured(in_the_server(TEXT), text, TEXT_PATH, count),
        "pdf: a process for each": await measured(process_for_each, pdf, PDF_PATH, few),
    }
    # Of forked processes the parent, a child of this one, is charged when it ends.
    spent = _cpu()
    found["pdf: a fork for each"] = await measured(forked, pdf, PDF_PATH, few * 10)
    await readers.end()
    found["pdf: a fork for each"]["cpu_ms"] = round((_cpu() - spent) * 1000 / (few * 10), 3)
    return found


def whole(folder: Path, count: int) -> dict[str, float]:
    """Uploads to a server, and how long after them the last of their texts can be searched."""
    subject = Teamspace(folder)
    subject.prepare(0)
    subject.server.start()
    try:
        uploads = (request("PUT", f"/api/repo/texts/{number}.txt", subject.token, TEXT) for number in range(count))
        spent, began = subject.server.cpu_seconds(), time.monotonic()
        seen = run(Load(subject.server.port, islice(uploads, count), seconds=LIMIT, warmup=0, status=201))
        if seen.errors:
            raise RuntimeError(f"uploads failed: {seen.first_error}")
        uploaded = time.monotonic()
        while call(subject.server.port, "GET", "/api/jobs?state=queued&limit=1", subject.token)["items"]:
            time.sleep(0.2)
        ended = time.monotonic()
        cpu = subject.server.cpu_seconds() - spent
    finally:
        subject.server.stop()
    return {
        "files": count,
        "upload_seconds": round(uploaded - began, 1),
        "until_all_are_read_seconds": round(ended - began, 1),
        "cpu_ms_for_each": round(cpu * 1000 / count, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report: dict[str, Any] = {"machine": machine(), "ways": asyncio.run(ways(Path(folder), chosen.files))}
        report["ratios"] = {
            "text: CPU in the server / a process for each": _ratio(report["ways"], "text: in the server", "text"),
            "pdf: CPU of a fork / a process for each": _ratio(report["ways"], "pdf: a fork for each", "pdf"),
        }
        report["server"] = whole(Path(folder), chosen.files)
    print(json.dumps(report, indent=2))
    save(report, chosen.output)


def _ratio(ways: dict[str, dict[str, float]], way: str, kind: str) -> float:
    return round(ways[way]["cpu_ms"] / ways[f"{kind}: a process for each"]["cpu_ms"], 4)


if __name__ == "__main__":
    main()
