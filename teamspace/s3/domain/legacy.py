"""Signature Version 2 in a query: what some clients still presign with."""

import base64
import hmac
import re

from teamspace.s3.domain.canonical import Asked, Plain
from teamspace.s3.domain.claims import SKEW
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.signature import LONGEST_LIFE

IN_QUERY = frozenset({"AWSAccessKeyId", "Expires", "Signature"})
_COVERED = frozenset({
    "accelerate", "acl", "analytics", "cors", "defaultObjectAcl", "delete", "inventory", "lifecycle", "location",
    "logging", "metrics", "notification", "object-lock", "partNumber", "policy", "replication", "requestPayment",
    "restore", "select", "select-type", "storageClass", "tagging", "torrent", "uploadId", "uploads", "versionId",
    "versioning", "versions", "website", "response-cache-control", "response-content-disposition",
    "response-content-encoding", "response-content-language", "response-content-type", "response-expires",
})  # fmt: skip
_SECONDS = re.compile(r"\d{1,12}", re.ASCII)


def is_copy(request: Plain, name: str, value: str) -> bool:
    """Whether a parameter repeats a header that is signed: clients put those into the link as a reminder."""
    signed = name in ("content-md5", "content-type") or name.startswith("x-amz-")
    return signed and request.headers.get(name) == value


def check(request: Plain, now: float) -> None:
    """Still valid, and with no parameter that the signature leaves out."""
    expires = dict(request.query).get("Expires", "")
    if not _SECONDS.fullmatch(expires):
        raise Fault("AccessDenied", "Query-string authentication requires the Signature, Expires and AWSAccessKeyId")
    if int(expires) < now:
        raise Fault("AccessDenied", "Request has expired")
    if int(expires) > now + LONGEST_LIFE + SKEW:
        raise Fault("AccessDenied", f"A link may be valid for {LONGEST_LIFE} seconds.")
    for name, value in request.query:
        if name not in IN_QUERY and name not in _COVERED and not is_copy(request, name, value):
            raise Fault("AccessDenied", f"The signature does not cover the parameter {name}: use AWS4-HMAC-SHA256.")


def signature(asked: Asked, request: Plain, bucket_of_host: str, secret: str) -> str:
    text = _heads(request).encode("latin-1") + _resource(asked, request, bucket_of_host)
    return base64.b64encode(hmac.digest(secret.encode(), text, "sha1")).decode()


def _heads(request: Plain) -> str:
    named = (request.headers.get("content-md5", ""), request.headers.get("content-type", ""))
    amazon = sorted(f"{name}:{value}" for name, value in request.headers.items() if name.startswith("x-amz-"))
    return "\n".join((request.method, *named, dict(request.query)["Expires"], *amazon, ""))


def _resource(asked: Asked, request: Plain, bucket_of_host: str) -> bytes:
    """The path as it was sent, below its bucket, and those parameters that the signature covers."""
    bucket = f"/{bucket_of_host}".encode() if bucket_of_host else b""
    sent = asked.query.split(b"&")
    covered = sorted(pair for pair in request.query if pair[0] in _COVERED)
    # Here a parameter without a value is signed with an equals sign only if it was sent with one.
    query = "&".join(f"{name}={value}" if value or name.encode() not in sent else name for name, value in covered)
    return bucket + asked.path + (f"?{query}" if query else "").encode()
