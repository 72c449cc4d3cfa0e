"""What the parts of prompts refer to: files, notes and entities, read with the rights of the person who asks."""

import base64
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import msgspec

from teamspace import notes, repository
from teamspace.ai.domain import sources
from teamspace.ai.domain.sources import PromptSource, Sources
from teamspace.ai.schemas import EntityPart, NotePart, ObjectPart, Reference
from teamspace.blobs import BlobStore
from teamspace.completions import IMAGE_TOKENS, ImagePart, ImageUrl
from teamspace.core import pools
from teamspace.core.db import Db, Reads
from teamspace.core.errors import BadRequest, FieldError, NotFound, Refusal, TooLarge
from teamspace.core.principal import Principal
from teamspace.extraction import ReaderPool
from teamspace.repository import ObjectRow, VersionRow

MAX_SOURCES = 50
MAX_ENTITIES = 5
"""For each, several documents are read."""
MAX_CHARACTERS = 200_000
"""Of all sources and entities of a turn together, escaped."""
MAX_IMAGES, MAX_IMAGE_BYTES = 4, 4 * 1024 * 1024
GONE = "(A file or note that is no longer available.)"
NO_ROOM = "(A file or note that was left out, since there was no room for it.)"
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class EntityKnowledge(msgspec.Struct, frozen=True):
    """What a person can know about an entity."""

    facts: str
    """Its names and relations, as JSON."""
    passages: list[PromptSource]


class Library(msgspec.Struct, frozen=True):
    """Where the things that prompts refer to are read."""

    files: BlobStore
    readers: ReaderPool
    """For texts that are not extracted yet."""
    read_entities: Callable[[Db, BlobStore, Principal, Sequence[str]], Awaitable[dict[str, EntityKnowledge]]]
    """Returns those of which the person can read something."""
    measure_entities: Callable[[Db, Principal, Sequence[str]], Awaitable[dict[str, int]]]
    """Returns about how many characters each of them has."""


class Attached(msgspec.Struct, frozen=True):
    """What the parts of prompts refer to."""

    sources: Sources
    shown: list[PromptSource] = []
    """The passages of the sources that the model is given. Several can be of one source."""
    entities: list[str] = []
    """As blocks for a prompt."""
    images: list[ImagePart] = []
    by_part: dict[Reference, str] = {}
    """What stands for each in its message."""
    left_out: dict[Reference, str] = {}
    """What stands for each of earlier prompts that the model is not given."""

    @property
    def room(self) -> int:
        """How many more characters may be added."""
        used = sum(sources.size_of(source.text) for source in self.shown) + sum(map(len, self.entities))
        return max(0, MAX_CHARACTERS - used)

    @property
    def instructions(self) -> list[str]:
        """For the system prompt of the turn."""
        needed = ((sources.INSTRUCTION, self.shown), (sources.ENTITIES, self.entities))
        return [instruction for instruction, things in needed if things]

    def render(self) -> str:
        """Return the entities and sources as text for a prompt."""
        return "\n\n".join([*self.entities, sources.render(self.shown)]).strip()

    def add(self, part: Reference, passages: Sequence[PromptSource], facts: str | None) -> None:
        numbered = [self.sources.add(passage) for passage in passages]
        self.shown.extend(numbered)
        if facts is not None:
            self.entities.append(sources.render_entity(len(self.entities) + 1, facts))
        self.by_part[part] = sources.mention(numbered, None if facts is None else len(self.entities))


class _Loaded(msgspec.Struct, frozen=True):
    """What was read for a part, before it is numbered and cut."""

    passages: list[PromptSource] = []
    facts: str | None = None


def distinct(parts: Iterable[Reference]) -> list[Reference]:
    """Return the parts, each once; raise BadRequest if there are too many."""
    found = list(dict.fromkeys(parts))
    if len(found) > MAX_SOURCES:
        raise BadRequest("ai.sources", limit=MAX_SOURCES)
    if sum(isinstance(part, EntityPart) for part in found) > MAX_ENTITIES:
        raise BadRequest("ai.entities", limit=MAX_ENTITIES)
    return found


async def load(db: Db, library: Library, who: Principal, parts: Sequence[Reference]) -> Attached:
    """Load what `who` can read; raise if something cannot be read, or has no text.

    The characters of a turn are shared between the texts: short ones are complete, long ones are cut.
    """
    attached, wanted = Attached(Sources()), distinct(parts)
    known = await _read_entities(db, library, who, wanted)
    found = {part: await _load_part(db, library, who, part, attached, known) for part in wanted}
    facts = sum(sources.size_of(loaded.facts or "") for loaded in found.values())
    cut = _share([passage for loaded in found.values() for passage in loaded.passages], attached.room - facts)
    for part, loaded in found.items():
        attached.add(part, [next(cut) for _ in loaded.passages], loaded.facts)
    return attached


async def load_available(
    db: Db, library: Library, who: Principal, parts: Sequence[Reference], attached: Attached
) -> None:  # fmt: skip
    """Add what earlier prompts refer to, as far as it can be read now and there is room."""
    known = await _read_entities(db, library, who, [part for part in parts if _has_place(attached, part)])
    for part in parts:
        if part in attached.by_part or part in attached.left_out:
            continue
        if not _has_place(attached, part):
            attached.left_out[part] = NO_ROOM
            continue
        try:
            loaded = await _load_part(db, library, who, part, attached, known)
        except Refusal as refusal:
            attached.left_out[part] = GONE if isinstance(refusal, NotFound) else NO_ROOM
            continue
        room = attached.room - sources.size_of(loaded.facts or "")
        attached.add(part, list(_share(loaded.passages, room)), loaded.facts)


