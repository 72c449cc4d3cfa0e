"""Structs of presence."""

import msgspec


class Looking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    editing: bool = False
    """Whether the caller is changing it, not only reading."""


class PresentPerson(msgspec.Struct, frozen=True):
    id: str
    name: str
    editing: bool


class Present(msgspec.Struct, frozen=True):
    people: list[PresentPerson]
    """Who else has it open now."""
    seconds: int
    """Ask again within this time to stay present."""


class PresenceRow(msgspec.Struct, frozen=True):
    kind: str
    subject_id: str
    user_id: str
    org_id: str
    editing: bool
