"""The loop of an agent: ask the model, call the tools that it wants, and repeat until it answers.

Every step is stored before the next one begins, so a run continues where it was when its server is lost. Tools are
called through the one gate, with the rights that the person has at that moment; refusals and errors are told to the
model as results.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from teamspace.agents import access, store
from teamspace.agents.domain import excerpts, transcript
from teamspace.agents.schemas import (
    AgentAnswer,
    AgentInput,
    AnyStep,
    ModelStep,
    Step,
    StepRow,
    ToolError,
    ToolStep,
)
from teamspace.ai import STOPPED, Gateway, Output, Sources, sources
from teamspace.completions import ModelRequest, ToolCall
from teamspace.core import json_body, pools
from teamspace.core.db import Db
from teamspace.core.errors import QuotaExceeded, Refusal
from teamspace.core.principal import Principal
from teamspace.jobs import JobContext, JobOrigin
from teamspace.quota import QuotaAccount
from teamspace.tools import BoundTool, Toolbox, ToolContext, ToolResult

log = logging.getLogger("teamspace.agents")

MAX_CALLS = 30
MAX_SECONDS = 120.0
"""After this time no further step begins."""
_TOOL_SECONDS = 60.0
_THREAD_BYTES = 32 * 1024
_MAX_SUMMARY = 1000
_NOT_ASKED = ModelStep("", transcript.NOTHING, "", "", False, STOPPED, "")
"""Of a run that was stopped before its first round."""


class Loop:
    """One run, from its stored steps to its end."""

    def __init__(
        self, db: Db, gateway: Gateway, toolbox: Toolbox, input: AgentInput, work: JobContext, output: Output,
        request: ModelRequest, found: Sources,
    ) -> None:  # fmt: skip
        self._db, self._gateway, self._toolbox = db, gateway, toolbox
        self._input, self._work, self._output = input, work, output
        self._request = request
        self._sources = found
        """Grows with the passages that tools return; the output checks citations against it."""
        self._steps: list[AnyStep] = []
        self._until = time.monotonic() + MAX_SECONDS

    async def restore(self, who: Principal) -> None:
        """Take over the steps that are stored already."""
        for row in await store.select(self._db, access.fence(who), self._work.job_id):
            step = transcript.decode(row)
            self._steps.append(step)
            if isinstance(step, ModelStep):
                self._output.restore(step.text, step.citations)
            elif step.step.error is None:
                self._sources.add_passages(step.step.tool, step.step.result)

    async def run(self, tools: Sequence[BoundTool]) -> AgentAnswer:
        functions = transcript.to_functions(tools)
        while True:
            for call in transcript.open_calls(self._steps):
                if self._work.stop.is_set():
                    break
                await self._call_tool(call)
            if (reason := self._end_reason()) is not None:
                return self._to_answer(reason)
            try:
                await self._ask(functions)
            except QuotaExceeded:
                if not self._steps:
                    raise
                return self._to_answer("quota")

    def _end_reason(self) -> str | None:
        rounds = transcript.model_steps(self._steps)
        if rounds and not rounds[-1].tool_calls:
            return rounds[-1].finish_reason
        if self._work.stop.is_set():
            return STOPPED
        if len(rounds) >= self._input.max_rounds or self._reached_limit() is not None:
            return "tool_limit"
        return None

    def _reached_limit(self) -> str | None:
        """Return why no further call can be made."""
        if len(transcript.tool_steps(self._steps)) >= MAX_CALLS:
            return f"No more than {MAX_CALLS} calls are possible in one run."
        if time.monotonic() > self._until:
            return f"A run has no more than {MAX_SECONDS:.0f} seconds."
        return None

    # The model

    async def _ask(self, functions: list[Any]) -> None:
        number = len(transcript.model_steps(self._steps)) + 1
        await self._work.report(number / (self._input.max_rounds + 1), f"Round {number}")
        who = await self._work.get_principal()
        messages = [*self._request.messages, *self._prompt(), *transcript.to_messages(self._steps)]
        request = msgspec.structs.replace(self._request, prompt="", messages=messages, tools=functions)
        answered = await self._gateway.call(
            self._db, who, request, purpose="ai.agent", on_delta=self._output.add, stop=self._work.stop,
            origin=JobOrigin(self._work.job_id, f"round-{number}"),
        )  # fmt: skip
        if not self._output.has_added:  # a remote worker's answer comes as a whole
            await self._output.add(answered.answer.text)
        text, citations = await self._output.end_block()
        answer = answered.answer
        step = ModelStep(
            text, answer.usage, answer.model, answered.executor, answered.simulated, answer.finish_reason,
            self._work.job_id, answer.tool_calls, citations,
        )  # fmt: skip
        await self._save(who, step)

    def _prompt(self) -> list[Any]:
        return self._request.conversation[len(self._request.messages) + bool(self._request.system) :]

    # Tools

    async def _call_tool(self, call: ToolCall) -> None:
        who = await self._work.get_principal()
        arguments = await _read_arguments(call.function.arguments)
        number = f"{len(self._steps) + 1}"  # models repeat their ids
        self._output.tool_call(number, call.function.name, excerpts.of(arguments or {}))
        result = await self._find_result(who, call, arguments, key=f"{self._caller_id()}:{number}")
        done = self._to_step(call, arguments or {}, result)
        await self._save(who, done)
        self._tell_result(number, done)

    def _caller_id(self) -> str:
        """Return the run in which the model made the calls that are open; it may have made one already."""
        return transcript.model_steps(self._steps)[-1].run_id

    def _tell_result(self, number: str, done: ToolStep) -> None:
        about: dict[str, Any] = {"ok": done.step.error is None, "summary": done.shown[:_MAX_SUMMARY]}
        if done.step.artifact is not None:
            about["artifact"] = done.step.artifact
        if done.step.error is not None:
            about["error"] = done.step.error
        self._output.tool_result(number, done.step.tool, **about)

    async def _find_result(
        self, who: Principal, call: ToolCall, arguments: dict[str, Any] | None, *, key: str
    ) -> ToolResult | ToolError:
        name, context = call.function.name, ToolContext("agent", key, self._input.tools)
        if arguments is None:
            await self._toolbox.refuse(self._db, who, name, context, "invalid_request")
            return ToolError("invalid_request", "The arguments are not a JSON object.")
        if (limit := self._reached_limit()) is not None:
            await self._toolbox.refuse(self._db, who, name, context, "tool_limit")
            return ToolError("tool_limit", limit)
        try:
            async with asyncio.timeout(_TOOL_SECONDS):
                return await self._toolbox.call(self._db, who, name, arguments, context)
        except Refusal as refusal:
            return ToolError(refusal.code, refusal.detail)
        except TimeoutError:
            return ToolError("timeout", f"The tool did not return within {_TOOL_SECONDS:.0f} seconds.")
        except Exception:
            log.exception("the tool %s failed in run %s", name, self._work.job_id)
            return ToolError("internal_error", "The tool failed.")

    def _to_step(self, call: ToolCall, arguments: dict[str, Any], result: ToolResult | ToolError) -> ToolStep:
        name, arguments = call.function.name, excerpts.of(arguments)
        if isinstance(result, ToolError):
            told = sources.without_blocks(f"Error ({result.code}): {result.message}")
            return ToolStep(call.id, Step(name, arguments, error=result), told)
        if result.is_artifact:
            step = Step(name, arguments, artifact=excerpts.of(result.value))
            return ToolStep(call.id, step, sources.without_blocks(result.shown))
        passages = self._sources.add_passages(name, result.value)
        if passages:
            step = Step(name, arguments, result=result.value)
            return ToolStep(call.id, step, sources.render_result(name, result.value, passages))
        kept = result.value if result.size <= excerpts.MAX_RESULT else result.shown
        return ToolStep(call.id, Step(name, arguments, result=kept), sources.without_blocks(result.shown))

    # Steps

    async def _save(self, who: Principal, step: AnyStep) -> None:
        row = StepRow(self._work.job_id, len(self._steps) + 1, msgspec.json.encode(step).decode())
        async with self._db.maintenance(who) as tx:
            await self._work.confirm(tx)
            kind = "model" if isinstance(step, ModelStep) else "tool"
            await store.insert(tx, QuotaAccount.of(who), row, kind)
        self._steps.append(step)

    def _to_answer(self, finish_reason: str) -> AgentAnswer:
        rounds = transcript.model_steps(self._steps)
        last = rounds[-1] if rounds else _NOT_ASKED
        return AgentAnswer(
            text=self._output.text, steps=transcript.tool_steps(self._steps),
            usage=transcript.total_usage(self._steps, self._work.job_id), finish_reason=finish_reason, model=last.model,
            executor=last.executor, simulated=last.simulated, citations=self._output.citations, job_id=self._work.job_id,
        )  # fmt: skip


async def _read_arguments(written: str) -> dict[str, Any] | None:
    """Return what a model wrote as arguments; None if it is not a JSON object."""
    body = (written or "{}").encode(errors="replace")
    decoded = await pools.TEXT.run(_decode, body) if len(body) > _THREAD_BYTES else _decode(body)
    return decoded if isinstance(decoded, dict) else None


def _decode(body: bytes) -> Any:
    if json_body.is_too_deep(body):
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
