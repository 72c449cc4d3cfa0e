"""The shapes of identity: what is stored of a person, and what the wire carries."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

Password = Annotated[str, msgspec.Meta(max_length=1024)]
Line = Annotated[str, msgspec.Meta(max_length=1000)]
_A_CENTURY = 100 * 365 * 86_400
Ttl = Annotated[float, msgspec.Meta(gt=0, le=_A_CENTURY)] | Literal["never"]


class Person(msgspec.Struct, frozen=True):
    """Somebody with an account. `org_id` is the one company they belong to."""

    id: str
    org_id: str
    username: str
    display_name: str
    email: str | None
    locale: str | None
    operator: bool
    created_at: str


class Account(Person, frozen=True):
    """A person with the hash of their password; it never leaves this capability."""

    password: str | None
    password_by: str | None
    """Who else chose it; None once its person has."""
    disabled_at: str | None


class Totp(msgspec.Struct, frozen=True):
    secret: str
    armed_at: str | None
    last_step: int


class Activation(msgspec.Struct, frozen=True):
    user_id: str
    expires_at: str
    used_at: str | None


class Attempts(msgspec.Struct, frozen=True):
    failures: int
    resets_at: str


class SessionRow(msgspec.Struct, frozen=True):
    """One of the caller's sessions."""

    id: str
    team_id: str
    address: str
    agent: str
    created_at: str
    last_used_at: str
    expires_at: str


class Session(SessionRow, frozen=True):
    current: bool
    """Whether it is the one this request was made with."""


class ApiToken(msgspec.Struct, frozen=True):
    """An API token of the team, as it is listed: the token itself was shown once."""

    id: str
    name: str
    hint: str
    user_id: str
    scope: list[str] | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    """Null until its first use."""


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`ttl` is 7,776,000 seconds if left out. What a scoped token makes lives no longer than that token."""

    name: Line
    scope: list[Line] | None = None
    ttl: Ttl | UnsetType = UNSET


class IssuedToken(msgspec.Struct, frozen=True):
    """A fresh API token; `token` is shown this once."""

    id: str
    name: str
    token: str
    scope: list[str] | None
    expires_at: str | None


class AccessKey(msgspec.Struct, frozen=True):
    """An S3 access key, as it is listed: its secret was shown once."""

    id: str
    name: str
    access_key_id: str
    scope: list[str] | None
    created_at: str
    last_used_at: str | None
    """Null until its first use."""


class IssuedKey(msgspec.Struct, frozen=True):
    """A fresh access key with its secret."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None


class PasswordChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`code` is of the second factor: it lets a token from POST /api/tokens set the first password."""

    new_password: Password
    current_password: Password = ""
    code: Line | None = None


class EnableTotp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`{}` arms at once; `{"confirm": true}` shows the secret first and `{"code": ...}` then arms it.

    A token from POST /api/tokens sends the password, too.
    """

    confirm: bool = False
    code: Line | None = None
    password: Password | None = None


class TotpSecret(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an authenticator app needs. The recovery codes come when the factor is armed, this once."""

    secret: str
    otpauth_uri: str
    qr_svg: str
    armed: bool
    recovery_codes: list[str] | None = None


class RecoveryCodes(msgspec.Struct, frozen=True):
    recovery_codes: list[str]


class RecoveryCount(msgspec.Struct, frozen=True):
    """How many codes are unspent; the codes themselves are never shown again."""

    remaining: int


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That it is really them: the password, or a code of the app or a recovery code."""

    password: Password | None = None
    code: Line | None = None


class Disabling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    disabled: bool


class AccountStatus(msgspec.Struct, frozen=True):
    """Somebody, and whether any credential of theirs can work."""

    id: str
    username: str
    display_name: str
    operator: bool
    disabled: bool
    disabled_at: str | None
