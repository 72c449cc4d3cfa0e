"""AWS Signature Version 2 in the query, which some clients still use for presigned links."""

import base64
import hmac
import re

from teamspace.s3.domain.canonical import ParsedRequest, RawRequest
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.signature_fields import SKEW
from teamspace.s3.domain.signature_v4 import MAX_EXPIRES

IN_QUERY = frozenset({"AWSAccessKeyId", "Expires", "Signature"})
_SIGNED = frozenset({
    "accelerate", "acl", "analytics", "cors", "defaultObjectAcl", "delete", "inventory", "lifecycle", "location",
    "logging", "metrics", "notification", "object-lock", "partNumber", "policy", "replication", "requestPayment",
    "restore", "select", "select-type", "storageClass", "tagging", "torrent", "uploadId", "uploads", "versionId",
    "versioning", "versions", "website", "response-cache-control", "response-content-disposition",
    "response-content-encoding", "response-content-language", "response-content-type", "response-expires",
})  # fmt: skip
_SECONDS = re.compile(r"\d{1,12}", re.ASCII)


def is_copy(request: ParsedRequest, name: str, value: str) -> bool:
    """Whether a parameter repeats a signed header: some clients add these to the link."""
    signed = name in ("content-md5", "content-type") or name.startswith("x-amz-")
    return signed and request.headers.get(name) == value


def check(request: ParsedRequest, now: float) -> None:
    """Refuse a link that has expired, or that has parameters the signature does not cover."""
    expires = dict(request.query).get("Expires", "")
    if not _SECONDS.fullmatch(expires):
        raise S3Error("AccessDenied", "Query-string authentication requires the Signature, Expires and AWSAccessKeyId")
    if int(expires) < now:
        raise S3Error("AccessDenied", "Request has expired")
    if int(expires) > now + MAX_EXPIRES + SKEW:
        raise S3Error("AccessDenied", f"A link can be valid for {MAX_EXPIRES} seconds.")
    for name, value in request.query:
        if name not in IN_QUERY and name not in _SIGNED and not is_copy(request, name, value):
            raise S3Error("AccessDenied", f"The signature does not cover the parameter {name}: use AWS4-HMAC-SHA256.")


def signature(raw: RawRequest, request: ParsedRequest, host_bucket: str, secret: str) -> str:
    text = _header_lines(request).encode("latin-1") + _resource(raw, request, host_bucket)
    return base64.b64encode(hmac.digest(secret.encode(), text, "sha1")).decode()


def _header_lines(request: ParsedRequest) -> str:
    standard = (request.headers.get("content-md5", ""), request.headers.get("content-type", ""))
    amazon = sorted(f"{name}:{value}" for name, value in request.headers.items() if name.startswith("x-amz-"))
    return "\n".join((request.method, *standard, dict(request.query)["Expires"], *amazon, ""))


def _resource(raw: RawRequest, request: ParsedRequest, host_bucket: str) -> bytes:
    """Return bucket, path as sent, and the parameters that the signature covers."""
    bucket = f"/{host_bucket}".encode() if host_bucket else b""
    sent = raw.query.split(b"&")
    signed_params = sorted(pair for pair in request.query if pair[0] in _SIGNED)
    # In V2 a parameter without a value is signed with an equals sign only if it was sent with one.
    query = "&".join(f"{name}={value}" if value or name.encode() not in sent else name for name, value in signed_params)
    return bucket + raw.path + (f"?{query}" if query else "").encode()
