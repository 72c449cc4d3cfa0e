"""When two names are the same, and the ids of names."""

import unicodedata

from teamspace import ai
from teamspace.core.crypto import Vault
from teamspace.knowledge.schemas import MAX_NAME, EntityName, EntityType

_EDGES = " .,;:!?'\"()[]{}<>*_#|-/\\\u2026"
_ID_BYTES = 16


def clean(text: str, most: int) -> str:
    """Return a text of a model or a document for display: in one line, and not longer than `most`."""
    return ai.clean_quote(text)[:most].strip()


def normalize(name: str) -> str:
    """Return what is equal for all ways to write a name: case, width, white space and punctuation around it differ."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", clean(name, MAX_NAME)).casefold())
    return " ".join(folded.strip(_EDGES).split())[:MAX_NAME].strip()


def to_name(vault: Vault, org_id: str, type: EntityType, name: str, part: str = "", label: str = "") -> EntityName:
    """Return the name with its id: the same whenever and from whichever document it becomes known."""
    mac = vault.mac("knowledge", "\0".join((org_id, type, name, part)).encode())
    return EntityName(mac[:_ID_BYTES].hex(), type, name, part, label)
