"""Message catalogs of the console by locale, with fallbacks."""

from teamspace.core.messages import DEFAULT
from teamspace.localization.domain.catalogs import CatalogCache, available, find_served, list_locales

__all__ = ["DEFAULT", "CatalogCache", "available", "find_served", "list_locales"]
