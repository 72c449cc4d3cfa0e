"""The tenant's counters are sharded by company.

Its usage could be summed up from its companies, but there is no limit to their number. With a single counter, all
writers of the instance would wait for each other.
"""

import zlib

_SHARDS = 16


def shard_of(org_id: str) -> str:
    """Return the subject of the tenant's counters to which a company adds."""
    return str(zlib.crc32(org_id.encode()) % _SHARDS)
