"""Experiences that come with the server's settings or its plugins, instead of from a team."""

from typing import Any

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.onboarding.domain import documents
from teamspace.onboarding.schemas.experience import ASSET_TOKENS, ExperienceDocument


def read(document: Any) -> ExperienceDocument:
    """Return the document in canonical form; raises ValueError that says in one line what is wrong."""
    try:
        checked = documents.check_now(msgspec.convert(document, ExperienceDocument))
    except msgspec.ValidationError as fault:
        raise ValueError(str(fault)) from None
    except BadRequest as refusal:
        errors = refusal.extra.get("errors", ())
        told = "; ".join(f"{error.pointer} {error.message}" for error in errors)
        raise ValueError(told or refusal.detail) from None
    if named := [token for token in ASSET_TOKENS if token in checked.theme]:
        raise ValueError(f"/theme/{named[0]} only a team has assets")
    if checked.retention_days is not None:
        # Nothing would be deleted: the chores read what teams published.
        raise ValueError("/retention_days only a team says how long it keeps prospects")
    return checked


def find_fault(document: Any) -> str | None:
    try:
        read(document)
    except ValueError as fault:
        return str(fault)
    return None
