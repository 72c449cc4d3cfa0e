"""What a document says about its fields: `Label: value`, columns, tables. Read once, line by line."""

import re
from collections.abc import Iterator

import msgspec

_LABEL = re.compile(r"[\s>*#_-]{0,20}([^\W_][^:=|\t]{0,60}?)[\s*_]{0,5}(?::|=)(?!//)[\s*_]{0,20}(\S.{0,300})")
_NUMBERED = re.compile(
    r"[\s>*#_-]{0,20}([^\W\d_][\w ]{0,40}?)\s{0,3}(?:\b(?:no|nr|num)\b\.?|#)\s{0,3}:?\s{0,3}(\S{1,100})", re.I
)
_CELLS = re.compile(r"\||\t| {2,}")
_RULE = re.compile(r"[\s|:+-]+")
_WORD = re.compile(r"[^\W\d_]+|\d+|#")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SAME = {
    "no": "number", "nr": "number", "num": "number", "#": "number", "amt": "amount", "qty": "quantity", "tel": "phone",
    "telephone": "phone", "mail": "email", "addr": "address",
}  # fmt: skip
_OTHERS: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
    ("total",): (("amount", "total"), ("total", "amount"), ("amount", "due"), ("amount",), ("balance",), ("sum",)),
    ("amount",): (("total",), ("sum",)), ("supplier",): (("vendor",), ("seller",), ("from",)),
    ("customer",): (("client",), ("buyer",), ("bill", "to")),
}  # fmt: skip
"""Labels that say the same as a name."""
_MAX_LINES, _MAX_LABELS, _MAX_LINE, _MAX_WORDS, _MAX_TABLES, _MAX_ROWS = 5_000, 500, 1_000, 8, 20, 100

Words = tuple[str, ...]


class FoundTable(msgspec.Struct, frozen=True):
    headers: list[Words]
    rows: list[list[str]]


class FoundLabels(msgspec.Struct, frozen=True):
    values: dict[Words, str]
    tables: list[FoundTable]
    by_word: dict[str, list[Words]] = {}
    """Labels by each of their words."""

    def find(self, name: str) -> str:
        """Return the value of the label that fits a name best: the same words, more words, or only the last ones."""
        wanted = words_of(name)
        endings = (wanted[start:] for start in range(1, len(wanted)))
        longer = (words for words in self.by_word.get(wanted[0], ()) if set(wanted) <= set(words)) if wanted else ()
        best = next(
            (words for words in (wanted, *_OTHERS.get(wanted, ()), *longer, *endings) if words in self.values), None
        )
        return "" if best is None else self.values[best]

    def add(self, label: str, value: str) -> None:
        words = words_of(label)
        if words and words not in self.values and len(self.values) < _MAX_LABELS:
            self.values[words] = value.strip().rstrip("*_|").strip()
            for word in set(words):
                self.by_word.setdefault(word, []).append(words)


def words_of(label: str) -> Words:
    """Return the words of a label or of a property's name, in the same spelling."""
    words = (word.lower() for word in _WORD.findall(_CAMEL.sub(" ", label)))
    return tuple(_SAME.get(word, word) for word in words)[:_MAX_WORDS]


def read(text: str) -> FoundLabels:
    found = FoundLabels({}, [])
    header: list[str] = []
    for line in [line[:_MAX_LINE] for line in text.splitlines() if line and not line.isspace()][:_MAX_LINES]:
        cells = _cells(line)
        if len(cells) > 2:
            header = _read_row(found, header, cells)
            continue
        if cells:
            header = []
        for label, value in _pairs(line, cells):
            found.add(label, value)
    return found


def _cells(line: str) -> list[str]:
    if _RULE.fullmatch(line):
        return []
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|")) if cell.strip()]


def _read_row(found: FoundLabels, header: list[str], cells: list[str]) -> list[str]:
    """Add a row to the table with this header; a row without a header before it is one."""
    if not header:
        if len(found.tables) < _MAX_TABLES:
            found.tables.append(FoundTable([words_of(cell) for cell in cells], []))
        return cells
    if found.tables and len(found.tables[-1].rows) < _MAX_ROWS:
        found.tables[-1].rows.append(cells)
    return header


def _pairs(line: str, cells: list[str]) -> Iterator[tuple[str, str]]:
    if match := _LABEL.match(line):
        yield match[1], match[2]
    elif match := _NUMBERED.match(line):
        yield f"{match[1]} number", match[2]
    elif len(cells) == 2:
        yield cells[0], cells[1]
