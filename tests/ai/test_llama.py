"""Chats over the API with llama.cpp as the model server, called by this server (push) and by a worker (pull)."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import jsonschema_rs
import pytest

from tests.ai.help import joined, parse_events
from tests.support.llama import Llama
from tests.support.served import Served
from tests.worker.help import Site, running_worker

SECONDS = 30.0
PUSH, PULL = "noise", "far"
"""The models of the two executors. llama.cpp has one model, which answers to every name."""
KINDS = {"kind": {"enum": ["boat", "car"]}, "new": {"type": "boolean"}, "doors": {"enum": [0, 2, 4]}}
SCHEMA = {"type": "object", "properties": KINDS, "required": [*KINDS], "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "vehicle", "schema": SCHEMA, "strict": True}}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object", "properties": {"city": {"enum": ["Bern", "Oslo"]}}, "required": ["city"],
            "additionalProperties": False,
        },
    },
}  # fmt: skip

either = pytest.mark.parametrize("model", [PUSH, PULL])


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with Llama(tmp_path_factory.mktemp("llama")) as llama:
        yield llama


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, llama: Llama) -> Iterator[httpx2.Client]:
    """A client of a server with one executor of each kind."""
    folder = tmp_path_factory.mktemp("site")
    settings = {"SERVICE_DATA": str(folder / "data"), "SERVICE_EGRESS_ALLOW": llama.address}
    with Served(settings) as served:
        site = Site(served, folder)
        headers = {"authorization": f"Bearer {site.token}"}
        with httpx2.Client(base_url=served.url, headers=headers, timeout=SECONDS) as client:
            register(client, name="Push", mode="push", model=PUSH, url=llama.url)
            token = folder / "worker.token"
            token.write_text(register(client, name="Pull", mode="pull", model=PULL)["token"])
            with running_worker(site, token, llama.url, "--model", PULL):
                wait_until(lambda: health(client)["Pull"] == "up")
                yield client


def register(client: httpx2.Client, **executor: str) -> dict[str, Any]:
    answer = client.post("/api/executors", json=executor)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def get(client: httpx2.Client, path: str) -> Any:
    return client.get(path).raise_for_status().json()


def health(client: httpx2.Client) -> dict[str, str]:
    return {executor["name"]: executor["health"] for executor in get(client, "/api/executors")["items"]}


def chat(client: httpx2.Client, **body: Any) -> dict[str, Any]:
    answer = client.post("/api/ai/chat", json={"temperature": 0, **body})
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


def stream(client: httpx2.Client, **body: Any) -> list[dict[str, Any]]:
    answer = client.post("/api/ai/chat/stream", json={"temperature": 0, **body})
    assert answer.status_code == 200, answer.text
    return parse_events(answer.text)


def metered(client: httpx2.Client) -> int:
    rows = get(client, "/api/usage")["items"]
    return int(next(row["used"] for row in rows if row["dimension"] == "ai.tokens.total"))


def reported(llama: Llama, prompt: str, **body: Any) -> dict[str, int]:
    """Return the usage that llama.cpp itself reports for a prompt."""
    messages = [{"role": "user", "content": prompt}]
    answer = httpx2.post(f"{llama.url}/chat/completions", json={"temperature": 0, "messages": messages, **body})
    usage = answer.raise_for_status().json()["usage"]
    return {name: usage[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")}


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@either
def test_answers_are_metered_as_llama_reports(client: httpx2.Client, llama: Llama, model: str) -> None:
    usage = reported(llama, "Say something", max_tokens=20)
    before = metered(client)
    whole = chat(client, prompt="Say something", max_tokens=20, model=model)
    assert (whole["model"], whole["finish_reason"], whole["usage"]) == ("noise", "length", usage)
    assert metered(client) == before + usage["total_tokens"]
    events = stream(client, prompt="Say something", max_tokens=20, model=model)
    done = events[-1]
    assert (done["type"], done["model"], done["finish_reason"], done["usage"]) == ("done", "noise", "length", usage)
    assert joined(events) == done["text"] == whole["text"]
    assert metered(client) == before + 2 * usage["total_tokens"]


@either
def test_answers_match_a_schema(client: httpx2.Client, llama: Llama, model: str) -> None:
    asked = {"prompt": "What is it?", "response_format": FORMAT, "max_tokens": 200, "model": model}
    whole = chat(client, **asked)
    jsonschema_rs.validate(SCHEMA, whole["parsed"])
    assert (json.loads(whole["text"]), whole["finish_reason"]) == (whole["parsed"], "stop")
    assert whole["usage"] == reported(llama, "What is it?", response_format=FORMAT, max_tokens=200)
    events = stream(client, **asked)
    assert events[-1]["parsed"] == json.loads(joined(events)) == whole["parsed"]


@either
def test_the_official_sdk_chats_and_calls_tools(client: httpx2.Client, llama: Llama, model: str) -> None:
    from openai import OpenAI  # noqa: PLC0415 - takes a second

    key = client.headers["authorization"].removeprefix("Bearer ")
    create = OpenAI(
        base_url=f"{client.base_url}/v1", api_key=key, timeout=SECONDS, max_retries=0
    ).chat.completions.create
    before = metered(client)
    messages: list[Any] = [{"role": "user", "content": "Say something"}]
    asked: Any = {"model": model, "messages": messages, "temperature": 0, "max_tokens": 20}
    whole = create(**asked)
    *chunks, end = create(**asked, stream=True, stream_options={"include_usage": True})
    usage = reported(llama, "Say something", max_tokens=20)
    assert whole.usage and whole.usage.model_dump(include={*usage}) == usage
    assert end.usage == whole.usage
    assert (text_of(chunks), chunks[-1].choices[0].finish_reason) == (whole.choices[0].message.content, "length")
    assert metered(client) == before + 2 * usage["total_tokens"]

    asked |= {"tools": [WEATHER], "tool_choice": "required", "max_tokens": 2000}
    called = create(**asked).choices[0]
    (call,) = called.message.tool_calls or []
    assert (called.finish_reason, call.function.name) == ("tool_calls", "weather")
    jsonschema_rs.validate(WEATHER["function"]["parameters"], json.loads(call.function.arguments))
    chunks = list(create(**asked, stream=True))
    (streamed,) = [part for chunk in chunks for part in chunk.choices[0].delta.tool_calls or []]
    assert streamed.function and streamed.function.model_dump() == call.function.model_dump()
    assert text_of(chunks) == called.message.content
    messages += [called.message, {"role": "tool", "tool_call_id": call.id, "content": "Rain"}]
    assert create(**asked | {"tool_choice": "none", "max_tokens": 8}).choices[0].finish_reason == "length"


def text_of(chunks: list[Any]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def test_an_agent_runs_the_tools_that_the_model_calls(client: httpx2.Client) -> None:
    before = metered(client)
    answer = client.post("/api/agent", json={"prompt": "Help", "max_rounds": 2})
    assert answer.status_code == 200, answer.text
    run = answer.json()
    assert (run["executor"], run["finish_reason"], len(run["steps"])) == ("Push", "tool_limit", 2)
    assert all("result" in step or step["error"]["code"] for step in run["steps"])
    assert metered(client) == before + run["usage"]["total_tokens"]


def test_prompts_that_the_model_cannot_take_are_refused_and_harm_no_others(client: httpx2.Client) -> None:
    picture = [{"type": "image_url", "image_url": {"url": PIXEL}}]
    refused = (("x" * 20_000, "exceeds the available context size"), *[(picture, "image input is not supported")] * 3)
    for prompt, reason in refused:
        answer = client.post("/api/ai/chat", json={"prompt": prompt, "model": PUSH})
        assert (answer.status_code, reason in answer.json()["detail"]) == (502, True), answer.text
    assert chat(client, prompt="Say something", max_tokens=8, model=PUSH)["usage"]["completion_tokens"] == 8


def test_a_stopped_answer_is_metered_by_what_came(client: httpx2.Client, llama: Llama) -> None:
    before, lines, id = metered(client), [], ""
    asked = {"prompt": "Say something", "temperature": 0, "max_tokens": 15_000, "model": PUSH}
    with client.stream("POST", "/api/ai/chat/stream", json=asked) as answer:
        for line in answer.iter_lines():
            lines.append(line)
            if line == "event: delta" and not id:
                id = parse_events("\n".join(lines))[0]["id"]
                assert client.delete(f"/api/ai/chat/stream/{id}").status_code == 204
    _, *deltas, done = parse_events("\n".join(lines))
    assert (done["type"], done["finish_reason"], done["text"]) == ("done", "stopped", joined(deltas))
    assert len(deltas) <= done["usage"]["completion_tokens"] < 14_000
    assert metered(client) == before + done["usage"]["total_tokens"]
    wait_until(lambda: not is_busy(llama))


def is_busy(llama: Llama) -> bool:
    return any(slot["is_processing"] for slot in httpx2.get(f"http://{llama.address}/slots").json())
