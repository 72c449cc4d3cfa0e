"""For authors of plugins: `teamspace plugin new` writes one, `teamspace plugin check` tries everything it adds."""

from teamspace.authoring.checking import check
from teamspace.authoring.creating import AuthoringError, create
from teamspace.authoring.schemas import Verdict

__all__ = ["AuthoringError", "Verdict", "check", "create"]
