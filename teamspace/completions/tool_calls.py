"""Tool calls in the format of OpenAI-compatible model servers: whole ones, and fragments of streamed ones."""

from typing import Annotated

import msgspec

from teamspace.completions.errors import CompletionError
from teamspace.completions.schemas import FunctionCall, ToolCall

MAX_CALLS = 64
MAX_BYTES = 256 * 1024
"""Of all calls of an answer. Decoding more would hold the event loop."""
NULL = msgspec.Raw(b"null")
_Short = Annotated[str, msgspec.Meta(max_length=200)]


class _Function(msgspec.Struct, frozen=True, gc=False):
    name: _Short | None = None
    arguments: msgspec.Raw = NULL
    """A text; some servers send the object itself."""


class _Fragment(msgspec.Struct, frozen=True, gc=False):
    """A part of a call, or a whole one."""

    index: int | None = None
    id: _Short | None = None
    function: _Function = _Function()


class _PartialCall:
    def __init__(self, id: str, name: str) -> None:
        self.id, self.name = id, name
        self.arguments: list[str] = []


class PartialCalls:
    """The tool calls that have arrived of an answer."""

    def __init__(self) -> None:
        self._calls: list[_PartialCall] = []
        self._by_index: dict[int, _PartialCall] = {}
        self._size = 0

    def add(self, raw: msgspec.Raw) -> None:
        """Add the calls of a whole message, or the fragments of a chunk; MALFORMED or CompletionError if they are bad."""
        if raw == NULL:
            return
        if len(bytes(raw)) > MAX_BYTES:
            raise _too_many()
        fragments = msgspec.json.decode(raw, type=list[_Fragment])
        if len(fragments) > MAX_CALLS:
            raise _too_many()
        for fragment in fragments:
            call = self._call_of(fragment)
            if text := _text(fragment.function.arguments):
                call.arguments.append(text)
                self._size += len(text)
            if len(self._calls) > MAX_CALLS or self._size > MAX_BYTES:
                raise _too_many()

    def _call_of(self, fragment: _Fragment) -> _PartialCall:
        """Return the call that a fragment continues or begins."""
        known = self._by_index.get(fragment.index) if fragment.index is not None else self._last()
        if known is None or _begins(fragment, known):
            known = _PartialCall(fragment.id or "", fragment.function.name or "")
            self._calls.append(known)
        if fragment.index is not None:
            self._by_index[fragment.index] = known
        known.id, known.name = known.id or fragment.id or "", known.name or fragment.function.name or ""
        return known

    def _last(self) -> _PartialCall | None:
        return self._calls[-1] if self._calls else None

    @property
    def text(self) -> str:
        """What the model has written, to estimate its tokens."""
        return "".join(call.name + "".join(call.arguments) for call in self._calls)

    def whole(self) -> list[ToolCall]:
        """Return the calls, each with an id of its own; one without a name is MALFORMED."""
        taken: set[str] = set()
        calls = []
        for number, call in enumerate(self._calls, 1):
            if not call.name:
                raise msgspec.ValidationError("a tool call has no name")
            id = call.id if call.id and call.id not in taken else f"call_{number}"
            taken.add(id)
            calls.append(ToolCall(id, FunctionCall(call.name, "".join(call.arguments) or "{}")))
        return calls


def _begins(fragment: _Fragment, known: _PartialCall) -> bool:
    """Whether a fragment begins another call, though it has the place of a known one.

    Some servers omit the index, or count from 0 again; some repeat id and name in every fragment.
    """
    if not fragment.function.name or not known.name:
        return False
    return fragment.id != known.id if fragment.id else fragment.index is None


def _text(arguments: msgspec.Raw) -> str:
    data = bytes(arguments)
    if data.startswith(b'"'):
        return msgspec.json.decode(data, type=str)
    return "" if data == b"null" else data.decode()


def _too_many() -> CompletionError:
    return CompletionError("model.too_many_calls", retryable=False, unhealthy=False)
