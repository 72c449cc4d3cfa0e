"""Data types of branding. The defaults of `Theme` are the base theme."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

MAX_RADIUS = 24
Colour = Annotated[str, msgspec.Meta(pattern="^#[0-9a-fA-F]{6}$")]
Radius = Annotated[int, msgspec.Meta(ge=0, le=MAX_RADIUS)]
Font = Literal["inter", "system", "serif", "mono"]
Tokens = dict[str, str | int]
"""Theme tokens by name: only those that were set, in canonical form."""
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
"""Unvalidated tokens: documented like a theme, but validated one by one, so that an error can name the token."""


class BrandingRow(msgspec.Struct, frozen=True):
    """What a company has set, or the instance if `org_id` is empty; null fields are inherited."""

    org_id: str
    title: str | None = None
    tagline: str | None = None
    theme: Tokens = {}
    logo: str | None = None
    logo_type: str | None = None


class LogoLocation(msgspec.Struct, frozen=True):
    """The namespace of a logo's blob and its content type."""

    org_id: str
    logo_type: str


class Branding(msgspec.Struct, frozen=True):
    """The complete branding to show. `logo` is a URL on this server, or null; `theme_dark` is derived from `theme`."""

    title: str
    tagline: str
    logo: str | None
    theme: Theme
    theme_dark: Theme


class OrgBranding(Branding, frozen=True):
    """`own` is false if the company has set nothing and the instance's branding is shown."""

    own: bool


class BrandingChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields to change; absent fields stay, null clears.

    `theme` replaces all tokens. `logo` takes a data: URI, or the URL of the current logo.
    """

    title: Line | UnsetType | None = UNSET
    tagline: Line | UnsetType | None = UNSET
    logo: str | UnsetType | None = UNSET
    theme: ThemeDraft | UnsetType | None = UNSET


class NewLogo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`data` is a PNG, JPEG or WebP file, base64-encoded. `filename` is ignored."""

    data: str
    content_type: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    filename: Annotated[str, msgspec.Meta(max_length=1000)] | None = None


class BrandingQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    logo: str | None = None
    """The digest of a logo; the response is its bytes."""
    scope: Literal["instance"] | None = None
    """`instance` returns the instance's branding, for any caller and hostname."""
