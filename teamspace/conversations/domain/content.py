"""The text of a turn, and what is made from it."""

from collections.abc import Sequence

import msgspec

from teamspace.conversations.domain import titles
from teamspace.conversations.schemas import Answer, Content, EncodedPrompt
from teamspace.core.db import as_json

EXCERPT_LENGTH = 280
IMAGE_CHARACTERS = 4_000
"""What an image counts among the characters that a model reads."""
_STEP = 1_000
_decoder: msgspec.json.Decoder[Content] = msgspec.json.Decoder(Content)


def decode(stored: str) -> Content:
    return _decoder.decode(stored)


def encode_prompt(prompt: str | Sequence[object]) -> EncodedPrompt:
    """Return a prompt as it is stored; its parts can be structs."""
    stored = as_json(prompt)
    content = prompt if isinstance(prompt, str) else decode(stored)
    return EncodedPrompt(
        stored, len(stored.encode()), count_characters(content), 0 if isinstance(content, str) else len(content),
        _references_of(content), title_of(content), excerpt_of(content),
    )  # fmt: skip


def text_of(content: Content) -> str:
    """Return the text without images and references; databases store no NUL."""
    parts = [content] if isinstance(content, str) else [part["text"] for part in content if part.get("type") == "text"]
    return "\n".join(parts).replace("\0", "")


def count_characters(content: Content) -> int:
    """Return how much of a model's context the content takes."""
    images = 0 if isinstance(content, str) else sum(part.get("type") == "image_url" for part in content)
    return len(text_of(content)) + images * IMAGE_CHARACTERS


def _references_of(content: Content) -> tuple[str, ...]:
    parts = () if isinstance(content, str) else content
    found = (as_json(part) for part in parts if part.get("type") not in ("text", "image_url"))
    return tuple(dict.fromkeys(found))


def title_of(content: Content) -> str:
    """Return the first line that has words, shortened; empty if there is none."""
    return titles.to_title(text_of(content))


def excerpt_of(content: Content) -> str:
    return text_of(content)[:EXCERPT_LENGTH].strip()


def fit(text: str, citations: Sequence[object], steps: Sequence[object] | None, size: int) -> Answer:
    """Return an answer of at most `size` bytes: the beginning of the text, then citations and steps if they fit."""
    beginning = _beginning(text, size)
    answer = Answer(as_json(beginning), beginning == text, beginning)
    for name, parts in (("citations", citations or None), ("steps", steps)):
        if parts is not None:
            encoded = as_json(list(parts))
            fits = answer.size + len(encoded.encode()) <= size
            answer = msgspec.structs.replace(answer, **{name: encoded} if fits else {"is_complete": False})
    return answer


def _beginning(text: str, size: int) -> str:
    """Return the beginning of a text whose JSON has at most `size` bytes, in steps of a thousand characters."""
    if len(as_json(text).encode()) <= size:
        return text
    used = len('""')
    for start in range(0, len(text), _STEP):
        used += len(as_json(text[start : start + _STEP]).encode()) - len('""')
        if used > size:
            return text[:start]
    return text
