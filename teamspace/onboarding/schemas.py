"""Data types of the sign-up funnel: the experience, as it is edited, stored and shown."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

MAX_FIELDS, MAX_OPTIONS, MAX_LOCALES = 30, 100, 20
MAX_LABEL, MAX_TITLE, MAX_SUBMIT = 200, 120, 60
MAX_INTRO, MAX_THANKS = 2_000, 1_000
MAX_JUDGE_PROMPT = 10_000
MAX_DOCUMENT = 128 * 1024
"""In bytes of JSON: it is decoded whenever a visitor opens the page."""
HONEYPOT = "homepage"
"""A field that people do not see and programs fill in. No experience can have a field of this name."""

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


# Stored


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


SeedSource = Literal[ExperienceSource.SETTING, ExperienceSource.PLUGIN]
