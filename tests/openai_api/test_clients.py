"""Real OpenAI clients against a real server with default settings and the simulated model.

The clients are imported in the tests: each takes a second or more.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, SecretStr

from tests.support.served import DEFAULT_RATES, Served
from tests.support.world import PASSWORD

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI
    from openai import OpenAI

TIMEOUT = 60.0
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


class Bill(BaseModel):
    """What is to be paid."""

    total: int
    currency: str


class Weather(BaseModel):
    """The weather of a city."""

    city: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("openai") / "data"
    with Served({"SERVICE_DATA": str(data), **DEFAULT_RATES}) as server:
        yield server


@pytest.fixture(scope="module")
def operator(served: Served) -> str:
    token: str = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    return token


@pytest.fixture
def key(served: Served, operator: str) -> str:
    """An API token that can chat and nothing else."""
    made = served.call("POST", "/api/tokens", {"name": "client", "scope": ["chat:use"]}, token=operator)
    token: str = made["token"]
    return token


def sdk(served: Served, key: str) -> "OpenAI":
    from openai import OpenAI  # noqa: PLC0415 - takes a second

    return OpenAI(base_url=f"{served.url}/v1", api_key=key, timeout=TIMEOUT, max_retries=0)


def langchain(served: Served, key: str) -> "ChatOpenAI":
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - takes seconds

    return ChatOpenAI(
        base_url=f"{served.url}/v1", api_key=SecretStr(key), model="default", timeout=TIMEOUT, max_retries=0
    )


def test_the_official_sdk_chats(served: Served, key: str) -> None:
    client = sdk(served, key)
    assert [model.id for model in client.models.list()] == ["default", "simulated"]
    messages: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello there"}]
    answer = client.chat.completions.create(model="default", messages=messages, top_p=0.9, seed=7, user="ann")
    text = answer.choices[0].message.content
    assert text is not None and "Hello there" in text
    assert (answer.object, answer.model, answer.choices[0].finish_reason) == ("chat.completion", "simulated", "stop")
    assert answer.id.startswith("chatcmpl-") and answer.usage and answer.usage.total_tokens > 0

    stream = client.chat.completions.create(
        model="simulated", messages=messages, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == [] and chunks[-1].usage == answer.usage
    assert len(chunks) > 4

    cut = client.chat.completions.create(model="default", messages=messages, stop=["Hello"])
    assert cut.choices[0].message.content == text.partition("Hello")[0]
    stopped = list(client.chat.completions.create(model="default", messages=messages, stop="Hello", stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stopped) == text.partition("Hello")[0]
    assert stopped[-1].choices[0].finish_reason == "stop"
    short = client.chat.completions.create(model="default", messages=messages, max_completion_tokens=3)
    assert short.choices[0].finish_reason == "length"


def test_the_official_sdk_uses_tools_formats_and_images(served: Served, key: str) -> None:
    client = sdk(served, key)
    messages: Any = [{"role": "user", "content": 'Use weather {"city": "Bern"}'}]
    asked = client.chat.completions.create(model="default", messages=messages, tools=[WEATHER], tool_choice="auto")
    choice = asked.choices[0]
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
    (call,) = choice.message.tool_calls or []
    assert call.type == "function" and call.function.arguments == '{"city": "Bern"}'
    with client.chat.completions.stream(model="default", messages=messages, tools=[WEATHER]) as stream:
        streamed = stream.get_final_completion().choices[0].message
    assert streamed.tool_calls and streamed.tool_calls[0].function.arguments == call.function.arguments
    messages += [choice.message, {"role": "tool", "tool_call_id": call.id, "content": "Rain, 12 degrees"}]
    told = client.chat.completions.create(model="default", messages=messages, tools=[WEATHER])
    assert "Rain, 12 degrees" in (told.choices[0].message.content or "")

    bill: Any = [{"role": "user", "content": "Total: 42; Currency: CHF"}]
    parsed = client.chat.completions.parse(model="default", messages=bill, response_format=Bill)
    assert parsed.choices[0].message.parsed == Bill(total=42, currency="CHF")

    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    picture: Any = [{"role": "user", "content": parts}]
    seen = client.chat.completions.create(model="default", messages=picture)
    assert "1 image" in (seen.choices[0].message.content or "")


def test_the_official_sdk_recognizes_errors(served: Served, operator: str, key: str) -> None:
    import openai  # noqa: PLC0415 - takes a second

    client = sdk(served, key)
    hello: Any = [{"role": "user", "content": "Hello"}]
    with pytest.raises(openai.AuthenticationError) as unknown:
        sdk(served, "sk-wrong").models.list()
    assert unknown.value.code == "invalid_api_key"
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="gpt-4o", messages=hello)
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    remote: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/y"}}]}]
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="default", messages=remote)
    assert refused.value.param == "messages[0].content[0].image_url.url"
    with pytest.raises(openai.PermissionDeniedError):
        made = served.call("POST", "/api/tokens", {"name": "notes", "scope": ["notes:read"]}, token=operator)
        sdk(served, made["token"]).chat.completions.create(model="default", messages=hello)

    limit = {"dimension": "ai.requests", "window": "day", "limit": 1}
    served.call("POST", "/api/quota", limit, token=operator)
    try:
        with pytest.raises(openai.RateLimitError) as exhausted:
            for _ in range(2):
                client.chat.completions.create(model="default", messages=hello, stream=True)
        assert exhausted.value.code == "insufficient_quota"
        assert int(exhausted.value.response.headers["retry-after"]) > 0
    finally:
        served.call("POST", "/api/quota", {**limit, "limit": None}, token=operator)


def test_a_client_that_disconnects_stops_its_turn(served: Served, operator: str) -> None:
    hello: Any = [{"role": "user", "content": "Hello [simulate:slow:30]"}]
    stream = sdk(served, operator).chat.completions.create(model="default", messages=hello, stream=True)
    first = next(iter(stream))
    stream.close()
    path = f"/api/jobs/{first.id.removeprefix('chatcmpl-')}"
    until = time.monotonic() + 10
    while (job := served.call("GET", path, token=operator))["state"] == "running" and time.monotonic() < until:
        time.sleep(0.05)
    assert (job["state"], job["result"]["finish_reason"]) == ("succeeded", "stopped")


def test_a_failure_in_a_stream_is_an_error(served: Served, key: str) -> None:
    import openai  # noqa: PLC0415 - takes a second

    client = sdk(served, key)
    failing: Any = [{"role": "user", "content": "[simulate:fail]"}]
    with pytest.raises(openai.APIError, match="simulated model failed") as broken:
        list(client.chat.completions.create(model="default", messages=failing, stream=True))
    assert broken.value.code == "executor_failed"
    with pytest.raises(openai.InternalServerError) as failed:
        client.chat.completions.create(model="default", messages=failing)
    assert (failed.value.status_code, failed.value.code) == (502, "executor_failed")


def test_langchain(served: Served, key: str) -> None:
    model = langchain(served, key)
    text = model.invoke("Hello there").content
    assert "Hello there" in text
    assert "".join(str(chunk.content) for chunk in model.stream("Hello there")) == text
    assert model.with_structured_output(Bill).invoke("Total: 42; Currency: CHF") == Bill(total=42, currency="CHF")
    called = model.bind_tools([Weather]).invoke('Use Weather {"city": "Bern"}')
    assert [(call["name"], call["args"]) for call in getattr(called, "tool_calls", [])] == [
        ("Weather", {"city": "Bern"})
    ]


def test_the_llm_command(served: Served, key: str, tmp_path: Path) -> None:
    (tmp_path / "extra-openai-models.yaml").write_text(
        f"- model_id: team\n  model_name: default\n  api_base: {served.url}/v1\n  api_key_name: teamspace\n"
    )
    command = [str(Path(sys.executable).with_name("llm")), "-m", "team", "--key", key]
    for more in ((), ("--no-stream",)):
        ran = subprocess.run(
            [*command, *more, "Hello there"],
            check=False,
            env={**os.environ, "LLM_USER_PATH": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert (ran.returncode, "Hello there" in ran.stdout) == (0, True), ran.stderr
