"""Uses what a plugin adds on a real server: tools, routes, kinds of jobs, workflows, files, the sign-up page, blob stores."""

import http.client
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from teamspace.authoring import experience_checks, file_checks, samples
from teamspace.authoring.schemas import (
    KindRow,
    PluginContents,
    RouteRow,
    ToolRow,
    Unmet,
    Verdict,
    WorkflowRow,
    name_store,
)
from teamspace.authoring.serving import Check, expect
from teamspace.sdk import testing
from teamspace.sdk.testing import HttpAnswer, PluginClient, PluginServer

_JSON = ("application/json", "application/problem+json")
_SIZES = (0, 100, 1024 * 1024)


def check(folder: Path, contents: PluginContents, seconds: float) -> Iterator[Verdict]:
    checks = [
        *(check for row in contents.tools for check in _tool_checks(row)),
        *(check for row in contents.routes for check in _route_checks(row)),
        *(check for row in contents.kinds if row.is_requested for check in _kind_checks(row)),
        *(check for row in contents.workflows for check in _workflow_checks(row)),
        *file_checks.list_checks(folder, contents.id),
        *(experience_checks.list_checks(contents.experience) if contents.experience else ()),
    ]
    folders = [] if contents.is_shipped else [folder]
    yield from _run_all(folders, {}, checks, seconds)
    for name in contents.blob_stores:
        checks = [(name_store(name), "keeps the files of a server", _keep_files)]
        yield from _run_all(folders, {"SERVICE_BLOB_STORE": name}, checks, seconds)


def _run_all(folders: list[Path], settings: dict[str, str], checks: list[Check], seconds: float) -> Iterator[Verdict]:
    """Do the checks on one server; one that hangs or ends it is named, and the rest get a new one."""
    rest = list(checks)
    while rest:
        try:
            with testing.server(*folders, settings=settings, seconds=seconds) as server:
                while rest:
                    subject, what, work = rest.pop(0)
                    verdict, is_usable = _run(server, subject, what, work, seconds)
                    yield verdict
                    if not is_usable:
                        break
        except testing.PluginTestError as fault:
            yield Verdict("the plugin", "runs in a server", fault=str(fault))
            return


def _run(
    server: PluginServer, subject: str, what: str, work: Callable[[PluginServer], str | None], seconds: float
) -> tuple[Verdict, bool]:
    """Return the outcome, and whether the server can be used for the next check."""
    try:
        return Verdict(subject, what, note=work(server)), True
    except TimeoutError:
        return Verdict(subject, what, fault=f"there was no answer within {seconds:g} seconds"), False
    except (OSError, http.client.HTTPException) as fault:
        if _has_ended(server):
            return Verdict(subject, what, fault="it ended the server"), False
        return Verdict(subject, what, fault=f"the connection was cut: {fault}"), False
    except (Unmet, samples.NoSample, testing.PluginTestError) as fault:
        return Verdict(subject, what, fault=str(fault)), True


def _has_ended(server: PluginServer) -> bool:
    time.sleep(0.2)  # the connection is closed a moment before the process has ended
    return server.process.poll() is not None


# Tools


def _tool_checks(row: ToolRow) -> Iterator[Check]:
    subject = f"the tool {row.name}"

    def answers(server: PluginServer) -> str | None:
        refusals = [_call_tool(server, row.name, arguments) for arguments in samples.fitting(row.arguments)]
        return f"it refused every call: {refusals[0]}" if all(refusals) else None

    def refuses(server: PluginServer) -> None:
        for what, arguments in samples.misfitting(row.arguments):
            if _call_tool(server, row.name, arguments) is None:
                raise Unmet(f"arguments {what} were accepted")

    yield subject, "answers calls that fit its schema", answers
    yield subject, "refuses arguments that do not fit its schema", refuses


def _call_tool(server: PluginServer, name: str, arguments: dict[str, Any]) -> str | None:
    """Return the text with which the tool refuses, or None if it answers."""
    try:
        server.call_tool(name, arguments)
    except testing.ToolRefused as refusal:
        return str(refusal)
    except testing.ToolCrashed as fault:
        raise Unmet(_find_reason(server, str(fault))) from None
    return None


# Routes


