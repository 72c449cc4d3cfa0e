"""AWS Signature Version 4: signing keys and signatures."""

import functools
import hashlib
import hmac

import msgspec

ALGORITHM = "AWS4-HMAC-SHA256"
MAX_EXPIRES = 7 * 24 * 3600
"""The longest validity of a presigned link, in seconds."""


class Scope(msgspec.Struct, frozen=True, cache_hash=True):
    """The date and region of a signing key. Any region is accepted, since there is only one here."""

    date: str
    region: str

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/s3/aws4_request"


def signature(key: bytes, timestamp: str, scope: Scope, canonical: bytes) -> str:
    text = "\n".join((ALGORITHM, timestamp, str(scope), hashlib.sha256(canonical).hexdigest()))
    return hmac.digest(key, text.encode(), "sha256").hex()


@functools.lru_cache(maxsize=1024)
def signing_key(secret: str, scope: Scope) -> bytes:
    """Return the signing key of a day. Cached, since it takes four of the five HMACs of a request."""
    key = f"AWS4{secret}".encode()
    for part in (scope.date, scope.region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