async def measure(
    db: Db, library: Library, who: Principal, parts: Mapping[Reference, str], earlier: Sequence[Reference] = ()
) -> int:
    """Return the estimated tokens of what `load`, and `load_available` for earlier parts, would load.

    Raises if one of `parts` cannot be given to a model, naming its place in the request, which is its value in `parts`.
    """
    wanted = distinct(parts)
    earlier = [part for part in dict.fromkeys(earlier) if part not in parts]
    known = await _measure_entities(db, library, who, _entity_ids([*wanted, *earlier])[:MAX_ENTITIES])
    found = list[int | None]()
    for part in wanted:
        with _refused_at(parts[part]):
            found.append(await _measure_part(db, who, part, known, found.count(None)))
    for part in earlier:
        with suppress(Refusal):
            found.append(await _measure_part(db, who, part, known, found.count(None)))
    characters = sum(size for size in found if size is not None)
    return min(characters, MAX_CHARACTERS) // 4 + found.count(None) * IMAGE_TOKENS


@contextmanager
def _refused_at(pointer: str) -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        refusal.with_fields(errors=(FieldError(pointer, refusal.detail, refusal.key, refusal.params),))
        raise


async def _measure_entities(db: Db, library: Library, who: Principal, ids: Sequence[str]) -> dict[str, int]:
    """Return about how many characters each of the entities has that can be read."""
    return await library.measure_entities(db, who, ids) if ids else {}


async def _measure_part(
    db: Db, who: Principal, part: Reference, known: Mapping[str, int], images: int
) -> int | None:  # fmt: skip
    """Return the characters of a part, or None for an image that follows `images` others; raise if it cannot be read."""
    if isinstance(part, NotePart):
        return len((await notes.find(db, who, part.note_id)).body)
    if isinstance(part, EntityPart):
        if part.entity_id not in known:
            raise NotFound()
        return known[part.entity_id]
    row, version = await _find_version(db, who, part)
    if version.content_type in IMAGE_TYPES:
        _check_image(version, images)
        return None
    repository.check_text(row, version)
    return version.size if version.text_length is None else version.text_length


def _has_place(attached: Attached, part: Reference) -> bool:
    if len(attached.sources) >= MAX_SOURCES:
        return False
    return not isinstance(part, EntityPart) or len(attached.entities) < MAX_ENTITIES


def _entity_ids(parts: Iterable[Reference]) -> list[str]:
    return list(dict.fromkeys(part.entity_id for part in parts if isinstance(part, EntityPart)))


async def _read_entities(
    db: Db, library: Library, who: Principal, parts: Iterable[Reference]
) -> dict[str, EntityKnowledge]:  # fmt: skip
    """Together, since a document that names one often names others."""
    ids = _entity_ids(parts)
    return await library.read_entities(db, library.files, who, ids) if ids else {}


async def _load_part(
    db: Db, library: Library, who: Principal, part: Reference, attached: Attached, known: dict[str, EntityKnowledge]
) -> _Loaded:
    """Return the texts of a part. An image has none: it is attached."""
    if isinstance(part, NotePart):
        return _Loaded([_of_note(await notes.find(db, who, part.note_id))])
    if isinstance(part, EntityPart):
        if (entity := known.get(part.entity_id)) is None:
            raise NotFound()
        return _Loaded(entity.passages, entity.facts)
    _, version = await _find_version(db, who, part)
    if version.content_type in IMAGE_TYPES:
        _check_image(version, len(attached.images))
        attached.images.append(await _load_image(db, library.files, version))
        return _Loaded()
    read = await repository.require_version_text(
        db, library.files, library.readers, who, part.object_id, part.version
    )  # fmt: skip
    return _Loaded([_of_object(read)])


def _of_note(note: notes.Note) -> PromptSource:
    body = note.body
    return PromptSource(0, "note", note.id, note.version, None, note.title, body[:MAX_CHARACTERS], 0, len(body))


def _of_object(read: repository.VersionText) -> PromptSource:
    version, content = read.version, read.text
    return PromptSource(
        0,
        "object",
        version.object_id,
        version.number,
        version.id,
        read.title,
        content[:MAX_CHARACTERS],
        0,
        len(content),
    )


def _share(found: Sequence[PromptSource], room: int) -> Iterator[PromptSource]:
    """Return the sources, cut so that they fit together."""
    room = max(0, room)
    sizes = [sources.size_of(source.text) for source in found]
    limits = dict[int, int]()
    for waiting, place in zip(range(len(found), 0, -1), sorted(range(len(found)), key=sizes.__getitem__), strict=True):
        limits[place] = min(sizes[place], room // waiting)
        room -= limits[place]
    for place, source in enumerate(found):
        yield msgspec.structs.replace(source, text=sources.fitting(source.text, limits[place]))


async def _find_version(db: Reads, who: Principal, part: ObjectPart) -> tuple[ObjectRow, VersionRow]:
    row = await repository.get_visible(db, who, part.object_id)
    return row, await repository.get_version(db, row, row.version if part.version is None else part.version)


def _check_image(version: VersionRow, before: int) -> None:
    """Raise if an image is too large, or one too many after those `before` it."""
    if before == MAX_IMAGES:
        raise BadRequest("ai.images", limit=MAX_IMAGES)
    if version.size > MAX_IMAGE_BYTES:
        raise TooLarge("ai.image_too_large", limit=MAX_IMAGE_BYTES)


async def _load_image(db: Reads, files: BlobStore, version: VersionRow) -> ImagePart:
    content = repository.reading.read_range(db, files, version, 0, version.size)
    data = b"".join([chunk async for chunk in content])
    encoded = (await pools.TEXT.run(base64.b64encode, data)).decode()
    return ImagePart(ImageUrl(f"data:{version.content_type};base64,{encoded}"))