def _route_checks(row: RouteRow) -> Iterator[Check]:
    subject = f"the route {row.method} {row.path}"
    path = re.sub(r"[:*][A-Za-z_]+", "sample", row.path)

    def needs_token(server: PluginServer) -> None:
        expect(_send(server.anonymous, row, path, *_fitting(row)[0]), 401)

    def needs_permission(server: PluginServer) -> None:
        other = "notes:read" if row.permission != "notes:read" else "files:read"
        expect(_send(server.limited_to(other), row, path, *_fitting(row)[0]), 403)

    def answers(server: PluginServer) -> str | None:
        statuses = [_check_answer(server, _send(server, row, path, query, body)) for query, body in _fitting(row)]
        return f"it refused every request, with {statuses[0]}" if min(statuses) >= 400 else None

    def refuses(server: PluginServer) -> None:
        for what, query, body in _misfitting(row):
            answer = _send(server, row, path, query, body)
            _check_answer(server, answer)
            if answer.status < 400:
                raise Unmet(f"a request {what} was answered with {answer.status}")

    yield subject, "answers 401 without a token", needs_token
    if row.permission is not None:
        yield subject, f"answers 403 without {row.permission}", needs_permission
    yield subject, "answers with JSON, or refuses the request", answers
    if row.query or row.body:
        yield subject, "refuses what does not fit its types", refuses


def _fitting(row: RouteRow) -> list[tuple[Any, Any]]:
    queries = samples.fitting(row.query) if row.query else [None]
    bodies = samples.fitting(row.body) if row.body else [None]
    return [(query, body) for query in queries for body in bodies]


def _misfitting(row: RouteRow) -> Iterator[tuple[str, Any, Any]]:
    query, body = _fitting(row)[0]
    if row.body:
        yield from ((what, query, wrong) for what, wrong in samples.misfitting(row.body))
    if row.query:
        wrong_queries = samples.misfitting(row.query, as_text=True)
        yield from ((f"whose query is {what}", wrong, body) for what, wrong in wrong_queries)


def _send(client: PluginClient, row: RouteRow, path: str, query: Any, body: Any) -> HttpAnswer:
    if query:
        texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        path += "?" + urlencode(texts, doseq=True)
    return client.request(row.method, path, body)


def _check_answer(server: PluginServer, answer: HttpAnswer) -> int:
    if answer.status >= 500:
        raise Unmet(_find_reason(server, f"it answered {answer.status}"))
    if answer.status != 204 and answer.headers.get("content-type", "").partition(";")[0] not in _JSON:
        raise Unmet(f"it answered {answer.status} with {answer.headers.get('content-type')} instead of JSON")
    return answer.status


def _find_reason(server: PluginServer, otherwise: str) -> str:
    """Return what the plugin raised, which the server writes to its log only."""
    raised = re.findall(
        r"^\s*([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b.*)$", server.log, re.MULTILINE
    )
    return f"{otherwise} ({raised[-1].strip()[:300]})" if raised else otherwise


# Kinds of jobs


def _kind_checks(row: KindRow) -> Iterator[Check]:
    subject = f"the job kind {row.kind}"

    def runs(server: PluginServer) -> str | None:
        refusals = list[str]()
        for input in samples.fitting(row.input):
            try:
                server.run_job(row.kind, input)
            except testing.JobFailed as fault:
                refusals.append(str(fault))
                if "(internal_error)" in refusals[-1] or "(timeout)" in refusals[-1]:
                    raise Unmet(_find_reason(server, refusals[-1])) from None
        return f"a job failed: {refusals[0]}" if refusals else None

    def refuses(server: PluginServer) -> None:
        for what, input in samples.misfitting(row.input):
            if server.post("/api/jobs", {"kind": row.kind, "input": input}).status != 400:
                raise Unmet(f"an input {what} was accepted")

    yield subject, "does jobs that fit its input", runs
    yield subject, "refuses input that does not fit", refuses


# Workflows


def _workflow_checks(row: WorkflowRow) -> Iterator[Check]:
    subject, path = f"the workflow {row.slug}", f"/api/workflows/{row.slug}"

    def has_spec(server: PluginServer) -> None:
        answer = server.get(path)
        expect(answer, 200)
        if answer.json()["spec"]["slug"] != row.slug:
            raise Unmet("its spec is that of another workflow")

    def estimates(server: PluginServer) -> None:
        for input in samples.fitting(row.inputs):
            expect(server.post(f"{path}/run", {"input": input, "dry_run": True}), 200)

    def refuses(server: PluginServer) -> None:
        for what, input in samples.misfitting(row.inputs):
            if server.post(f"{path}/run", {"input": input, "dry_run": True}).status != 400:
                raise Unmet(f"an input {what} was accepted")

    yield subject, "is there for every team", has_spec
    yield subject, "can be estimated with inputs that fit", estimates
    yield subject, "refuses inputs that do not fit", refuses


# Blob stores


def _keep_files(server: PluginServer) -> None:
    for number, size in enumerate(_SIZES):
        data = os.urandom(size)
        stored = server.request("PUT", f"/api/repo/{number}.bin", content=data)
        if stored.status >= 400:
            raise Unmet(_find_reason(server, stored.json()["detail"]))
        object_id = stored.json()["id"]
        if server.get(f"/api/repo-obj/{object_id}/content").body != data:
            raise Unmet(f"a file of {size} bytes is not returned as it was sent")
        expect(server.delete(f"/api/repo-obj/{object_id}"), 204)
