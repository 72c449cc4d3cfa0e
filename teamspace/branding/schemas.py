"""The shapes of branding. The defaults of `Theme` are the base theme."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

WIDEST_RADIUS = 24
Colour = Annotated[str, msgspec.Meta(pattern="^#[0-9a-fA-F]{6}$")]
Radius = Annotated[int, msgspec.Meta(ge=0, le=WIDEST_RADIUS)]
Font = Literal["inter", "system", "serif", "mono"]
Tokens = dict[str, str | int]
"""Theme tokens by name: those that somebody chose, in their one spelling."""
Line = Annotated[str, msgspec.Meta(max_length=1000)]


class Theme(msgspec.Struct, frozen=True):
    """Every token: colours as `#rrggbb`, a corner radius in pixels, and a font."""

    background: Colour = "#faf9f7"
    surface: Colour = "#ffffff"
    text: Colour = "#1f1d1a"
    text_muted: Colour = "#625d56"
    border: Colour = "#e4e0da"
    accent: Colour = "#0f6b62"
    accent_text: Colour = "#ffffff"
    link: Colour = "#0b6285"
    focus: Colour = "#2f6fed"
    danger: Colour = "#b3261e"
    success: Colour = "#1b6e3a"
    warning: Colour = "#8a5300"
    radius: Radius = 8
    font: Font = "inter"


_THEME = msgspec.json.schema(Theme)["$defs"]["Theme"]["properties"]
ThemeDraft = Annotated[
    dict[str, Any], msgspec.Meta(extra_json_schema={"properties": _THEME, "additionalProperties": False})
]
"""Tokens as they come: described like a theme, and judged one by one, so that a refusal can name the token."""


class BrandingRow(msgspec.Struct, frozen=True):
    """What a company has set, or the instance where `org_id` is empty; null was left to others."""

    org_id: str
    title: str | None = None
    tagline: str | None = None
    theme: Tokens = {}
    logo: str | None = None
    logo_type: str | None = None


class Mark(msgspec.Struct, frozen=True):
    """Where the bytes of a logo lie, and what they are."""

    org_id: str
    logo_type: str


class Branding(msgspec.Struct, frozen=True):
    """What is shown: nothing is left open. `logo` is an address on this server, or null; `theme_dark` follows from
    `theme`, for people who like it dark."""

    title: str
    tagline: str
    logo: str | None
    theme: Theme
    theme_dark: Theme


class OrgBranding(Branding, frozen=True):
    """`own` is false while the company has set nothing and is shown the instance's."""

    own: bool


class BrandingChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is given is replaced, what is not stays, null clears.

    `theme` is the whole set of own tokens. `logo` takes a data: URI, or the address that was answered.
    """

    title: Line | UnsetType | None = UNSET
    tagline: Line | UnsetType | None = UNSET
    logo: str | UnsetType | None = UNSET
    theme: ThemeDraft | UnsetType | None = UNSET


class NewLogo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`data` is a PNG, JPEG or WebP file in base64. What `filename` says is not relied on."""

    data: str
    content_type: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    filename: Annotated[str, msgspec.Meta(max_length=1000)] | None = None


class BrandingQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    logo: str | None = None
    """The digest of a logo: the answer is its bytes."""
    scope: Literal["instance"] | None = None
    """`instance` is the instance's own, whoever asks and on whichever hostname."""
