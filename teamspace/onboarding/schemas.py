"""Data types of the sign-up funnel: the experience, as it is edited, stored and shown."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from teamspace.branding import Theme
from teamspace.core.paging import Paging

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


# Sign-ups


class WorkParameters(msgspec.Struct, frozen=True, rename="camel"):
    algorithm: str
    cost: int
    key_length: int
    key_prefix: str
    key_signature: str
    nonce: str
    salt: str
    expires_at: int
    """Seconds since the epoch."""
    data: dict[str, str]
    """The experience, the origin and the difficulty: the solution counts for nothing else."""


class WorkChallenge(msgspec.Struct, frozen=True):
    """A challenge in the format of ALTCHA, version 2."""

    parameters: WorkParameters
    signature: str


class SpentWork(msgspec.Struct, frozen=True):
    """What a solved challenge says."""

    nonce: str
    expires_at: str
    difficulty: int
    age: float
    """Seconds since the challenge was made."""
    solving: float | None
    """Milliseconds that solving took, as the visitor's program says."""


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fields: dict[str, Any]
    """The answers by the names of the fields."""
    pow: str
    """The solved challenge, as ALTCHA encodes it."""
    locale: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9-]{2,35}$")] | None = None
    """The language in which the page was shown."""


class SignedUp(msgspec.Struct, frozen=True):
    """The same for everyone, whatever the server thinks of it."""

    ok: bool = True


class Answers(msgspec.Struct, frozen=True):
    """What a visitor has entered, checked against the experience."""

    values: dict[str, str | bool]
    email: str
    trapped: bool
    """Whether the field is filled in that people do not see."""

    @property
    def prose(self) -> str:
        return "\n".join(value for value in self.values.values() if isinstance(value, str) and value != self.email)


class Visitor(msgspec.Struct, frozen=True):
    """What a request says of the program and the page that it comes from."""

    prefix: str
    """Stands for the address, for a day: a keyed hash."""
    origin: str
    languages: list[str]
    agent: str


class Doubt(StrEnum):
    """Why a sign-up may not be what it seems."""

    TRAP = "trap"
    FAST = "fast"
    CLOCK = "clock"
    VELOCITY = "velocity"
    FLOOD = "flood"
    DISPOSABLE = "disposable"
    DUPLICATE = "duplicate"
    SIMILAR = "similar"
    COPIED = "copied"
    MONOTONOUS = "monotonous"
    PROGRAM = "program"
    LANGUAGE = "language"


class TrustLevel(StrEnum):
    OK = "ok"
    SUSPICIOUS = "suspicious"
    BLOCKED = "blocked"


class Signals(msgspec.Struct, frozen=True, kw_only=True):
    """What was noticed when a prospect signed up. None of it is public."""

    score: int
    """From 0 to 100: the sum of what the doubts weigh."""
    doubts: list[Doubt]
    difficulty: int
    """How much harder the challenge was than usual."""
    solving: float | None
    """Milliseconds that solving the challenge took, as the visitor's program says."""
    age: float
    """Seconds from the challenge to the sign-up."""
    from_prefix: int
    """Earlier sign-ups from the same network in the last hour."""
    duplicates: int
    """Earlier sign-ups with the same address."""
    similar: int
    """Earlier sign-ups of the last 30 days with almost the same text."""
    entropy: float | None
    """Bits per character of the text, at the least; null if the text is short."""
    origin: str
    agent: str


class JudgeDecision(StrEnum):
    ACCEPT = "accept"
    REVIEW = "review"
    DECLINE = "decline"


class VerdictFilter(StrEnum):
    ACCEPT = "accept"
    REVIEW = "review"
    DECLINE = "decline"
    NONE = "none"


class ProspectState(StrEnum):
    CAPTURED = "captured"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class JudgeReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    criterion: str
    field: str
    quote: str
    """Words of the answer, verbatim."""


class JudgeVerdict(msgspec.Struct, frozen=True):
    """What a model thinks of a prospect; a person decides."""

    decision: JudgeDecision
    score: int
    reasons: list[JudgeReason]
    model: str


class JudgeInput(msgspec.Struct, frozen=True):
    prospect_id: str


class JudgeResult(msgspec.Struct, frozen=True):
    judged: bool
    """False if the prospect is gone or decided, or if the team's limit of the day is reached."""


class NewProspect(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    team_id: str
    experience_id: str
    version: int
    nonce: str
    email: str
    email_key: str
    answers: dict[str, str | bool]
    locale: str | None
    signals: Signals
    level: TrustLevel
    created_at: str


class ProspectRow(NewProspect, frozen=True):
    state: ProspectState
    verdict: VerdictFilter
    judged: JudgeVerdict | None
    note: str
    decided_by: str | None
    decided_at: str | None
    user_id: str | None


class ProspectKind(msgspec.Struct, frozen=True):
    """What prospects can be filtered by."""

    state: ProspectState
    level: TrustLevel
    verdict: VerdictFilter


class ProspectTeam(msgspec.Struct, frozen=True):
    org_id: str
    team_id: str


class TextBand(msgspec.Struct, frozen=True):
    """A part of the fingerprint of a text: almost equal texts have at least one part in common."""

    band: str
    fingerprint: str


class ComparedText(msgspec.Struct, frozen=True):
    prospect_id: str
    fingerprint: str


class SignUpRate(msgspec.Struct, frozen=True):
    """How many have signed up from a network since its hour began."""

    count: int
    resets_at: str


class DayCount(msgspec.Struct, frozen=True):
    day: str
    step: str
    count: int


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    email: str
    fields: dict[str, str | bool]
    locale: str | None
    state: ProspectState
    level: TrustLevel
    signals: Signals
    verdict: JudgeVerdict | None
    note: str
    decided_by: str | None
    decided_at: str | None
    user_id: str | None
    """The account of an accepted prospect."""
    experience_version: int
    created_at: str


class FunnelDay(msgspec.Struct, frozen=True, kw_only=True):
    """How many visitors reached each step on a day (UTC)."""

    day: str
    views: int = 0
    starts: int = 0
    """Challenges that were asked for."""
    solved: int = 0
    signed_up: int = 0
    accepted: int = 0
    activated: int = 0
    """Accepted prospects who set their password."""


class ProspectPage(msgspec.Struct, frozen=True, kw_only=True):
    items: list[Prospect]
    next_cursor: str | None
    numbers: list[FunnelDay] | None = None
    """With `?numbers=1`: the last 30 days, newest first, without days on which nothing happened."""


class ProspectQuery(Paging, frozen=True, forbid_unknown_fields=True):
    state: ProspectState | None = None
    level: TrustLevel | None = None
    verdict: VerdictFilter | None = None
    q: Annotated[str, msgspec.Meta(max_length=254)] = ""
    """The beginning of an e-mail address."""
    numbers: bool = False
    format: Literal["json", "csv"] = "json"
    """`csv` returns all prospects that match as a file, as `Accept: text/csv` does."""


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    decision: Literal["accept", "decline"]
    note: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


class DecidedProspect(Prospect, frozen=True, kw_only=True):
    activation_url: str | None = None
    """Where an accepted prospect sets their password. Shown once; null if they already had an account."""


class ReplayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    judge_prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_JUDGE_PROMPT)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """How many prospects to judge again, beginning with the newest."""


class Flip(msgspec.Struct, frozen=True):
    prospect_id: str
    before: JudgeDecision
    after: JudgeDecision


class Replay(msgspec.Struct, frozen=True):
    compared: int
    flips: list[Flip]
