"""The experience, as it is edited, stored and shown."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from teamspace.branding import Theme

MAX_FIELDS, MAX_OPTIONS, MAX_LOCALES = 30, 100, 20
MAX_LABEL, MAX_TITLE, MAX_SUBMIT = 200, 120, 60
MAX_INTRO, MAX_THANKS = 2_000, 1_000
MAX_JUDGE_PROMPT = 10_000
MAX_DOCUMENT = 128 * 1024
"""In bytes of JSON: it is decoded whenever a visitor opens the page."""
MAX_ASSET, MAX_ASSETS = 2 * 1024 * 1024, 100
HONEYPOT = "homepage"
"""A field that people do not see and programs fill in. No experience can have a field of this name."""
ASSET_TOKENS = ("logo", "hero", "font_file")
"""Tokens of a theme that name an asset."""
ASSET_URL = "/api/beta/asset/"
"""The URL of an asset, followed by its id."""

_Name = Annotated[str, msgspec.Meta(pattern="^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
LocalizedText = dict[str, str]
"""A text by locale."""


class FieldType(StrEnum):
    TEXT = "text"
    EMAIL = "email"
    TEXTAREA = "textarea"
    SELECT = "select"
    CHECKBOX = "checkbox"


MAX_VALUE = {FieldType.TEXT: 500, FieldType.EMAIL: 254, FieldType.TEXTAREA: 5_000, FieldType.SELECT: MAX_LABEL}
"""How many characters a visitor can enter; a checkbox is true or false."""


class FieldOption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a visitor can choose, and how it is called; without a label it is called like its value."""

    value: str
    label: LocalizedText = {}


class FormField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: _Name
    type: FieldType
    required: bool = False
    label: LocalizedText = {}
    options: list[str | FieldOption] = []
    """Only of a `select`; a text stands for an option without a label."""


class FunnelCopy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of the page in one language; an empty one is replaced by that of the next language, or by ours."""

    title: str = ""
    intro: str = ""
    submit: str = ""
    thanks: str = ""


class ExperienceDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a team asks visitors, with which words and in which look, and how a model judges what they answer."""

    fields: Annotated[list[FormField], msgspec.Meta(min_length=1, max_length=MAX_FIELDS)]
    copy: dict[str, FunnelCopy] = {}
    theme: dict[str, Any] = {}
    """Tokens as in branding; `logo`, `hero` and `font_file` are ids of assets."""
    judge_prompt: Annotated[str, msgspec.Meta(max_length=MAX_JUDGE_PROMPT)] = ""
    """What a model should look for. It is never public; without it no model judges."""
    retention_days: Annotated[int, msgspec.Meta(ge=1, le=3_650)] | None = None
    """After how many days prospects are deleted, decided or not; by default they are kept."""


class ExperienceSource(StrEnum):
    """Where an experience comes from."""

    TEAM = "team"
    SETTING = "setting"
    PLUGIN = "plugin"


class PublishedExperience(msgspec.Struct, frozen=True):
    """What visitors of a host see, and the team that gets what they enter."""

    id: str
    """Of the row; a seed, which has none, is named by its content."""
    org_id: str
    team_id: str
    version: int
    """0 for a seed."""
    document: ExperienceDocument
    source: ExperienceSource = ExperienceSource.TEAM


# Requests


class DraftCondition(msgspec.Struct, frozen=True):
    """Which draft a write is for."""

    seen: int | None
    """The version that the caller has seen; 0 if there must be no draft, None if any will do."""
    exists: bool


_Locale = Annotated[str, msgspec.Meta(max_length=40)]


class PublicQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: _Locale | None = None
    """The language; by default what Accept-Language says."""


class PageQuery(msgspec.Struct, frozen=True):
    """Other parameters, such as those of campaigns, are ignored."""

    locale: str | None = None
    """The language; by default what Accept-Language says."""


class ExperienceQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    preview: bool = False
    """Returns what visitors would see if the draft were published."""
    locale: _Locale | None = None
    """The language of the preview."""


class NewAsset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture or a font. Its type is found out from its bytes, whatever `content_type` says."""

    filename: Annotated[str, msgspec.Meta(max_length=1000)]
    data: str
    """Base64; at most 2 MiB when decoded."""
    content_type: Annotated[str, msgspec.Meta(max_length=100)] | None = None


# Responses


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    url: str
    filename: str
    content_type: str
    size: int
    width: int | None
    height: int | None
    """In pixels; null for a font."""
    created_at: str


class PublicOption(msgspec.Struct, frozen=True):
    value: str
    label: str


class PublicField(msgspec.Struct, frozen=True):
    name: str
    type: FieldType
    required: bool
    label: str
    options: list[PublicOption]
    max_length: int | None


class PublicExperience(msgspec.Struct, frozen=True, kw_only=True):
    """What visitors see, in one language."""

    locale: str
    locales: list[str]
    """The languages that it is written in."""
    fields: list[PublicField]
    copy: FunnelCopy
    theme: Theme
    theme_dark: Theme
    logo: str | None
    hero: str | None
    font_file: str | None
    honeypot: str
    """The name of a field that must stay empty, and that a form should hide from people."""


class PublishedState(msgspec.Struct, frozen=True):
    version: int
    published_at: str
    document: ExperienceDocument


class LiveExperience(msgspec.Struct, frozen=True):
    """What visitors of the company see."""

    source: ExperienceSource
    own: bool
    """Whether this team gets what they enter."""


class Experience(msgspec.Struct, frozen=True, kw_only=True):
    """What the team edits: its draft, else what it published, else what visitors of the company see."""

    fields: list[FormField]
    copy: dict[str, FunnelCopy]
    theme: dict[str, Any]
    judge_prompt: str
    retention_days: int | None
    draft: ExperienceDocument | None
    """Null if there is nothing to publish."""
    draft_version: int | None
    draft_at: str | None
    published: PublishedState | None
    live: LiveExperience | None


# Stored


class ExperienceRow(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    team_id: str
    draft: ExperienceDocument | None
    draft_version: int
    draft_at: str | None
    published: ExperienceDocument | None
    version: int
    published_at: str | None


class FunnelOwner(msgspec.Struct, frozen=True):
    """The company whose funnel a host shows."""

    org_id: str
    suspended: bool
    first_team: str


class LiveRow(msgspec.Struct, frozen=True):
    """What was published last."""

    id: str
    org_id: str
    team_id: str
    version: int
    published: ExperienceDocument


class AssetRow(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    team_id: str
    filename: str
    content_type: str
    size: int
    width: int | None
    height: int | None
    digest: str
    created_at: str


SeedSource = Literal[ExperienceSource.SETTING, ExperienceSource.PLUGIN]
