"""The instance as a whole: is it alive, how is it set up, how is it doing, and what does its API offer."""

from teamspace.instance.domain.facts import Counted, warn, warnings
from teamspace.instance.domain.fleet import REPORT_SECONDS, report
from teamspace.instance.domain.readiness import Readiness

__all__ = ["REPORT_SECONDS", "Counted", "Readiness", "report", "warn", "warnings"]
