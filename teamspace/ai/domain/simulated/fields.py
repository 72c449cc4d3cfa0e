"""Simulated extraction of fields: values from the document's labels and tables, nothing invented."""

import re
from typing import Any

from teamspace.ai.domain.simulated import labels
from teamspace.ai.domain.simulated.instances import CannotWrite, InstanceWriter
from teamspace.ai.domain.simulated.labels import FoundLabels, FoundTable
from teamspace.completions import JsonSchema, ResponseFormat

NAME = "fields"
MAX_TEXT = 250_000
_MAX_SPOKEN = 20
"""Fields that are also looked for in sentences, each in the whole text."""
_TAG = re.compile(r"</?document [0-9a-f]{16}>\n?")
_EUROPEAN = re.compile(r"(?<!\d)\d{1,3}(?:[. \u00a0]\d{3})*,\d{1,2}(?!\d)|(?<!\d)\d{1,3}(?:\.\d{3})+(?![\d.])")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_FIRST = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_NAMED = re.compile(r"\b(?:(\d{1,2})\.? )?([A-Za-z]{3})[a-z]{0,6}\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?,? (\d{4})\b")


def is_wanted(wanted: ResponseFormat | None) -> bool:
    return isinstance(wanted, JsonSchema) and wanted.named.name == NAME


def write(schema: dict[str, Any], said: str) -> Any:
    """Return the fields of a document; what it does not say is null or empty, as far as the schema allows."""
    text = _TAG.sub("", said[:MAX_TEXT])
    try:
        return _FieldWriter(schema, text).value(schema, "", 0)
    except (ArithmeticError, AttributeError, TypeError, ValueError, RecursionError):
        raise CannotWrite from None


class _FieldWriter(InstanceWriter):
    def __init__(self, root: dict[str, Any], text: str) -> None:
        super().__init__(root, text)
        self._labels = labels.read(text)
        self._known: dict[str, str] = {}
        self._spoken = 0
        self._in_row = False

    def value(self, schema: Any, name: str, depth: int, number: int = 0) -> Any:
        if name and _allows_null(schema) and not self.find(name) and not _is_nested(schema):
            return None
        return super().value(schema, name, depth, number)

    def find(self, name: str) -> str:
        if self._in_row:
            return self._labels.find(name)
        if name not in self._known:
            found = self._labels.find(name)
            if not found and self._spoken < _MAX_SPOKEN:
                self._spoken += 1
                found = super().find(name)
            self._known[name] = _to_iso_date(found)
        return self._known[name]

    def mentions(self, name: str, rule: Any) -> bool:
        items = rule.get("items") if isinstance(rule, dict) else None
        properties = items.get("properties") if isinstance(items, dict) else None
        return bool(self.find(name)) or (isinstance(properties, dict) and self._find_table(properties) is not None)

    def find_number(self, name: str) -> str:
        said = self.find(name)
        if match := _EUROPEAN.search(said):
            return re.sub(r"[. \u00a0]", "", match[0]).replace(",", ".")
        return super().find_number(name)

    def filler(self, number: int) -> str:
        return ""

    def _array(self, rule: dict[str, Any], name: str, depth: int) -> list[Any]:
        items = self._flat(rule.get("items", {}), depth)
        properties = items.get("properties")
        table = self._find_table(properties) if isinstance(properties, dict) else None
        if table is None:
            return super()._array(rule, name, depth)
        outer, self._in_row = self._labels, True
        try:
            found = []
            for row in table.rows[: int(rule.get("maxItems", len(table.rows)))]:
                self._labels = FoundLabels(dict(zip(table.headers, row, strict=False)), [])
                found.append(super().value(items, "", depth + 1))
            return found
        finally:
            self._labels, self._in_row = outer, False

    def _find_table(self, properties: dict[str, Any]) -> FoundTable | None:
        """Return the table whose headers name most of the properties, and half of them at least."""
        if self._in_row:
            return None
        wanted = [labels.words_of(name) for name in properties]
        counts = [sum(words in table.headers for words in wanted) for table in self._labels.tables]
        best = max(range(len(counts)), key=counts.__getitem__, default=None)
        return None if best is None or 2 * counts[best] < len(wanted) else self._labels.tables[best]


def _allows_null(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    kind, options = schema.get("type"), [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    is_listed = isinstance(kind, list) and "null" in kind
    return is_listed or any(isinstance(one, dict) and one.get("type") == "null" for one in options)


def _is_nested(schema: dict[str, Any]) -> bool:
    return "properties" in schema or "items" in schema


def _to_iso_date(said: str) -> str:
    """Return a value with its first date as YYYY-MM-DD."""
    if match := _DAY_FIRST.search(said):
        return said.replace(match[0], f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}")
    match = _NAMED.search(said)
    if match and match[2].lower() in _MONTHS and (day := match[1] or match[3]):
        month = _MONTHS.index(match[2].lower()) + 1
        return said.replace(match[0], f"{match[4]}-{month:02}-{int(day):02}")
    return said
