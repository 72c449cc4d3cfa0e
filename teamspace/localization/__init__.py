"""The console's messages in every language: catalogs with fallbacks, translations by people and drafts, their review.

`catch_up` brings the product's texts into the database after an upgrade, and `seed_files` writes the first catalog files;
a server calls both before it answers.
"""

from teamspace.core.messages import DEFAULT
from teamspace.localization.domain.catalogs import CatalogCache, find_served, list_locales
from teamspace.localization.domain.exporting import seed_files
from teamspace.localization.domain.syncing import catch_up, synchronise
from teamspace.localization.store import INVARIANTS

__all__ = [
    "DEFAULT",
    "INVARIANTS",
    "CatalogCache",
    "catch_up",
    "find_served",
    "list_locales",
    "seed_files",
    "synchronise",
]
