"""From what a person asks to what a model is sent: the conversation so far, and the things that prompts refer to."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from teamspace import conversations
from teamspace.ai.domain import attaching
from teamspace.ai.domain.attaching import Attached, Library
from teamspace.ai.domain.sources import Sources
from teamspace.ai.schemas import (
    MAX_TEXT,
    ChatBody,
    ChatInput,
    ChatPart,
    Prompt,
    Reference,
    TurnInput,
)
from teamspace.completions import Content, ImagePart, Message, ModelRequest, Part, Speaker, TextPart, text_of
from teamspace.core.db import Db
from teamspace.core.errors import BadRequest, NotFound, TooLarge
from teamspace.core.principal import Principal

_FIELDS = ChatInput.__struct_fields__
_values_of = attrgetter(*_FIELDS)


class InConversation(Protocol):
    """A request that can be a turn of a conversation."""

    @property
    def prompt(self) -> Prompt: ...

    @property
    def conversation_id(self) -> str | None: ...

    @property
    def parent_id(self) -> str | UnsetType | None: ...

    @property
    def regenerate(self) -> str | None: ...


class Resolved(msgspec.Struct, frozen=True):
    request: ModelRequest
    sources: Sources


class _Said(msgspec.Struct, frozen=True):
    """What was said in a conversation."""

    role: Speaker
    content: Prompt


async def resolve(db: Db, library: Library, who: Principal, input: ChatInput, turn_id: str = "") -> Resolved:
    """Return the request for the model, with everything that the caller refers to and can read now."""
    said = await _dialogue(db, who, input, turn_id)
    if not said:
        return Resolved(ModelRequest(**to_fields(input)), Sources())
    attached = await attaching.load(db, library, who, list(_references(said[-1].content)))
    for earlier in reversed(said[:-1]):  # the newest are the most likely to be asked about
        await attaching.load_available(db, library, who, list(_references(earlier.content)), attached)
    messages = _alternating([Message(one.role, _to_content(one.content, attached)) for one in said])
    messages[-1] = _with_sources(messages[-1], attached)
    fields = to_fields(input) | {"messages": [*input.messages, *messages[:-1]], "prompt": messages[-1].content}
    if attached.instructions:
        fields["system"] = "\n\n".join([*filter(None, [input.system]), *attached.instructions])
    return Resolved(ModelRequest(**fields), attached.sources)


async def _dialogue(db: Db, who: Principal, input: ChatInput, turn_id: str) -> list[_Said]:
    if isinstance(input, TurnInput) and input.conversation_id is not None:
        turns = await conversations.history(db, who, turn_id)
        if not turns:  # it was deleted, or is no longer shared with the caller
            raise NotFound()
        return [_Said(Speaker(turn.role), msgspec.convert(turn.content, Prompt)) for turn in turns if turn.content]
    return [_Said(Speaker.USER, input.prompt)] if input.prompt else []


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """Join messages that follow each other: a prompt without an answer leaves two, which templates of models refuse."""
    joined = list[Message]()
    for message in messages:
        if joined and joined[-1].role is message.role:
            before = joined.pop()
            joined.append(Message(message.role, _join(before.content or "", message.content or "")))
        else:
            joined.append(message)
    return joined


def _join(first: Content, second: Content) -> Content:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Content) -> Sequence[Part]:
    return [TextPart(content)] if isinstance(content, str) else content


def _to_content(prompt: Prompt, attached: Attached) -> Content:
    if isinstance(prompt, str):
        return prompt
    parts = [part for each in prompt if (part := _to_part(each, attached)) is not None]
    if all(isinstance(part, TextPart) for part in parts):
        return text_of(parts)
    return parts


def _to_part(part: ChatPart, attached: Attached) -> Part | None:
    """Return what stands for a part in its message; images of the repository come with the last message."""
    if isinstance(part, TextPart | ImagePart):
        return part
    mention = attached.left_out.get(part) or attached.by_part.get(part)
    return TextPart(mention) if mention else None


def _with_sources(message: Message, attached: Attached) -> Message:
    shown = attached.render()
    if not (shown or attached.images):
        return message
    content = message.content or ""
    rendered = [TextPart(shown)] if shown else []
    own = _as_parts(content)
    parts: list[Part] = [*rendered, *own, *attached.images]
    return Message(message.role, parts if attached.images or _has_image(own) else text_of(parts))


def _has_image(parts: Sequence[Part]) -> bool:
    return any(isinstance(part, ImagePart) for part in parts)


async def measure(db: Db, library: Library, who: Principal, input: ChatInput, *, within: str = "") -> int:
    """Return the estimated tokens of what a prompt refers to, and of its conversation; raise if the prompt refers to
    something that cannot be read, or to an image that is not part of the request. `within` is where the input is."""
    check_size(input)
    for pointer, image in _images(input):
        if not image.image_url.url.startswith("data:image/"):
            raise BadRequest.at(f"{within}{pointer}/image_url/url", "ai.image_url")
    own = dict[Reference, str]()
    for index, part in enumerate(_parts(input.prompt)):
        if isinstance(part, Reference):
            own.setdefault(part, f"{within}/prompt/{index}")
    if not isinstance(input, ChatBody | TurnInput) or input.conversation_id is None:
        return await attaching.measure(db, library, who, own)
    history = await conversations.measure(db, who, input.conversation_id)
    earlier = msgspec.convert(history.references, list[Reference])
    return await attaching.measure(db, library, who, own, earlier) + history.characters // 4


def check_size(input: ChatInput) -> None:
    """Raise TooLarge if a request has too much besides its images."""
    images = sum(len(image.image_url.url) for _, image in _images(input))
    if len(msgspec.json.encode(input)) - images > MAX_TEXT:
        raise TooLarge("ai.text", limit=MAX_TEXT)


def _images(input: ChatInput) -> Iterator[tuple[str, ImagePart]]:
    """Return the images of the request, each with its place."""
    contents: list[tuple[str, object]] = [("/prompt", input.prompt)]
    contents += [(f"/messages/{index}/content", message.content) for index, message in enumerate(input.messages)]
    for at, content in contents:
        if isinstance(content, list):
            yield from ((f"{at}/{index}", part) for index, part in enumerate(content) if isinstance(part, ImagePart))


def without_references(input: ChatInput) -> ModelRequest:
    """Return the request without what the prompt refers to, for an estimate."""
    if isinstance(input.prompt, str):
        return ModelRequest(**to_fields(input))
    parts = [part for part in input.prompt if isinstance(part, TextPart | ImagePart)]
    return ModelRequest(**to_fields(input) | {"prompt": parts})


def to_fields(input: ChatInput) -> dict[str, Any]:
    return dict(zip(_FIELDS, _values_of(input), strict=True))


def check_conversation(body: InConversation) -> None:
    """Raise BadRequest if the fields that place a turn in a conversation do not fit together."""
    if body.regenerate is not None and body.prompt:
        raise BadRequest.at("/prompt", "ai.regenerate_alone")
    if body.conversation_id is None and (body.regenerate is not None or body.parent_id is not UNSET):
        raise BadRequest.at("/conversation_id", "ai.conversation_required")


def _parts(prompt: Prompt) -> Sequence[ChatPart]:
    return () if isinstance(prompt, str) else prompt


def _references(prompt: Prompt) -> Iterator[Reference]:
    return (part for part in _parts(prompt) if isinstance(part, Reference))
