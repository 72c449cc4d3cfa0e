"""Signature Version 4: the keys, and what is signed with them."""

import functools
import hashlib
import hmac

import msgspec

ALGORITHM = "AWS4-HMAC-SHA256"
LONGEST_LIFE = 7 * 24 * 3600
"""Of a presigned link, in seconds."""


class Scope(msgspec.Struct, frozen=True):
    """Where and when a signing key holds. The region may be any: there is one place here, whatever it is called."""

    date: str
    region: str

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/s3/aws4_request"


def signature(key: bytes, moment: str, scope: Scope, canonical: bytes) -> str:
    text = "\n".join((ALGORITHM, moment, str(scope), hashlib.sha256(canonical).hexdigest()))
    return hmac.digest(key, text.encode(), "sha256").hex()


@functools.lru_cache(maxsize=1024)
def signing_key(secret: str, scope: Scope) -> bytes:
    """Good for a day; remembered, as it costs four of the five sums of a request."""
    key = f"AWS4{secret}".encode()
    for part in (scope.date, scope.region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
