"""Write a minimal value for a JSON schema, with values and words that the prompt has."""

import math
import re
from typing import Any

from teamspace.ai.domain.simulated import patterns
from teamspace.completions import json_schemas

_MAX_DEPTH = 40
_MAX_VALUES = 5000
_MAX_PROMPT = 100_000
_MAX_ITEMS = 100
_MAX_MATCHED = 1000
"""Characters that are matched with a pattern."""
_WORD = re.compile(r"[^\W_][\w'-]*")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_LOWER, _UPPER = ("minimum", "exclusiveMinimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems")
# fmt: off
_FORMATS: dict[str, tuple[str, str]] = {
    # format: how it looks in a prompt, and a value without one
    "date":      (r"\b\d{4}-\d\d-\d\d\b",                                        "2026-01-01"),
    "time":      (r"\b\d\d:\d\d:\d\dZ",                                          "12:00:00Z"),
    "date-time": (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)",        "2026-01-01T12:00:00Z"),
    "email":     (r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",              "someone@example.com"),
    "uri":       (r"\bhttps?://[^\s<>\"']{1,500}",                               "https://example.com/"),
    "uuid":      (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",   "00000000-0000-4000-8000-000000000000"),
    "ipv4":      (r"\b(?:\d{1,3}\.){3}\d{1,3}\b",                                "192.0.2.1"),
    "ipv6":      (r"\b[0-9a-f]{1,4}(?:::?[0-9a-f]{1,4}){2,7}\b",                 "2001:db8::1"),
    "hostname":  (r"\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+\b",                  "example.com"),
    "duration":  (r"\bP(?:\d{1,4}[YMWD])+",                                      "P1D"),
}
# fmt: on


class CannotWrite(Exception):
    """No value was found."""


def write(schema: dict[str, Any], prompt: str) -> Any:
    """Return a value, the same for the same prompt. It can be invalid if the schema has uncommon rules."""
    try:
        return InstanceWriter(schema, prompt[:_MAX_PROMPT]).value(schema, "", 0)
    except (ArithmeticError, AttributeError, TypeError, ValueError, RecursionError):  # the schema is none
        raise CannotWrite from None


class InstanceWriter:
    def __init__(self, root: dict[str, Any], prompt: str) -> None:
        self._root, self._prompt = root, prompt
        self._words = _WORD.findall(prompt)[:500] or ["text"]
        self._values = 0

    def value(self, schema: Any, name: str, depth: int, number: int = 0) -> Any:
        """Return a value for the property `name`, or for the item `number` of a list."""
        self._values += 1
        if depth > _MAX_DEPTH or self._values > _MAX_VALUES or schema is False:
            raise CannotWrite
        rule = self._flat(schema, depth)
        if "const" in rule:
            return rule["const"]
        if isinstance(rule.get("enum"), list):
            return self._choice(rule["enum"], name, number)
        match _kind(rule):
            case "object":
                return self._object(rule, depth)
            case "array":
                return self._array(rule, name, depth)
            case "integer" | "number" as kind:
                return self._number(rule, name, number, whole=kind == "integer")
            case "boolean":
                return self.find(name).strip().lower() not in ("false", "no", "none")
            case "null":
                return None
        return self._text(rule, name, number)

    def find(self, name: str) -> str:
        """Return what the prompt says about a property: `Total: 42`, `the total is 42`; or an empty text."""
        words = [re.escape(word) for word in re.split(r"[\W_]+", name) if word]
        if not words:
            return ""
        spoken = r"[\s_-]?".join(words)
        named = re.compile(rf"\b{spoken}\b[\"']?\s?(?::|=|is\b|was\b)\s?([^\n;]{{1,300}})", re.IGNORECASE)
        match = named.search(self._prompt)
        return _clause(match[1]) if match else ""

    def mentions(self, name: str, rule: Any) -> bool:
        """Return whether the prompt says something about a property that is not required."""
        return bool(self.find(name))

    def find_number(self, name: str) -> str:
        """Return the same for a number, without separators of thousands."""
        return self.find(name).replace(",", "")

    def _flat(self, schema: Any, depth: int) -> dict[str, Any]:
        """Return a schema without references and alternatives: the first alternative that is not null."""
        if depth > _MAX_DEPTH:
            raise CannotWrite
        if not isinstance(schema, dict):
            return {}
        rule = {key: part for key, part in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        if isinstance(reference := schema.get("$ref"), str):
            rule = _merged(rule, self._flat(json_schemas.resolve(self._root, reference), depth + 1))
        for part in schema.get("allOf", []):
            rule = _merged(rule, self._flat(part, depth + 1))
        for key in ("anyOf", "oneOf"):
            if options := [part for part in schema.get(key, []) if isinstance(part, dict)]:
                chosen = next((part for part in options if part.get("type") != "null"), options[0])
                rule = _merged(rule, self._flat(chosen, depth + 1))
        return rule

    def _choice(self, options: list[Any], name: str, number: int) -> Any:
        """Return the option that the prompt says about the property, or names anywhere, or the first."""
        if not options:
            raise CannotWrite
        for text in (self.find(name), self._prompt):
            words = {word.lower() for word in _WORD.findall(text)}
            for option in options:
                parts = [word.lower() for word in _WORD.findall(str(option))]
                if parts and words.issuperset(parts):
                    return option
        return options[number % len(options)]

    def _object(self, rule: dict[str, Any], depth: int) -> dict[str, Any]:
        """Return an object with the required properties, and those that the prompt names."""
        known = _dict(rule.get("properties"))
        required = [name for name in rule.get("required", []) if isinstance(name, str)]
        other = rule.get("additionalProperties", {})
        found = {}
        for name in [*(name for name in known if name in required or self.mentions(name, known[name])), *required]:
            if name not in found:
                found[name] = self.value(known.get(name, other), name, depth + 1)
        missing = int(rule.get("minProperties", 0)) - len(found)
        more = [name for name in known if name not in found] + [f"key{number}" for number in range(1, _MAX_ITEMS)]
        for name in more[: max(0, missing)]:
            found[name] = self.value(known.get(name, other), name, depth + 1)
        return found

    def _array(self, rule: dict[str, Any], name: str, depth: int) -> list[Any]:
        first = rule.get("prefixItems", [])
        items = rule.get("items", rule.get("contains", {}))
        least = max(int(rule.get("minItems", 0)), int("contains" in rule and rule.get("minContains", 1)))
        texts = [part.strip() for part in re.split(r",| and ", self.find(name)) if part.strip()]
        if _kind(self._flat(items, depth)) == "string" and texts and not first and len(texts) >= least:
            return texts[: int(rule.get("maxItems", _MAX_ITEMS))]
        count = max(len(first), min(least, _MAX_ITEMS))
        rules = [*first, *[items] * (count - len(first))]
        return [self.value(part, "", depth + 1, number) for number, part in enumerate(rules)]

    def _number(self, rule: dict[str, Any], name: str, number: int, *, whole: bool) -> float:
        said = _NUMBER.search(self.find_number(name))
        value: float = float(said[0]) if said else number
        if "exclusiveMinimum" in rule and value <= rule["exclusiveMinimum"]:
            value = rule["exclusiveMinimum"] + (1 if whole else 0.5)
        value = max(value, rule.get("minimum", value))
        if "exclusiveMaximum" in rule and value >= rule["exclusiveMaximum"]:
            value = rule["exclusiveMaximum"] - (1 if whole else 0.5)
        value = min(value, rule.get("maximum", value))
        if step := rule.get("multipleOf"):
            value = math.ceil(value / step) * step
            value -= step if value > rule.get("maximum", value) else 0
        return int(value) if whole or value == int(value) else value

    def _text(self, rule: dict[str, Any], name: str, number: int) -> str:
        said = self.find(name)
        if isinstance(pattern := rule.get("pattern"), str):
            return self._matching(pattern, said)
        if form := _FORMATS.get(str(rule.get("format"))):
            match = re.search(form[0], said) or re.search(form[0], self._prompt)
            return match[0] if match else form[1]
        text = said or self.filler(number)
        least, most = int(rule.get("minLength", 0)), int(rule.get("maxLength", 1000))
        if len(text) < least <= 10_000:
            text = (text + " ") * (least // (len(text) + 1) + 1)
        return str(text[:most])

    def filler(self, number: int) -> str:
        """Return a text for what the prompt does not say: some of its words."""
        start = number * 6 % len(self._words)
        return " ".join(self._words[start : start + 6])

    def _matching(self, pattern: str, said: str) -> str:
        """Return what the prompt has for a pattern, or an example."""
        texts: list[str] = [said[:_MAX_MATCHED], *_WORD.findall(said[:_MAX_MATCHED]), *self._words[:200]]
        if found := json_schemas.first_match(pattern, filter(None, texts)):
            return found
        try:
            return patterns.example(pattern)
        except patterns.Unsupported:
            raise CannotWrite from None


def _kind(rule: dict[str, Any]) -> str:
    kind = rule.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in rule or "required" in rule:
        return "object"
    if "items" in rule or "prefixItems" in rule or "contains" in rule:
        return "array"
    return "number" if "minimum" in rule or "maximum" in rule else "string"


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    both = first | second
    for key in first.keys() & second.keys():
        one, other = first[key], second[key]
        if key == "properties" and isinstance(one, dict) and isinstance(other, dict):
            both[key] = one | other
        elif key == "required" and isinstance(one, list) and isinstance(other, list):
            both[key] = [*one, *(name for name in other if name not in one)]
        elif key == "enum" and isinstance(one, list) and isinstance(other, list):
            both[key] = [option for option in one if option in other]
        elif key in _LOWER or key in _UPPER:
            both[key] = (max if key in _LOWER else min)(one, other)
    return both


def _clause(text: str) -> str:
    """Return the text up to the end of its sentence, without quotes."""
    end = re.search(r"[.!?](?:\s|$)", text)
    return (text[: end.start()] if end else text).strip().strip("\"'").strip()


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
