"""Public links to objects: a page with preview and download for everyone who has the address."""

from teamspace.links.domain.rendering import Renderings
from teamspace.links.store import ENCRYPTED, INVARIANTS

__all__ = ["ENCRYPTED", "INVARIANTS", "Renderings"]
