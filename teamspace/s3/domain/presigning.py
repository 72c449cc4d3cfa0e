"""Create presigned links."""

from collections.abc import Iterable
from datetime import UTC, datetime

from teamspace.s3.domain.canonical import ParsedRequest, canonical_request, encode_pair, encode_path
from teamspace.s3.domain.payload import UNSIGNED
from teamspace.s3.domain.signature_v4 import ALGORITHM, Scope, signature, signing_key


def presign(
    *, method: str, scheme: str, host: str, path: str, access_key_id: str, secret: str, region: str, now: float,
    expires: int, query: Iterable[tuple[str, str]] = (),
) -> str:  # fmt: skip
    """Return a URL that lets anyone who has it make this one request, for `expires` seconds."""
    timestamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(timestamp[:8], region)
    parameters = [
        *query,
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", f"{access_key_id}/{scope}"),
        ("X-Amz-Date", timestamp),
        ("X-Amz-Expires", str(expires)),
        ("X-Amz-SignedHeaders", "host"),
    ]
    signed = canonical_request(ParsedRequest(method, path, parameters, {"host": host}), ("host",), UNSIGNED)
    parameters.append(("X-Amz-Signature", signature(signing_key(secret, scope), timestamp, scope, signed)))
    text = "&".join("=".join(encode_pair(*parameter)) for parameter in parameters)
    return f"{scheme}://{host}{encode_path(path)}?{text}"
