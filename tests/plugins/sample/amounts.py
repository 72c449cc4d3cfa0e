"""A module besides the entry module."""

from typing import Annotated, Literal

import msgspec


class Amount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: int
    unit: Literal["kg", "g"] = "kg"


class Amounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    amounts: Annotated[list[Amount], msgspec.Meta(max_length=100, description="What to add up.")]
    note: str | None = None
