"""What OpenAI's requests mean here, and how answers and refusals are written for its clients."""

from typing import Any

import msgspec
import pytest

from teamspace.ai import ChatBody
from teamspace.completions import TokenUsage, ToolCall
from teamspace.core.decoding import decode_body
from teamspace.core.errors import (
    BadRequest,
    NoExecutor,
    QuotaExceeded,
    RateLimited,
    Refusal,
    TokenExpired,
    Unauthenticated,
)
from teamspace.openai_api.domain import answers, requests
from teamspace.openai_api.domain.errors import render
from teamspace.openai_api.domain.stops import StopFilter
from teamspace.openai_api.schemas import Chunk, ChunkChoice, ChunkDelta, CompletionRequest

HELLO = {"role": "user", "content": "Hello"}
PIXEL = "data:image/png;base64,AAAA"
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
USAGE = TokenUsage.of(3, 4)


def read(**fields: Any) -> ChatBody:
    body = decode_body(CompletionRequest, msgspec.json.encode({"model": "default", "messages": [HELLO], **fields}))
    return requests.to_chat_body(body)


def written(request: ChatBody) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(request)
    return shown


def test_messages_keep_their_order_parts_and_calls() -> None:
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}}]
    request = read(
        messages=[
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": parts, "name": "Ann"},
            {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None, "audio": None},
            {"role": "tool", "tool_call_id": "call_1", "content": "Rain"},
        ]
    )
    assert written(request) == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": parts, "name": "Ann"},
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "Rain"},
        ]
    }


def test_options_are_carried_over() -> None:
    tool = {"type": "function", "function": {"name": "weather", "description": "Now", "parameters": SCHEMA}}
    choice = {"type": "function", "function": {"name": "weather"}}
    named = {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA, "strict": True}}
    request = read(model="m", max_tokens=5, temperature=0.5, tools=[tool], tool_choice=choice, response_format=named)
    assert written(request) | {"messages": None} == {
        "messages": None, "model": "m", "max_tokens": 5, "temperature": 0.5, "tools": [tool], "tool_choice": choice,
        "response_format": named,
    }  # fmt: skip
    assert read(max_tokens=5, max_completion_tokens=6).max_tokens == 6
    assert read(tool_choice="auto").tool_choice is None


