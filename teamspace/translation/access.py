"""Who may read what: a translation only its author, a glossary its team."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_OWN = (Clause("translations.team_id = :team_id AND translations.author_id = :user_id"),)
_TERMS = (Clause("glossary_terms.team_id = :team_id"),)
_MEMORY = (Clause("translation_memory.team_id = :team_id"),)


def own(who: Principal) -> Fence:
    """Return the translations that `who` made in the team. Nobody else reads them, whatever their role."""
    return Fence("translations", _OWN, {"team_id": who.team_id, "user_id": who.user_id})


def glossary(who: Principal) -> Fence:
    return Fence("glossary_terms", _TERMS, {"team_id": who.team_id})


def memory(who: Principal) -> Fence:
    return Fence("translation_memory", _MEMORY, {"team_id": who.team_id})
