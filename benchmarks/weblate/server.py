"""Weblate with its database, its Redis and its HTTP server, as its example for production starts them."""

import json
import os
import random
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import Self

from benchmarks.load import request
from benchmarks.messages import COMMON, ENTRIES, LOCALE, RARE, namespace, samples
from benchmarks.processes import Server, free_port
from benchmarks.targets import PAGE_SIZE, call
from benchmarks.weblate import installing
from tests.support.postgres import Postgres

PEER = Path(__file__).parent / "peer"
OPTIONS = "--no-ws --interface wsgi --workers 2 --backpressure 16 --runtime-threads 8 --runtime-mode mt"
"""Those of its granian.service, without the limit of memory, which restarts workers."""
SEED_LIMIT = 1800.0


class Weblate:
    """One instance, with a translation of each size, which all have the same messages as Teamspace's."""

    def __init__(self, folder: Path, postgres: Postgres, sizes: Sequence[int]) -> None:
        self._folder, self._sizes, self._stack = folder, sizes, ExitStack()
        self._programs = installing.environment() / "bin"
        folder.mkdir()
        (folder / "data").mkdir()
        redis, port = free_port(), free_port()
        settings = {
            "BENCHMARK_URL": installing.create_database(postgres, "weblate"),
            "BENCHMARK_REDIS": f"redis://127.0.0.1:{redis}",
            "BENCHMARK_FOLDER": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "benchmark_settings",
            "PYTHONPATH": str(PEER),
        }
        self._environment = {**os.environ, **settings}
        self._redis = [installing.redis_server(), "--port", str(redis), "--bind", "127.0.0.1", "--save", ""]
        serve = [str(self._programs / "granian"), *OPTIONS.split(), "--port", str(port), "weblate.wsgi:application"]
        self.server = Server(serve, port, "/healthz/", folder / "log", settings, patience=180)
        self.facts: dict[int, dict[str, float]] = {}
        self._units: dict[int, list[int]] = {}
        self._token = ""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._redis_process = subprocess.Popen(self._redis, cwd=self._folder, stdout=subprocess.DEVNULL)
            stack.callback(_end, self._redis_process)
            self._run("weblate", "migrate", "--no-input", "--skip-checks")
            for size in self._sizes:
                self._seed(size)
            stack.callback(self.server.stop)
            self.server.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def pids(self) -> list[int]:
        return [*self.server.pids(), self._redis_process.pid]

    def requests(self, size: int) -> dict[str, Iterator[bytes]]:
        translation = f"/api/translations/size{size}/messages/{LOCALE}"
        listed = f"{translation}/units/?page_size={PAGE_SIZE}"
        paths = {
            "first page": listed,
            "page in the middle": f"{listed}&page={size // PAGE_SIZE // 2}",
            "missing ones": f"{listed}&q=state:empty",
            "one namespace": f"{listed}&q=context:{namespace(5)}",
            "a rare word": f"{listed}&q={RARE}",
            "a common word": f"{listed}&q={COMMON}",
            "coverage": f"{translation}/statistics/",
        }
        for name, path in paths.items():
            found = call(self.server.port, "GET", path, self._token)
            if ENTRIES.get(name) not in (None, len(found.get("results", ()))):
                raise RuntimeError(f"{path}: {found}")
        ready = [request("GET", f"/api/units/{unit}/", self._token) for unit in self._units[size]]
        same = {name: repeat(request("GET", path, self._token)) for name, path in paths.items()}
        return {"one message": iter(lambda: random.choice(ready), b""), **same}

    def _seed(self, size: int) -> None:
        file = self._folder / f"{size}.json"
        rows = [(f"{each.namespace}.{each.key}", each.source, each.text) for each in samples(size)]
        file.write_text(json.dumps(rows))
        answer = json.loads(self._run("python", str(PEER / "benchmark_seed.py"), f"size{size}", str(file), LOCALE))
        self._units[size], self._token = answer["units"], answer["token"]
        self.facts[size] = {name: answer[name] for name in ("imported", "import_seconds", "seconds")}
        if len(self._units[size]) != size:
            raise RuntimeError(f"Weblate has {len(self._units[size])} units instead of {size}")

    def _run(self, program: str, *words: str) -> str:
        """Return the last line that a program of Weblate's environment prints."""
        ended = subprocess.run(
            [self._programs / program, *words], env=self._environment, capture_output=True, text=True,
            timeout=SEED_LIMIT, check=False,
        )  # fmt: skip
        if ended.returncode:
            raise RuntimeError(f"{program} {words} failed:\n{ended.stderr[-3000:]}")
        return ended.stdout.splitlines()[-1]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()
