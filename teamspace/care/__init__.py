"""Looking after an instance: backing it up, restoring it, changing its key, and examining it."""

from teamspace.care.backup import backup
from teamspace.care.errors import CareError
from teamspace.care.examine import examine
from teamspace.care.rekey import rekey
from teamspace.care.restore import restore

__all__ = ["CareError", "backup", "examine", "rekey", "restore"]
