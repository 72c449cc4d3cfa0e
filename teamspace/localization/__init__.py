"""Message catalogs of the console by locale, with fallbacks."""

from teamspace.localization.domain import DEFAULT, available, files

__all__ = ["DEFAULT", "available", "files"]
