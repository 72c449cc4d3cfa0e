"""Structs of identity: rows, request bodies and responses."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

Password = Annotated[str, msgspec.Meta(max_length=1024)]
Line = Annotated[str, msgspec.Meta(max_length=1000)]
_MAX_TTL = 100 * 365 * 86_400
Ttl = Annotated[float, msgspec.Meta(gt=0, le=_MAX_TTL)] | Literal["never"]


class Person(msgspec.Struct, frozen=True):
    """A person with an account. `org_id` is the one company they belong to."""

    id: str
    org_id: str
    username: str
    display_name: str
    email: str | None
    locale: str | None
    time_zone: str | None
    operator: bool
    created_at: str


class Account(Person, frozen=True):
    """A person with their password hash, which never leaves this package."""

    password: str | None
    password_by: str | None
    """Who else chose the password; None once the person has changed it."""
    disabled_at: str | None


class Totp(msgspec.Struct, frozen=True):
    secret: str
    armed_at: str | None
    last_step: int


class ActivationRow(msgspec.Struct, frozen=True):
    user_id: str
    expires_at: str
    used_at: str | None


class Attempts(msgspec.Struct, frozen=True):
    failures: int
    resets_at: str


class Stay(msgspec.Struct, frozen=True):
    """A kept sign-in, which a browser exchanges for a session by the secret in its cookie."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    digest: str
    previous_digest: str | None
    rotated_at: str | None
    given_by: str | None
    created_at: str
    expires_at: str


class SessionRecord(msgspec.Struct, frozen=True):
    """One of the caller's sessions, or a kept sign-in with its sessions."""

    id: str
    team_id: str
    address: str
    agent: str
    created_at: str
    last_used_at: str
    expires_at: str
    kept: bool
    """Whether the browser keeps the person signed in."""


class Session(SessionRecord, frozen=True):
    current: bool
    """Whether this request was made with it."""


class ApiToken(msgspec.Struct, frozen=True):
    """An API token of the team, without the token itself."""

    id: str
    name: str
    hint: str
    user_id: str
    scope: list[str] | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    """Null until its first use."""


class TokenUse(msgspec.Struct, frozen=True):
    """When a token was used."""

    id: str
    at: str


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`ttl` is 7,776,000 seconds by default. A token made with a scoped token cannot outlive it."""

    name: Line
    scope: list[Line] | None = None
    ttl: Ttl | UnsetType = UNSET


class IssuedToken(msgspec.Struct, frozen=True):
    """A new API token. `token` is only shown once."""

    id: str
    name: str
    token: str
    scope: list[str] | None
    expires_at: str | None


class AccessKey(msgspec.Struct, frozen=True):
    """An S3 access key, without its secret."""

    id: str
    name: str
    access_key_id: str
    scope: list[str] | None
    created_at: str
    last_used_at: str | None
    """Null until its first use."""


class IssuedKey(msgspec.Struct, frozen=True):
    """A new access key with its secret."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`code` is a code of the second factor; with it, a token from POST /api/tokens can set the first password."""

    new_password: Password
    current_password: Password = ""
    code: Line | None = None


class EnableTotp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`{}` turns it on at once; `{"confirm": true}` returns the secret first and `{"code": ...}` then turns it on.

    Requests with a token from POST /api/tokens must also send the password.
    """

    confirm: bool = False
    code: Line | None = None
    password: Password | None = None


class TotpSecret(msgspec.Struct, frozen=True, omit_defaults=True):
    """The secret for an authenticator app. Recovery codes are shown once, when the factor is turned on."""

    secret: str
    otpauth_uri: str
    qr_svg: str
    armed: bool
    recovery_codes: list[str] | None = None


class RecoveryCodes(msgspec.Struct, frozen=True):
    recovery_codes: list[str]


class RecoveryCount(msgspec.Struct, frozen=True):
    """The number of unused codes; the codes themselves are never shown again."""

    remaining: int


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Proof of identity: the password, a code of the app, or a recovery code."""

    password: Password | None = None
    code: Line | None = None


class Disabling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    disabled: bool


class AccountStatus(msgspec.Struct, frozen=True):
    """A person, and whether they are disabled."""

    id: str
    username: str
    display_name: str
    operator: bool
    disabled: bool
    disabled_at: str | None
