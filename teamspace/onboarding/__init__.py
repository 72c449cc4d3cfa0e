"""The sign-up funnel: what a team asks visitors who want to join, and which of it a host shows."""

from teamspace.onboarding.access import SUBJECTS
from teamspace.onboarding.domain.counting import SAVE_SECONDS
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.domain.page import render as render_page
from teamspace.onboarding.domain.retention import tidy
from teamspace.onboarding.domain.seeds import find_fault
from teamspace.onboarding.domain.seeds import read as read_seed
from teamspace.onboarding.domain.signing_up import SignUps
from teamspace.onboarding.schemas.experience import (
    ExperienceDocument,
    ExperienceSource,
    FieldOption,
    FieldType,
    FormField,
    FunnelCopy,
    PageQuery,
    PublishedExperience,
)
from teamspace.onboarding.store import BLOB_COLUMNS, INVARIANTS

__all__ = [
    "BLOB_COLUMNS",
    "INVARIANTS",
    "SAVE_SECONDS",
    "SUBJECTS",
    "ExperienceDocument",
    "ExperienceSource",
    "FieldOption",
    "FieldType",
    "FormField",
    "Funnel",
    "FunnelCopy",
    "PageQuery",
    "PublishedExperience",
    "SignUps",
    "find_fault",
    "read_seed",
    "render_page",
    "tidy",
]
