"""How the instance and its companies look: title, tagline, logo and theme."""

from teamspace.branding.domain.looks import change, look, of_company
from teamspace.branding.schemas import Branding, BrandingChange, Theme
from teamspace.branding.store import INVARIANTS, KEPT

__all__ = ["INVARIANTS", "KEPT", "Branding", "BrandingChange", "Theme", "change", "look", "of_company"]
