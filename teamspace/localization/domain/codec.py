"""The format of catalog files and of the sidecars that say what is approved: sorted, one line per message.

Both are JSON objects of objects of texts. Equal content gives equal bytes, and a changed message changes one line, so
that files can be kept in git and merged. A file that is edited by hand is read leniently about space and order, and
strictly about everything else: the refusal names file, line and message.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from teamspace.core import clock
from teamspace.core.errors import BadRequest
from teamspace.core.messages import Messages

MAX_BYTES = 16 * 1024 * 1024
MAX_MESSAGES = 200_000
MAX_TEXT = 10_000
_NAMESPACE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Without a dot: in the name of a message, `<namespace>.<key>`, the first dot ends the namespace."""
_KEY = re.compile(r"[!-~]{1,200}")
_SPACE = re.compile(r"[ \t\r\n]+")
_JSON = json.JSONDecoder()
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_HASH = re.compile(r"[0-9a-f]{16}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)
_ORIGINS = ("human", "machine", "import")
_MAX_SHOWN = 100


class FileMessage(msgspec.Struct, frozen=True):
    """A message of a catalog file, and the line it is on."""

    namespace: str
    key: str
    text: str
    line: int

    @property
    def name(self) -> str:
        return f"{self.namespace}.{self.key}"


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a sidecar says about a message of the file."""

    h: str
    """The hash of the source that the text was made of."""
    o: str
    """Its origin: human, machine or import."""
    by: str | None = None
    at: str | None = None
    """Who approved it, and when; no time: it is not approved."""
    t: str | None = None
    """The hash of the text. A text that was edited by hand has another one: nobody has approved it."""


class _Item(msgspec.Struct, frozen=True):
    """A text in an object in the object of a file."""

    group: str
    key: str
    value: str
    line: int


# Writing


def encode_catalog(messages: Mapping[str, Mapping[str, str]]) -> bytes:
    """Return a catalog file: namespaces and keys sorted, one line per message."""
    full = {namespace: dict(sorted(texts.items())) for namespace, texts in sorted(messages.items()) if texts}
    return (json.dumps(full, ensure_ascii=False, indent=2) + "\n").encode()


def encode_marks(marks: Mapping[str, Mark]) -> bytes:
    """Return a sidecar: names sorted, one line per message."""
    lines = [f"  {_quote(name)}: {_encode_mark(mark)}" for name, mark in sorted(marks.items())]
    return ("{\n" + ",\n".join(lines) + "\n}\n" if lines else "{}\n").encode()


def _encode_mark(mark: Mark) -> str:
    return json.dumps(msgspec.to_builtins(mark), ensure_ascii=False)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def to_catalog(messages: Iterable[FileMessage]) -> Messages:
    """Return messages by namespace and key."""
    catalog: Messages = {}
    for message in messages:
        catalog.setdefault(message.namespace, {})[message.key] = message.text
    return catalog


# Reading


def decode_catalog(file: str, body: bytes) -> list[FileMessage]:
    """Return the messages of a catalog file in the file's order, or raise BadRequest."""
    reader = _Reader(file, body)
    return [reader.check_message(item) for item in reader.read(MAX_MESSAGES)]


def decode_marks(file: str, body: bytes) -> dict[str, Mark]:
    """Return the marks of a sidecar by the names of their messages, or raise BadRequest."""
    reader = _Reader(file, body)
    fields = dict[str, dict[str, str]]()
    lines = dict[str, int]()
    for item in reader.read(MAX_MESSAGES * len(Mark.__struct_fields__)):
        fields.setdefault(item.group, {})[item.key] = item.value
        lines.setdefault(item.group, item.line)
    return {name: reader.check_mark(name, found, lines[name]) for name, found in fields.items()}


class _Reader:
    """Reads an object of objects of texts, and knows the line of everything in it."""

    def __init__(self, file: str, body: bytes) -> None:
        self._file = file
        if len(body) > MAX_BYTES:
            raise BadRequest("localization.file_size", file=file, limit=MAX_BYTES // 1024**2)
        try:
            self._text = body.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            line = body.count(b"\n", 0, fault.start) + 1
            raise BadRequest("localization.file_encoding", file=file, line=line) from None
        self._at, self._near = 0, "{"
        self._counted, self._lines = 0, 1

    def read(self, limit: int) -> Iterator[_Item]:
        """Read the whole file; a name that occurs twice is refused, in the file and in each of its objects."""
        total = 0
        for group, _ in self._read_object(""):
            for key, line in self._read_object(f"{group}."):
                total += 1
                if total > limit:
                    raise BadRequest("localization.file_messages", file=self._file, limit=MAX_MESSAGES)
                yield _Item(group, key, self._read_text(), line)
        self._skip_space()
        if self._at < len(self._text):
            raise self._malformed()

    def check_message(self, item: _Item) -> FileMessage:
        name = f"{item.group}.{item.key}"
        if not _NAMESPACE.fullmatch(item.group) or not _KEY.fullmatch(item.key):
            raise BadRequest("localization.file_name", file=self._file, line=item.line, name=_show(name))
        if not item.value.strip() or len(item.value) > MAX_TEXT or _UNSTORABLE.search(item.value):
            raise BadRequest("localization.file_text", file=self._file, line=item.line, name=name, limit=MAX_TEXT)
        return FileMessage(item.group, item.key, item.value, item.line)

    def check_mark(self, name: str, fields: dict[str, str], line: int) -> Mark:
        try:
            mark = msgspec.convert(fields, Mark)
        except msgspec.ValidationError:
            mark = None
        if mark is None or not _is_valid(mark) or fields.keys() - set(Mark.__struct_fields__):
            raise BadRequest("localization.file_mark", file=self._file, line=line, name=_show(name))
        return mark

    def _read_object(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Read the keys of an object, with their lines. Whoever iterates reads the value of each."""
        seen = set[str]()
        self._expect("{")
        self._skip_space()
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            self._skip_space()
            line = self._line()
            key = self._read_text()
            self._near = prefix + key
            if key in seen:
                raise BadRequest("localization.file_duplicate", file=self._file, line=line, name=_show(self._near))
            seen.add(key)
            self._expect(":")
            yield key, line
            self._skip_space()
            if self._peek() == "}":
                self._at += 1
                return
            self._expect(",")

    def _read_text(self) -> str:
        self._skip_space()
        if self._peek() != '"':
            raise self._malformed()
        text: str
        try:
            text, self._at = _JSON.raw_decode(self._text, self._at)
        except json.JSONDecodeError as fault:
            self._at = max(fault.pos, self._at)
            raise self._malformed() from None
        return text

    def _expect(self, sign: str) -> None:
        self._skip_space()
        if self._peek() != sign:
            raise self._malformed()
        self._at += 1

    def _skip_space(self) -> None:
        if space := _SPACE.match(self._text, self._at):
            self._at = space.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _line(self) -> int:
        """Return the line that is being read. Places only grow, so every character is counted once."""
        self._lines += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._lines

    def _malformed(self) -> BadRequest:
        return BadRequest("localization.file_syntax", file=self._file, line=self._line(), name=_show(self._near))


def _is_valid(mark: Mark) -> bool:
    return (
        bool(_HASH.fullmatch(mark.h))
        and (mark.t is None or bool(_HASH.fullmatch(mark.t)))
        and mark.o in _ORIGINS
        and (mark.by is None or (len(mark.by) <= _MAX_SHOWN and not _UNSTORABLE.search(mark.by)))
        and (mark.at is None or _is_past(mark.at))
    )


def _is_past(time: str) -> bool:
    """Tell whether it is a time, and not in the future: that one would be the latest approval for good."""
    if not _TIME.fullmatch(time) or time > clock.later(clock.DAY):
        return False
    try:
        clock.seconds(time)
    except ValueError:
        return False
    return True


def _show(name: str) -> str:
    """Return a name for a refusal: short, and without what cannot be shown."""
    return _UNSTORABLE.sub("�", name[:_MAX_SHOWN])
