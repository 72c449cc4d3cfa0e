"""The shapes of access keys and links."""

from typing import Annotated, Literal

import msgspec

from teamspace.identity import AccessKey

Line = Annotated[str, msgspec.Meta(max_length=200)]


class NewCredential(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`scope` limits the key to permissions, perhaps below a prefix: `files:read:reports/`."""

    name: Line = "S3 key"
    scope: Annotated[list[Annotated[str, msgspec.Meta(max_length=1100)]], msgspec.Meta(max_length=50)] | None = None


class Credential(msgspec.Struct, frozen=True):
    """A fresh access key; the secret is shown this once."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None
    endpoint: str
    bucket: str
    region: str


class Credentials(msgspec.Struct, frozen=True):
    """The caller's access keys, and where they are used."""

    items: list[AccessKey]
    endpoint: str
    bucket: str
    region: str


class Presign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    method: Literal["GET", "PUT"] = "GET"
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version's number; the newest one, whichever that is then, otherwise."""
    expires_in: Annotated[int, msgspec.Meta(ge=1, le=604_800)] = 900
    """Seconds."""


class Link(msgspec.Struct, frozen=True):
    url: str
    expires_at: str