def test_options_that_only_tune_the_answer_are_ignored() -> None:
    options = {
        "top_p": 0.9, "seed": 7, "user": "ann", "presence_penalty": 1, "logit_bias": {}, "store": False, "n": 1,
        "metadata": {"a": "b"}, "logprobs": False, "modalities": ["text"], "service_tier": "auto", "unheard_of": [1],
        "stream_options": {"include_usage": True, "include_obfuscation": False}, "reasoning_effort": "low",
    }  # fmt: skip
    assert read(**options) == read()


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"n": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"audio": {"voice": "x"}}, "audio"),
        ({"stop": ["a"] * 5}, "stop"),
        ({"stop": ""}, "stop"),
        ({"tools": [{"type": "custom", "custom": {}}]}, "tools[0].type"),
        ({"tools": [{"function": {"name": "no spaces"}}]}, "tools[0].function.name"),
        ({"tools": [{"function": {"name": "f"}}], "tool_choice": "maybe"}, "tool_choice"),
        ({"response_format": {"type": "grammar"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema.schema"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"temperature": 3}, "temperature"),
        ({"messages": []}, "messages"),
        ({"messages": [HELLO, {"role": "function", "content": "x"}]}, "messages[1].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0].type"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y"}}]}]},
            "messages[0].content[0].image_url.url",
        ),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}] * 2001}]}, "messages"),
    ],
)
def test_what_cannot_be_done_is_refused_and_the_field_is_named(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(BadRequest) as refused:
        body = decode_body(CompletionRequest, msgspec.json.encode({"model": "default", "messages": [HELLO], **fields}))
        requests.stop_sequences(body)
        requests.to_chat_body(body)
    error = render(refused.value).error
    assert (error.param, error.type) == (param, "invalid_request_error")


@pytest.mark.parametrize(
    ("refusal", "kind", "code"),
    [
        (Unauthenticated(), "invalid_request_error", "invalid_api_key"),
        (TokenExpired(), "invalid_request_error", "invalid_api_key"),
        (RateLimited("request.too_many", 1, seconds=1), "rate_limit_exceeded", "rate_limit_exceeded"),
        (
            QuotaExceeded("quota.slots", 1, limit=1, dimension="d", level="l"),
            "insufficient_quota",
            "insufficient_quota",
        ),
        (NoExecutor("executors.none_answers", executors="x"), "server_error", "no_executor"),
    ],
)
def test_an_error_has_openai_s_type_and_code(refusal: Refusal, kind: str, code: str) -> None:
    error = render(refusal).error
    assert (error.type, error.code, error.param, error.message) == (kind, code, None, refusal.detail)


def test_a_completion_has_openai_s_shape() -> None:
    made = answers.completion("1", 9, "m", text="Hi", tool_calls=[], finish_reason="stop", usage=USAGE)
    assert msgspec.to_builtins(made) == {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 9, "model": "m", "system_fingerprint": None,
        "choices": [{
            "index": 0, "message": {"role": "assistant", "content": "Hi", "refusal": None}, "logprobs": None,
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }  # fmt: skip
    call = msgspec.convert(CALL, ToolCall)
    called = answers.completion("1", 9, "m", text="", tool_calls=[call], finish_reason="stop", usage=USAGE)
    choice = msgspec.to_builtins(called.choices[0])
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    assert choice["message"]["tool_calls"] == [CALL]


def test_a_stream_begins_with_the_role_and_ends_with_the_reason_and_the_usage() -> None:
    chunks = answers.Chunks("1", 9, "m", include_usage=True)
    call = msgspec.convert(CALL, ToolCall)
    sent = [chunks.start(), chunks.text(b'"Hi"'), *chunks.end([call], "length", USAGE)]
    shown = msgspec.json.decode(msgspec.json.encode(sent))
    assert [[choice["delta"] for choice in chunk["choices"]] for chunk in shown] == [
        [{"role": "assistant", "content": ""}], [{"content": "Hi"}], [{"tool_calls": [{"index": 0, **CALL}]}], [{}], [],
    ]  # fmt: skip
    assert [chunk["usage"] for chunk in shown[:-1]] == [None] * 4
    assert shown[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert shown[-1]["usage"]["total_tokens"] == 7
    plain = answers.Chunks("1", 9, "m", include_usage=False)
    assert [chunk.choices[0].finish_reason for chunk in plain.end([], "stopped", USAGE)] == ["stop"]
    assert "usage" not in msgspec.to_builtins(plain.start())


@pytest.mark.parametrize("model", ["m", 'm"content":""', '"content":""', "\\", 'é\\"content":""'])
@pytest.mark.parametrize("text", ["Hi", "", '"', '"content":""', "\\\n é \u2028"])
def test_a_chunk_has_its_text_and_its_model_whatever_they_are(model: str, text: str) -> None:
    chunks = answers.Chunks("1", 9, "asked", include_usage=False)
    for named in ("asked", model):
        chunks.start(named)
        chunk = msgspec.json.decode(chunks.text(msgspec.json.encode(text)), type=Chunk)
        assert chunk == Chunk(
            id="chatcmpl-1", created=9, model=named, choices=[ChunkChoice(delta=ChunkDelta(content=text))]
        )


@pytest.mark.parametrize(
    ("stops", "pieces", "shown"),
    [
        ((), ["a", "b"], "ab"),
        (("END",), ["one EN", "D two"], "one "),
        (("END",), ["one EN", "TER"], "one ENTER"),
        (("END",), ["one E"], "one E"),
        (("x", "b"), ["ab", "x"], "a"),
        (("aab",), ["a", "a", "a", "b", "c"], "a"),
    ],
)
def test_an_answer_ends_before_a_stop_sequence(stops: tuple[str, ...], pieces: list[str], shown: str) -> None:
    filter = StopFilter(stops)
    assert "".join([*(filter.feed(piece) for piece in pieces), filter.flush()]) == shown
