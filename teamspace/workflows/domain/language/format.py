"""What the server tells about format 1: its JSON schema, and the words and limits of the language."""

from importlib import resources
from typing import Any

import msgspec

from teamspace.workflows.domain.language import bindings, globs, structure, validation

FORMAT = 1
SCHEMA: dict[str, Any] = msgspec.json.decode(resources.files(__package__).joinpath("format-1.schema.json").read_bytes())
"""The form of a spec. What it cannot say, `validation` proves."""
STEP_KINDS = structure.STEP_KINDS
BINDINGS = (
    "input.{name}",
    "steps.{id}.output.result",
    "steps.{id}.output.results",
    "item",
    "index",
    "locale",
    "run.id",
    "team.id",
    "user.id",
    "principal.locale",
)
"""References; the first four can go on with a path, such as `item.title` or `input.rows.0`."""
PREDICATES = structure.PREDICATES
LIMITS: dict[str, int] = {
    "bytes": validation.MAX_BYTES,
    "depth": bindings.MAX_DEPTH,
    "steps": structure.MAX_SPEC_STEPS,
    "max_steps": structure.MAX_STEPS,
    "retry": structure.MAX_RETRY,
    "matches_text": globs.MAX_TEXT,
    "matches_glob": globs.MAX_GLOB,
}
