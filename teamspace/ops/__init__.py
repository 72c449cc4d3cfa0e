"""Operations on an instance: backup, restore, key rotation and consistency checks."""

from teamspace.ops.backup import backup
from teamspace.ops.doctor import run_checks
from teamspace.ops.errors import OpsError
from teamspace.ops.rekey import rekey
from teamspace.ops.restore import restore

__all__ = ["OpsError", "backup", "rekey", "restore", "run_checks"]
