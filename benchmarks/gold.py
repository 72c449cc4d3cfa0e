"""Score a model on the gold set: fields, translations, tool choice and citations.

Run from the top of the repository as `python -m benchmarks.gold`; README.md explains the report.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.gold_cases import CASES, Case
from benchmarks.report import save
from teamspace import completions
from teamspace.ai.domain.simulated import NAME, Simulated
from teamspace.completions import CompletionError, ModelEndpoint, SchemaMismatch, TokenUsage, structured
from teamspace.core.egress import Egress, NetworkReach

RESULTS = Path(__file__).parent / "results" / "gold.json"


class Scored(NamedTuple):
    group: str
    name: str
    fault: str | None
    """What is wrong with the answer; None if it is right."""
    tokens: int
    seconds: float


async def score(call: structured.Call, case: Case) -> Scored:
    """Ask once, with the repair that every request with a response format gets, and judge the answer."""
    began = time.perf_counter()
    usage: TokenUsage | None
    try:
        answer = await structured.complete(call, case.request)
        fault, usage = case.judge(answer), answer.usage
    except (CompletionError, SchemaMismatch) as failed:
        fault, usage = str(failed), failed.usage
    except (ValueError, KeyError, TypeError, AttributeError) as failed:
        fault, usage = f"cannot be judged: {failed}", None
    seconds = round(time.perf_counter() - began, 3)
    return Scored(case.group, case.name, fault, usage.total_tokens if usage else 0, seconds)


async def score_all(call: structured.Call, cases: Sequence[Case] = CASES) -> list[Scored]:
    return [await score(call, case) for case in cases]


def report(model: str, scored: Sequence[Scored]) -> dict[str, Any]:
    groups = {}
    for group in dict.fromkeys(one.group for one in scored):
        members = [one for one in scored if one.group == group]
        groups[group] = {
            "right": sum(one.fault is None for one in members),
            "cases": len(members),
            "tokens": sum(one.tokens for one in members),
            "median_seconds": median(one.seconds for one in members),
        }
    right = sum(one.fault is None for one in scored)
    return {
        "model": model, "right": right, "cases": len(scored), "groups": groups,
        "faults": {f"{one.group}: {one.name}": one.fault for one in scored if one.fault},
    }  # fmt: skip


def table(seen: dict[str, Any]) -> str:
    lines = [f"{'group':<12} {'right':>7} {'tokens':>8} {'median s':>9}"]
    for group, row in seen["groups"].items():
        lines.append(f"{group:<12} {_ratio(row):>7} {row['tokens']:>8} {row['median_seconds']:>9.3f}")
    lines.append(f"{'all':<12} {_ratio(seen):>7}")
    return "\n".join([*lines, *(f"  {name}: {fault}" for name, fault in seen["faults"].items())])


def _ratio(row: dict[str, Any]) -> str:
    return f"{row['right']}/{row['cases']}"


async def run(url: str | None, model: str | None, key: str | None) -> dict[str, Any]:
    if url is None:
        return report(NAME, await score_all(Simulated().answer))
    endpoint = ModelEndpoint(url.rstrip("/"), NetworkReach.ANY, key, model)
    async with aclosing(Egress()) as egress:
        return report(model or url, await score_all(partial(completions.complete, egress, endpoint)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="an OpenAI-compatible endpoint up to /v1; without it, the simulated model")
    parser.add_argument("--model")
    parser.add_argument("--key", default=os.environ.get("MODEL_KEY"), help="or in the environment as MODEL_KEY")
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    seen = asyncio.run(run(chosen.url, chosen.model, chosen.key))
    print(table(seen))
    save(seen, chosen.output)


if __name__ == "__main__":
    main()
