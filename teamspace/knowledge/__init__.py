"""The knowledge graph: entities and relations found in documents, each with the sentence that says so."""

from teamspace.knowledge.access import names_fence
from teamspace.knowledge.domain.entities import describe
from teamspace.knowledge.domain.extracting import tidy
from teamspace.knowledge.schemas import EntityItem
from teamspace.knowledge.store import INVARIANTS, TRANSIENT

__all__ = ["INVARIANTS", "TRANSIENT", "EntityItem", "describe", "names_fence", "tidy"]
