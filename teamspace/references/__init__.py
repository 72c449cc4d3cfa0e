"""References: links between texts, and mentions of people, kept as the texts change."""

from teamspace.references.domain.keeping import drop, put
from teamspace.references.domain.links import MAX_LINKS, find_links
from teamspace.references.schemas import TextLink
from teamspace.references.store import INVARIANTS

__all__ = ["INVARIANTS", "MAX_LINKS", "TextLink", "drop", "find_links", "put"]
