"""The console's messages in every language: catalogs with fallbacks, translations by people and drafts, their review.

`synchronise` brings the product's texts into the database; a server calls it before it answers.
"""

from teamspace.core.messages import DEFAULT
from teamspace.localization.domain.catalogs import available, files
from teamspace.localization.domain.syncing import synchronise
from teamspace.localization.store import INVARIANTS

__all__ = ["DEFAULT", "INVARIANTS", "available", "files", "synchronise"]
