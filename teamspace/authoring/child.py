"""The process that loads a plugin like a server does, and tries what needs no server: validators and blob stores.

It writes a line when a check begins and one when it ends, so that a hang or a crash is attributed to the right one.
"""

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from teamspace import blobs, jobs, plugins, tools, wiring
from teamspace.app import Assembly, assemble
from teamspace.authoring import samples, store_checks, validator_checks
from teamspace.authoring.schemas import (
    Begun,
    KindRow,
    Line,
    PluginContents,
    RouteRow,
    ToolRow,
    Unmet,
    Verdict,
    WorkflowRow,
)
from teamspace.core.errors import Refusal
from teamspace.core.limits import Stopping
from teamspace.core.loader import Package
from teamspace.core.tables import BlobStoreSpec, BootError, OnboardingExperience, Workflow
from teamspace.settings import Settings, load


class Reporter:
    """Writes lines for the process that started this one."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def send(self, line: Line) -> None:
        self._out.write(msgspec.json.encode(line) + b"\n")
        self._out.flush()

    def check(self, subject: str, what: str, work: Callable[[], str | Awaitable[str | None] | None]) -> bool:
        """Do a check, which returns a note or raises; return whether it has succeeded."""
        self.send(Begun(subject, what))
        with _logged_faults() as logged:
            try:
                found = work()
                note = asyncio.run(_finish(found)) if inspect.isawaitable(found) else found
            except (Exception, SystemExit) as fault:
                self.send(Verdict(subject, what, fault=_explain(fault, logged)))
                return False
        self.send(Verdict(subject, what, note=note))
        return True


async def _finish(found: Awaitable[str | None]) -> str | None:
    return await found


def run(folder: Path, data: Path, reporter: Reporter) -> None:
    settings = load({"SERVICE_DATA": str(data), "SERVICE_WORKERS": "1"}, file=Path("/dev/null"))
    loaded: list[tuple[Assembly, Package]] = []
    if not reporter.check("the plugin", "is loaded", lambda: loaded.append(_load(folder, settings))):
        return
    assembly, package = loaded[0]
    contents = _describe(assembly, package)
    reporter.send(contents)
    for kind in _own_kinds(assembly, package):
        if kind.row.remote:
            validator_checks.check(reporter.check, kind)
    for name in contents.blob_stores:
        chosen = msgspec.structs.replace(settings, blob_store=name)
        store_checks.check(reporter.check, name, partial(wiring.open_store, chosen, assembly.tables))


def _take_stdout() -> IO[bytes]:
    """Return the standard output, and give the plugin the one for errors instead: it may print."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def _load(folder: Path, settings: Settings) -> tuple[Assembly, Package]:
    """Load the plugin, or find it among the shipped ones."""
    (package,) = plugins.find([folder])
    shipped = next((each for each in wiring.SHIPPED.results if _is_in(each.package, folder)), None)
    assembly = assemble(settings, Stopping(), wiring.SHIPPED if shipped else wiring.add([package]))
    for result in assembly.tables.results:
        if _is_in(result.package, folder):
            if result.error:
                raise Unmet(result.error)
            return assembly, result.package
    raise Unmet("it was not found")


def _is_in(package: Package, folder: Path) -> bool:
    return isinstance(package, plugins.PluginPackage) and package.folder == folder.resolve()


def _describe(assembly: Assembly, package: Package) -> PluginContents:
    own = next(each for each in assembly.tables.contributions if each.package == package)
    toolbox: tools.Toolbox = assembly.dependencies[tools.Toolbox]
    endpoints = [each for each in assembly.endpoints if each.route.path.startswith(f"/api/x/{package.source}/")]
    return PluginContents(
        id=package.source,
        is_shipped=package.is_ours,
        tools=[ToolRow(tool.name, tool.schema) for tool in toolbox if tool.package == package],
        routes=[
            RouteRow(each.route.method, each.route.path, each.route.needs, _schema(each.query), _schema(each.body))
            for each in endpoints
            if each.route.path != f"/api/x/{package.source}/bundle/*path"
        ],
        kinds=[
            KindRow(kind.name, kind.row.callable and kind.handler is not None, _schema(kind.input) or {})
            for kind in _own_kinds(assembly, package)
        ],
        workflows=[WorkflowRow(row.slug, _inputs_schema(row.spec)) for row in own.rows.get(Workflow, ())],
        blob_stores=[row.name for row in own.rows.get(BlobStoreSpec, ())],
        experience=next((row.document for row in reversed(own.rows.get(OnboardingExperience, ()))), None),
    )


def _inputs_schema(spec: dict[str, Any]) -> dict[str, Any]:
    inputs: dict[str, Any] = spec.get("inputs", {})
    return {"type": "object", "properties": inputs, "required": list(inputs), "additionalProperties": False}


def _schema(shape: type[msgspec.Struct] | None) -> dict[str, Any] | None:
    return None if shape is None else msgspec.json.schema(shape)


def _own_kinds(assembly: Assembly, package: Package) -> Iterator[jobs.BoundKind]:
    queue: jobs.Queue = assembly.dependencies[jobs.Queue]
    return (kind for kind in queue.kinds if kind.name.startswith(f"x.{package.source}."))


# Explanations


@contextmanager
def _logged_faults() -> Iterator[list[str]]:
    """Collect what the guard logs: it hides from callers what a plugin raised."""
    found = list[str]()

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            fault = record.exc_info[1] if record.exc_info else None
            found.append(f"{type(fault).__name__}: {fault}" if fault else record.getMessage())

    collector, logger = Collector(logging.ERROR), logging.getLogger("teamspace")
    logger.addHandler(collector)
    try:
        yield found
    finally:
        logger.removeHandler(collector)


def _explain(fault: BaseException, logged: list[str]) -> str:
    if logged and isinstance(fault, Refusal):
        return logged[-1]
    known = isinstance(fault, Unmet | samples.NoSample | BootError | blobs.BlobMissing)
    return str(fault) if known else f"{type(fault).__name__}: {fault}"


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), Reporter(_take_stdout()))
