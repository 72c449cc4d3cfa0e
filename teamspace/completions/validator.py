"""The process that checks values against JSON schemas. It is ended if a check takes too long.

The library holds the interpreter and cannot be interrupted, and a small schema can take it minutes. This file runs as a
script and imports nothing of Teamspace, so that the process starts in a few hundredths of a second.
"""

import resource
import signal
import sys
from typing import IO, Any

import jsonschema_rs
import msgspec

READY = b"\n"
SIZE_BYTES = 8
"""Of the number before every message."""
_CPU_SECONDS = 0.25
"""Of one check: ten times what the largest answer takes with an ordinary schema."""
_MEMORY_BYTES = 512 * 1024 * 1024
_PATTERNS = jsonschema_rs.RegexOptions(size_limit=64 * 1024)
"""The linear engine; patterns with lookarounds and backreferences are not valid."""
_MASK = "the value"
"""Stands for values in messages, which could be long."""
_MAX_REASON = 300


class SchemaCheck(msgspec.Struct, frozen=True):
    schema: dict[str, Any]
    value: Any = None


class SchemaVerdict(msgspec.Struct, frozen=True):
    """Whether schema and value are right; if not, where they are wrong and why."""

    schema_is_valid: bool = True
    value_is_valid: bool = True
    path: list[str | int] = []
    reason: str = ""


def compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Return the validator of a schema; raise ValidationError if it is none. Nothing is fetched."""
    return jsonschema_rs.validator_for(
        schema, pattern_options=_PATTERNS, offline=True, validate_formats=True, mask=_MASK
    )


def serve(requests: IO[bytes], verdicts: IO[bytes]) -> None:
    """Answer one check after the other until the requests end."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    verdicts.write(READY)
    verdicts.flush()
    while size := requests.read(SIZE_BYTES):
        request = requests.read(int.from_bytes(size, "big"))
        signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)  # its signal ends the process, also within the library
        verdict = _verdict(msgspec.json.decode(request, type=SchemaCheck))
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(verdicts, msgspec.json.encode(verdict))


def send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(SIZE_BYTES, "big"))
    pipe.write(message)
    pipe.flush()


def _verdict(check: SchemaCheck) -> SchemaVerdict:
    try:
        validator = compiled(check.schema)
    except jsonschema_rs.ValidationError as fault:
        return SchemaVerdict(schema_is_valid=False, path=fault.instance_path, reason=_reason(fault))
    try:
        validator.validate(check.value)
    except jsonschema_rs.ValidationError as fault:
        return SchemaVerdict(value_is_valid=False, path=fault.instance_path, reason=_reason(fault))
    return SchemaVerdict()


def _reason(fault: jsonschema_rs.ValidationError) -> str:
    printable = "".join(character for character in fault.message[:_MAX_REASON] if character.isprintable())
    return printable.rstrip(".")


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
