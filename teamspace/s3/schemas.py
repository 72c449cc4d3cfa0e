"""Structs of access keys and presigned links."""

from typing import Annotated, Literal

import msgspec

from teamspace.identity import AccessKey

Line = Annotated[str, msgspec.Meta(max_length=200)]


class NewAccessKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`scope` limits the key to permissions, optionally below a key prefix: `files:read:reports/`."""

    name: Line = "S3 key"
    scope: Annotated[list[Annotated[str, msgspec.Meta(max_length=1100)]], msgspec.Meta(max_length=50)] | None = None


class AccessKeyWithSecret(msgspec.Struct, frozen=True):
    """A new access key. The secret is only shown once."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None
    endpoint: str
    bucket: str
    region: str


class AccessKeyList(msgspec.Struct, frozen=True):
    """The caller's access keys, and the endpoint, bucket and region to use them with."""

    items: list[AccessKey]
    endpoint: str
    bucket: str
    region: str


class Presign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    method: Literal["GET", "PUT"] = "GET"
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """A version number; by default the version that is newest when the link is used."""
    expires_in: Annotated[int, msgspec.Meta(ge=1, le=604_800)] = 900
    """Seconds."""


class Link(msgspec.Struct, frozen=True):
    url: str
    expires_at: str
