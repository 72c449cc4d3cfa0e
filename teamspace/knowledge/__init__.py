"""The knowledge graph: entities and relations found in documents, each with the sentence that says so."""

from teamspace.knowledge.domain.entities import describe, names_fence
from teamspace.knowledge.domain.extracting import tidy
from teamspace.knowledge.domain.finding import measure_entities, read_entities
from teamspace.knowledge.domain.listing import complete_all
from teamspace.knowledge.schemas import EntityItem
from teamspace.knowledge.store import INVARIANTS, TRANSIENT

__all__ = [
    "INVARIANTS",
    "TRANSIENT",
    "EntityItem",
    "complete_all",
    "describe",
    "measure_entities",
    "names_fence",
    "read_entities",
    "tidy",
]
