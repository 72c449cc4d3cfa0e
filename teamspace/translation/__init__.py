"""Translation with a glossary and checks.

`translate` is for other packages too: it translates texts by key, metered, and stores nothing. `remember` stores what
can be reused, in the caller's transaction.
"""

from teamspace.translation.domain.engine import Translated, remember, translate
from teamspace.translation.domain.requests import translate_text
from teamspace.translation.schemas import NewTranslation
from teamspace.translation.store import INVARIANTS

__all__ = ["INVARIANTS", "NewTranslation", "Translated", "remember", "translate", "translate_text"]
