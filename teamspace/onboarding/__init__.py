"""The sign-up funnel: what a team asks visitors who want to join, and which of it a host shows."""

from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.schemas import (
    ExperienceDocument,
    ExperienceSource,
    FieldOption,
    FieldType,
    FormField,
    FunnelCopy,
    PublishedExperience,
)

__all__ = [
    "ExperienceDocument",
    "ExperienceSource",
    "FieldOption",
    "FieldType",
    "FormField",
    "Funnel",
    "FunnelCopy",
    "PublishedExperience",
]
