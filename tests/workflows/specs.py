"""Random specs, valid and invalid, and the tools they call. The same seed gives the same spec."""

import copy
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from teamspace.workflows.domain.language.specs import ToolShape
from tests.workflows.interpreter import ToolError

ANYTHING: dict[str, Any] = {}
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def arguments(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def returning(*types: str) -> frozenset[str]:
    return frozenset(types)


SHAPES: dict[str, ToolShape] = {
    "give": ToolShape(arguments(("value",), value=ANYTHING)),
    "count_up": ToolShape(
        arguments(("count",), count=WHOLE | {"minimum": 0, "maximum": 1000}, start=WHOLE), returning("array")
    ),
    "join": ToolShape(
        arguments(("first", "second"), first=TEXT, second=TEXT, separator={"enum": ["", "-", " "]}),
        returning("string"),
    ),
    "pair": ToolShape(arguments(("left", "right"), left=ANYTHING, right=ANYTHING), returning("object")),
    "length": ToolShape(
        arguments(("of",), of={"anyOf": [TEXT, {"type": "array", "items": ANYTHING}]}), returning("integer")
    ),
}  # fmt: skip
"""What the validator is told about the tools."""


def find_tool(name: str) -> ToolShape | None:
    return SHAPES.get(name)


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def need(condition: bool) -> None:
    if not condition:
        raise ToolError


def give(given: dict[str, Any]) -> Any:
    return given["value"]


def count_up(given: dict[str, Any]) -> list[int]:
    count, start = given["count"], given.get("start", 0)
    need(is_whole(count) and is_whole(start) and 0 <= count <= 1000)
    return list(range(start, start + count))


def join(given: dict[str, Any]) -> str:
    first, second, separator = given["first"], given["second"], given.get("separator", "")
    need(isinstance(first, str) and isinstance(second, str) and separator in ("", "-", " "))
    return f"{first}{separator}{second}"


def pair(given: dict[str, Any]) -> dict[str, Any]:
    return {"left": given["left"], "right": given["right"]}


def length(given: dict[str, Any]) -> int:
    need(isinstance(given["of"], str | list))
    return len(given["of"])


TOOLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "give": give, "count_up": count_up, "join": join, "pair": pair, "length": length
}  # fmt: skip
"""What the tools do."""


def returned(tool: str) -> str:
    """Return the type of a tool's result; `any` if it is unknown."""
    types = SHAPES[tool].returns
    return "any" if types is None else next(iter(types))


class Case(msgspec.Struct):
    """A valid spec with an input."""

    raw: dict[str, Any]
    input: dict[str, Any]


class BrokenCase(msgspec.Struct):
    """A spec with one fault: where it is, and which."""

    raw: dict[str, Any]
    pointer: str
    key: str


def valid(seed: int, largest: int = 9) -> Case:
    """Return a random spec that is valid. Its run may fail, but it ends."""
    return Writer(random.Random(seed)).write(largest)


