"""The console's messages in every language: catalogs with fallbacks, translations by people and drafts, their review.

`synchronise` brings the product's texts into the database; a server calls it before it answers.
"""

from teamspace.core.messages import DEFAULT
from teamspace.localization.domain.catalogs import CatalogCache, available, find_served, list_locales
from teamspace.localization.domain.syncing import synchronise
from teamspace.localization.store import INVARIANTS

__all__ = ["DEFAULT", "INVARIANTS", "CatalogCache", "available", "find_served", "list_locales", "synchronise"]
