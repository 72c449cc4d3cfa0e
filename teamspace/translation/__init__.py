"""Translation with a glossary and checks.

`translate` is for other packages too: it translates texts by key, metered, and stores nothing. `remember` stores what
can be reused, in the caller's transaction. `check_message` checks one translation, by whoever made it. `find_terms`
finds the glossary's terms in messages.
"""

from teamspace.translation.domain.engine import Translated, remember, translate
from teamspace.translation.domain.glossary import get_revision
from teamspace.translation.domain.hits import find_terms
from teamspace.translation.domain.languages import clean_tag, read_tag
from teamspace.translation.domain.messages import check_message, describe_message
from teamspace.translation.domain.requests import translate_text
from teamspace.translation.schemas import (
    FailedCheck,
    GlossaryTerm,
    MessageChecks,
    MessageShape,
    NewTranslation,
    SegmentProblem,
)
from teamspace.translation.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "FailedCheck",
    "GlossaryTerm",
    "MessageChecks",
    "MessageShape",
    "NewTranslation",
    "SegmentProblem",
    "Translated",
    "check_message",
    "clean_tag",
    "describe_message",
    "find_terms",
    "get_revision",
    "read_tag",
    "remember",
    "translate",
    "translate_text",
]
