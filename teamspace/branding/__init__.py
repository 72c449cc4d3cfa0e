"""Branding of the instance and its companies: title, tagline, logo and theme."""

from teamspace.branding.domain.brand import change, effective, of_company
from teamspace.branding.domain.css import variables as css_variables
from teamspace.branding.domain.dark import derive as derive_dark
from teamspace.branding.domain.images import NotAnImage
from teamspace.branding.domain.images import read as read_image
from teamspace.branding.domain.themes import complete as complete_theme
from teamspace.branding.domain.themes import validate as check_theme
from teamspace.branding.schemas import Branding, BrandingChange, Theme
from teamspace.branding.store import BLOB_COLUMNS, INVARIANTS

__all__ = [
    "BLOB_COLUMNS",
    "INVARIANTS",
    "Branding",
    "BrandingChange",
    "NotAnImage",
    "Theme",
    "change",
    "check_theme",
    "complete_theme",
    "css_variables",
    "derive_dark",
    "effective",
    "of_company",
    "read_image",
]
