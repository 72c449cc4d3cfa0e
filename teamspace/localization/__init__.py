"""Message catalogs of the console by locale, with fallbacks."""

from teamspace.core.messages import DEFAULT
from teamspace.localization.domain.catalogs import available, files

__all__ = ["DEFAULT", "available", "files"]
