"""Branding of the instance and its companies: title, tagline, logo and theme."""

from teamspace.branding.domain.brand import change, effective, of_company
from teamspace.branding.schemas import Branding, BrandingChange, Theme
from teamspace.branding.store import BLOB_COLUMNS, INVARIANTS

__all__ = ["BLOB_COLUMNS", "INVARIANTS", "Branding", "BrandingChange", "Theme", "change", "effective", "of_company"]