class Writer:
    """Writes a spec, step by step."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.steps = list[dict[str, Any]]()
        self.inputs = dict[str, str]()

    def write(self, largest: int) -> Case:
        rng = self.rng
        for name in rng.sample(["title", "rows", "amount", "count", "flag", "data"], rng.randint(0, 6)):
            self.inputs[name] = rng.choice(["string", "number", "integer", "boolean", "object", "array"])
        count = rng.randint(1, largest)
        targets = set[int]()
        for position in range(count):
            self.steps.append({"id": f"s{position}", "kind": "tool"})
            self.place(position, count, targets)
        for position in range(count):
            self.fill(position)
        raw: dict[str, Any] = {
            "slug": f"random-{count}", "start": "s0", "steps": self.steps,
            "max_steps": rng.choice([1000, 1000, 1000, 60, count, max(1, count // 2)]),
        }  # fmt: skip
        if self.inputs or rng.random() < 0.3:
            raw["inputs"] = {name: {"type": kind} for name, kind in self.inputs.items()}
        if rng.random() < 0.5:
            raw |= {"format": 1, "version": rng.randint(1, 9), "title": "Random", "description": "By a test."}
        return Case(raw, {name: self.value(kind) for name, kind in self.inputs.items()})

    def place(self, position: int, count: int, targets: set[int]) -> None:
        """Choose the kind of a step and what follows it, so that every step can be reached."""
        rng, step = self.rng, self.steps[position]
        later = range(position + 1, count)
        if len(later) > 1 and rng.random() < 0.35:
            step["kind"] = "choice"
            chosen = [rng.choice(later), rng.choice(later)]
            if position + 1 not in targets | set(chosen):
                chosen[rng.randrange(2)] = position + 1
            targets |= set(chosen)
            step["then"], step["else"] = (f"s{each}" for each in chosen)
        else:
            step["kind"] = rng.choice(["tool", "map"])
            if not later or position + 1 in targets:
                step["end"] = rng.random() < 0.4

    def fill(self, position: int) -> None:
        rng, step = self.rng, self.steps[position]
        known = list(self.known(position))
        if rng.random() < 0.3:
            step["retry"] = rng.randint(0, 3)
        if step["kind"] == "choice":
            step["when"] = self.predicate(known)
            return
        if step["kind"] == "map":
            step["over"] = self.over(known)
            known += self.known_of_item(step)
        step["tool"] = rng.choice(list(SHAPES))
        schema = SHAPES[step["tool"]].arguments
        step["with"] = {
            name: self.argument(part, known)
            for name, part in schema["properties"].items()
            if name in schema["required"] or rng.random() < 0.5
        }

    def known_of_item(self, step: dict[str, Any]) -> Iterator[tuple[str, str]]:
        over = step["over"]
        yield "index", "integer"
        if isinstance(over, list):
            yield "item", "string" if over and all(isinstance(each, str) for each in over) else "mixed"
        elif over["$ref"].endswith(".results"):
            other = self.steps[int(over["$ref"].split(".")[1][1:])]
            yield "item", "object"
            yield "item.index", "integer"
            yield "item.result", returned(other["tool"])
        else:
            yield "item", "any"
            yield "item.a", "any"

    def known(self, position: int) -> Iterator[tuple[str, str]]:
        """Yield what can be read at a step, with its type; `any` fits every argument, `mixed` only those for all."""
        for name in ("locale", "run.id", "team.id", "user.id", "principal.locale"):
            yield name, "string"
        for name, kind in self.inputs.items():
            yield f"input.{name}", kind
            if kind in ("object", "array"):
                yield f"input.{name}.{self.part(kind)}", "any"
        for step_id in sorted(self.always_before(position)):
            step = self.steps[int(step_id[1:])]
            if step["kind"] == "tool":
                kind = returned(step["tool"])
                yield f"steps.{step_id}.output.result", kind
                if kind in ("any", "object", "array"):
                    yield f"steps.{step_id}.output.result.{self.part(kind)}", "any"
            elif step["kind"] == "map":
                yield f"steps.{step_id}.output.results", "array"
                yield f"steps.{step_id}.output.results.0.index", "integer"

    def part(self, kind: str) -> str:
        return "0" if kind == "array" else self.rng.choice(["0", "left", "right", "b-c"])

    def always_before(self, position: int) -> set[str]:
        """Return the steps on every way to a step, by following all ways."""
        ways = list(self.ways(0, position, ()))
        return set[str].intersection(*(set(way) for way in ways)) if ways else set()

    def ways(self, current: int, goal: int, behind: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if current == goal:
            yield behind
        if current >= goal:
            return
        for following in self.following(current):
            yield from self.ways(following, goal, (*behind, f"s{current}"))

    def following(self, position: int) -> set[int]:
        step = self.steps[position]
        if step["kind"] == "choice":
            return {int(step["then"][1:]), int(step["else"][1:])}
        return set() if step.get("end") or position + 1 == len(self.steps) else {position + 1}

    # Values

    def argument(self, schema: dict[str, Any], known: list[tuple[str, str]]) -> Any:
        rng = self.rng
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if "anyOf" in schema:
            return self.typed(rng.choice(["string", "array"]), known)
        if schema.get("maximum"):
            readable = [name for name, kind in known if kind in ("integer", "any")]
            return {"$ref": rng.choice(readable)} if readable and rng.random() < 0.3 else rng.randint(0, 5)
        return self.typed(schema.get("type", "any"), known)

    def typed(self, kind: str, known: list[tuple[str, str]]) -> Any:
        """Return a binding that fits a type."""
        rng = self.rng
        fitting = [
            name for name, each in known if kind == "any" or each == kind or (each == "any" and rng.random() < 0.2)
        ]
        if fitting and rng.random() < 0.6:
            return {"$ref": rng.choice(fitting)}
        if kind == "any" and rng.random() < 0.4:
            return self.nested(known, 3)
        return self.literal(self.value(kind))

    def nested(self, known: list[tuple[str, str]], depth: int) -> Any:
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return self.typed("any", known) if depth else {"$ref": rng.choice(known)[0]}
        if rng.random() < 0.5:
            return [self.nested(known, depth - 1) for _ in range(rng.randint(0, 3))]
        return {name: self.nested(known, depth - 1) for name in rng.sample(["a", "b", "c d", "é"], rng.randint(0, 3))}

    def literal(self, value: Any) -> Any:
        return {"$lit": value} if self.rng.random() < 0.2 or "$" in msgspec.json.encode(value).decode() else value

    def value(self, kind: str, depth: int = 2) -> Any:
        rng = self.rng
        match kind:
            case "string":
                return rng.choice(
                    [
                        "",
                        "a",
                        "abc",
                        "2030-01-31",
                        "invoices/2030/a.pdf",
                        "ü*?",
                        "".join(rng.choices(string.ascii_letters, k=9)),
                    ]
                )
            case "integer":
                return rng.randint(-3, 6)
            case "number":
                return rng.choice([0.5, -2.25, 3, 7.5])
            case "boolean":
                return rng.random() < 0.5
            case "array":
                inner = rng.choice(["string", "integer", "any"]) if depth else "integer"
                return [self.value(inner, depth - 1) for _ in range(rng.randint(0, 5))]
            case "object":
                inner = "any" if depth else "string"
                names = rng.sample(["a", "b", "b-c", "$odd", "left", "0"], rng.randint(0, 4))
                return {name: self.value(inner, depth - 1) for name in names}
        kinds = ["string", "integer", "number", "boolean", "null"] + (["array", "object"] if depth > 0 else [])
        chosen = rng.choice(kinds)
        return None if chosen == "null" else self.value(chosen, depth - 1)

    def over(self, known: list[tuple[str, str]]) -> Any:
        rng = self.rng
        lists = [name for name, kind in known if kind == "array" and ".results." not in name]
        unknown = [name for name, kind in known if kind == "any"]
        if lists and rng.random() < 0.6:
            return {"$ref": rng.choice(lists)}
        if unknown and rng.random() < 0.3:
            return {"$ref": rng.choice(unknown)}
        return [self.typed(rng.choice(["any", "string"]), known) for _ in range(rng.randint(0, 4))]

    def predicate(self, known: list[tuple[str, str]]) -> dict[str, Any]:
        rng = self.rng
        match rng.choice(["empty", "exists", "equals", "in", "contains", "greater_than", "matches"]):
            case "equals":
                same = self.typed("any", known)
                return {"equals": [same, same if rng.random() < 0.4 else self.typed("any", known)]}
            case "in":
                return {"in": [self.typed("any", known), self.typed("array", known)]}
            case "contains":
                kind = rng.choice(["string", "array", "object"])
                return {"contains": [self.typed(kind, known), self.typed(rng.choice(["any", "string"]), known)]}
            case "greater_than":
                kind = rng.choice(["integer", "string"])
                return {"greater_than": [self.typed(kind, known), self.typed(kind, known)]}
            case "matches":
                return {
                    "matches": [self.typed("string", known), rng.choice(["*", "?", "a*", "*[0-9]*", "invoices/*", ""])]
                }
            case name:
                return {name: self.typed("any", known)}


# Invalid specs

Break = Callable[[random.Random, dict[str, Any]], tuple[str, str] | None]
"""Puts a fault into a spec; returns its place and key, or None if the spec has no place for it."""


def invalid(seed: int) -> BrokenCase:
    """Return a random spec with one fault."""
    rng = random.Random(seed)
    while True:
        raw = copy.deepcopy(valid(rng.randrange(10**9)).raw)
        if fault := BREAKS[seed % len(BREAKS)](rng, raw):
            return BrokenCase(raw, *fault)


def some_step(rng: random.Random, raw: dict[str, Any], *kinds: str) -> tuple[str, dict[str, Any]] | None:
    found = [(f"/steps/{place}", step) for place, step in enumerate(raw["steps"]) if step["kind"] in kinds]
    return rng.choice(found) if found else None


def calls(rng: random.Random, raw: dict[str, Any], tool: str | None = None) -> tuple[str, dict[str, Any]] | None:
    found = [
        (f"/steps/{place}", step)
        for place, step in enumerate(raw["steps"])
        if step["kind"] != "choice" and step["tool"] == (tool or step["tool"])
    ]
    return rng.choice(found) if found else None


def break_top(field: str, value: Any, key: str) -> Break:
    def apply(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str]:
        raw[field] = value
        return f"/{field}", key

    return apply


def break_missing(field: str) -> Break:
    def apply(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str]:
        del raw[field]
        return "", "workflows.spec_missing"

    return apply


def break_step(field: str, value: Any, key: str, *kinds: str, below: str = "") -> Break:
    def apply(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
        if (found := some_step(rng, raw, *kinds)) is None:
            return None
        place, step = found
        step[field] = value
        return f"{place}/{field}{below}", key

    return apply


def break_argument(tool: str, name: str, value: Any, key: str, below: str = "") -> Break:
    def apply(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
        if (found := calls(rng, raw, tool)) is None:
            return None
        place, step = found
        step["with"][name] = value
        return f"{place}/with/{name}{below}", key

    return apply


def break_repeated_id(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if len(raw["steps"]) < 2:
        return None
    first, second = sorted(rng.sample(range(len(raw["steps"])), 2))
    raw["steps"][second]["id"] = raw["steps"][first]["id"]
    return f"/steps/{second}/id", "workflows.spec_repeated_id"


def break_target(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if (found := some_step(rng, raw, "choice")) is None:
        return None
    place, step = found
    field = rng.choice(["then", "else"])
    earlier = range(int(step["id"][1:]) + 1)
    step[field] = f"s{rng.choice(earlier)}"
    return f"{place}/{field}", "workflows.spec_not_later"


def break_unreachable(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str]:
    raw["steps"][-1]["end"] = True
    raw["steps"].append({"id": "lonely", "kind": "tool", "tool": "give", "with": {"value": 1}})
    return f"/steps/{len(raw['steps']) - 1}", "workflows.spec_unreachable"


def break_missing_argument(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if (found := calls(rng, raw)) is None:
        return None
    place, step = found
    del step["with"][SHAPES[step["tool"]].arguments["required"][0]]
    return f"{place}/with", "workflows.spec_argument_missing"


def read(text: str) -> dict[str, str]:
    return {"$ref": text}


def break_reads_later(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    """Let a step read one that comes later, or is on one of two ways only."""
    writer = Writer(rng)
    writer.steps = raw["steps"]
    pairs = [
        (reader, other)
        for reader, step in enumerate(raw["steps"])
        if step["kind"] != "choice" and step["tool"] == "give"
        for other, target in enumerate(raw["steps"])
        if other != reader and target["kind"] != "choice" and f"s{other}" not in writer.always_before(reader)
    ]
    if not pairs:
        return None
    reader, other = rng.choice(pairs)
    output = "result" if raw["steps"][other]["kind"] == "tool" else "results"
    raw["steps"][reader]["with"]["value"] = [1, {"deep": read(f"steps.s{other}.output.{output}")}]
    return f"/steps/{reader}/with/value/1/deep/$ref", "workflows.spec_not_run"


def break_output(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str]:
    """Read `results` of a call, `result` of a map, or the output of a choice."""
    other = rng.randrange(len(raw["steps"]))
    kind = raw["steps"][other]["kind"]
    name, key = {
        "tool": ("results", "workflows.spec_results_of_call"),
        "map": ("result", "workflows.spec_result_of_map"),
        "choice": ("result", "workflows.spec_reads_choice"),
    }[kind]
    raw["steps"][-1].pop("end", None)
    raw["steps"].append(
        {"id": "last", "kind": "tool", "tool": "give", "with": {"value": read(f"steps.s{other}.output.{name}")}}
    )
    return f"/steps/{len(raw['steps']) - 1}/with/value/$ref", key


def break_itself(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if (found := some_step(rng, raw, "tool")) is None:
        return None
    place, step = found
    step["tool"], step["with"] = "give", {"value": {"a": read(f"steps.{step['id']}.output.result")}}
    return f"{place}/with/value/a/$ref", "workflows.spec_reads_itself"


def break_item(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if (found := some_step(rng, raw, "tool", "map")) is None:
        return None
    place, step = found
    name = rng.choice(["item", "item.a", "index"])
    if step["kind"] == "map":
        step["over"] = [read(name)]
        return f"{place}/over/0/$ref", "workflows.spec_item_outside"
    step["tool"], step["with"] = "give", {"value": read(name)}
    return f"{place}/with/value/$ref", "workflows.spec_item_outside"


def break_over_results(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    raw["steps"][-1].pop("end", None)
    raw["steps"] += [
        {"id": "one", "kind": "map", "over": [], "tool": "give", "with": {"value": 1}},
        {
            "id": "two",
            "kind": "map",
            "over": read("steps.one.output.results.0.result"),
            "tool": "give",
            "with": {"value": 1},
        },
    ]
    return f"/steps/{len(raw['steps']) - 1}/over/$ref", "workflows.spec_over_part"


def break_depth(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str] | None:
    if (found := calls(rng, raw, "give")) is None:
        return None
    place, step = found
    nest: Any = []
    for _ in range(28):
        nest = [nest]
    step["with"]["value"] = nest  # the spec, its steps, the step and its arguments are four levels more
    return f"{place}/with/value" + "/0" * 28, "workflows.spec_too_deep"


def break_size(rng: random.Random, raw: dict[str, Any]) -> tuple[str, str]:
    raw["inputs"] = {"long": {"type": "string", "description": "x" * 128 * 1024}}
    return "", "workflows.spec_too_large"


BREAKS: list[Break] = [
    break_top("color", 1, "workflows.spec_unknown_field"),
    break_top("slug", "No Slug", "workflows.spec_slug"),
    break_top("start", "nowhere", "workflows.spec_no_step"),
    break_top("start", 5, "workflows.spec_type"),
    break_top("format", 2, "workflows.spec_format"),
    break_top("version", 0, "workflows.spec_range"),
    break_top("max_steps", 1001, "workflows.spec_range"),
    break_top("max_steps", "many", "workflows.spec_type"),
    break_top("title", "x" * 201, "workflows.spec_too_long"),
    break_top("steps", [], "workflows.spec_number_of_steps"),
    break_top("steps", {}, "workflows.spec_type"),
    break_top("inputs", [], "workflows.spec_type"),
    break_missing("slug"),
    break_missing("start"),
    break_missing("max_steps"),
    break_missing("steps"),
    break_step("kind", "loop", "workflows.spec_one_of", "tool", "map", "choice"),
    break_step("id", "Not An Id", "workflows.spec_name", "tool", "map", "choice"),
    break_step("next", "s0", "workflows.spec_unknown_field", "tool", "map", "choice"),
    break_step("retry", 11, "workflows.spec_range", "tool", "map", "choice"),
    break_step("end", "yes", "workflows.spec_type", "tool", "map"),
    break_step("end", True, "workflows.spec_unknown_field", "choice"),
    break_step("tool", "no_such_tool", "workflows.spec_no_tool", "tool", "map"),
    break_step("tool", "No Tool", "workflows.spec_name", "tool", "map"),
    break_step("with", [], "workflows.spec_type", "tool", "map"),
    break_step("over", "abc", "workflows.spec_over", "map"),
    break_step("over", {"$lit": []}, "workflows.spec_over", "map"),
    break_step("over", read("locale"), "workflows.spec_over_type", "map", below="/$ref"),
    break_step("then", "nowhere", "workflows.spec_no_step", "choice"),
    break_step("when", {}, "workflows.spec_predicate", "choice"),
    break_step("when", {"exists": 1, "empty": 1}, "workflows.spec_predicate", "choice"),
    break_step("when", {"equals": [1]}, "workflows.spec_pair", "choice", below="/equals"),
    break_step("when", {"like": [1, 2]}, "workflows.spec_one_of", "choice", below="/like"),
    break_step("when", {"in": [1, "abc"]}, "workflows.spec_type", "choice", below="/in/1"),
    break_step("when", {"matches": [1, "*"]}, "workflows.spec_type", "choice", below="/matches/0"),
    break_step("when", {"matches": ["a", "*" * 501]}, "workflows.spec_too_long", "choice", below="/matches/1"),
    break_step("when", {"contains": [read("index"), 1]}, "workflows.spec_item_outside", "choice", below="/contains/0/$ref"),
    break_step("when", {"greater_than": [1, "a"]}, "workflows.spec_not_comparable", "choice", below="/greater_than"),
    break_step("when", {"greater_than": [True, 1]}, "workflows.spec_type", "choice", below="/greater_than/0"),
    break_step("when", {"exists": read("input.unknown")}, "workflows.spec_no_input", "choice", below="/exists/$ref"),
    break_argument("give", "value", read("inputs.title"), "workflows.spec_reference", "/$ref"),
    break_argument("give", "value", read("steps.s0.result"), "workflows.spec_reference", "/$ref"),
    break_argument("give", "value", {"$ref": 5}, "workflows.spec_type", "/$ref"),
    break_argument("give", "value", {"$ref": "locale", "or": 1}, "workflows.spec_not_alone", "/or"),
    break_argument("give", "value", {"$lit": 1, "$ref": "locale"}, "workflows.spec_not_alone", "/$lit"),
    break_argument("give", "value", {"a": {"$if": 1}}, "workflows.spec_field_name", "/a/$if"),
    break_argument("give", "value", {"": 1}, "workflows.spec_field_name", "/"),
    break_argument("give", "value", read("input.unknown.part"), "workflows.spec_no_input", "/$ref"),
    break_argument("give", "value", read("steps.unknown.output.result"), "workflows.spec_reads_no_step", "/$ref"),
    break_argument("give", "values", 1, "workflows.spec_argument_unknown"),
    break_argument("count_up", "count", "three", "workflows.spec_type"),
    break_argument("count_up", "count", 2.5, "workflows.spec_type"),
    break_argument("count_up", "count", True, "workflows.spec_type"),
    break_argument("count_up", "count", -1, "workflows.spec_at_least"),
    break_argument("count_up", "count", {"$lit": 1001}, "workflows.spec_at_most", "/$lit"),
    break_argument("count_up", "count", read("team.id"), "workflows.spec_type", "/$ref"),
    break_argument("join", "first", read("locale.part"), "workflows.spec_reference", "/$ref"),
    break_argument("join", "separator", "+", "workflows.spec_one_of"),
    break_argument("join", "second", [read("locale")], "workflows.spec_type"),
    break_argument("length", "of", 5, "workflows.spec_type"),
    break_argument("length", "of", {"$lit": {"a": 1}}, "workflows.spec_type", "/$lit"),
    break_repeated_id,
    break_target,
    break_unreachable,
    break_missing_argument,
    break_reads_later,
    break_output,
    break_itself,
    break_item,
    break_over_results,
    break_depth,
    break_size,
]  # fmt: skip
