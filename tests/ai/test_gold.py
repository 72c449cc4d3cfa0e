"""The gold set: the simulated model has a known score, and wrong answers have none."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks import gold, gold_cases
from benchmarks.gold_cases import CASES, Case
from teamspace.ai.domain.simulated import Simulated
from teamspace.completions import ModelAnswer, ModelRequest, TokenUsage
from tests.support.model_server import ModelServer


async def test_the_simulated_model_has_its_stated_score() -> None:
    seen = await gold.run(None, None, None)
    assert {group: (row["right"], row["cases"]) for group, row in seen["groups"].items()} == {
        "fields": (5, 6), "translation": (6, 6), "tools": (5, 6), "citations": (5, 6),
    }  # fmt: skip
    assert set(seen["faults"]) == {"fields: prose", "tools: search, in other words", "citations: in other words"}
    assert "all            21/24" in gold.table(seen)


async def test_a_model_that_knows_nothing_is_right_only_where_nothing_is_to_do() -> None:
    async with ModelServer() as server:
        seen = await gold.run(server.url, "tiny", "sk-1")
        assert (seen["right"], seen["groups"]["tools"]["right"]) == (1, 1)
        assert server.chat_requests()[0].headers["authorization"] == "Bearer sk-1"
        assert len(server.chat_requests()) == 24 + 12, "with one repair of each structured answer"


def spoilt(case: Case, answer: ModelAnswer) -> ModelAnswer:
    """Change one detail of a right answer."""
    if case.group == "fields":
        return replace(answer, text=json.dumps({key: _other(value) for key, value in json.loads(answer.text).items()}))
    if case.group == "translation":
        return replace(answer, text=answer.text.replace("[", "[9 "))
    if case.group == "tools":
        return replace(answer, tool_calls=[])
    return replace(answer, text=answer.text.replace('"]', ' indeed"]'))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "x"
    return value + 1 if isinstance(value, int | float) else value[::-1]


RIGHT = [*gold_cases.FIELDS[:5], *gold_cases.TRANSLATIONS, gold_cases.TOOLS[0], *gold_cases.CITATIONS[:5]]


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
async def test_a_spoilt_answer_is_wrong(case: Case) -> None:
    async def call(request: ModelRequest) -> ModelAnswer:
        return spoilt(case, await Simulated().answer(request))

    assert (await gold.score(call, case)).fault


async def test_what_cannot_be_judged_is_wrong() -> None:
    async def call(request: ModelRequest) -> ModelAnswer:
        return ModelAnswer('{"segments": 1}', TokenUsage.of(1, 1))

    assert all(one.fault for one in await gold.score_all(call, CASES[:12]))
