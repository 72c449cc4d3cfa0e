"""The instance: health, configuration, status, metrics, sample data and the API description."""

from teamspace.instance.domain.facts import RowCounts, warn, warnings
from teamspace.instance.domain.processes import REPORT_SECONDS, forget, report
from teamspace.instance.domain.readiness import Readiness

__all__ = ["REPORT_SECONDS", "Readiness", "RowCounts", "forget", "report", "warn", "warnings"]
