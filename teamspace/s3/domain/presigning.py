"""Links that carry a signature of their own."""

from collections.abc import Iterable
from datetime import UTC, datetime

from teamspace.s3.domain.canonical import Plain, canonical, encoded_pair, encoded_path
from teamspace.s3.domain.payload import UNSIGNED
from teamspace.s3.domain.signature import ALGORITHM, Scope, signature, signing_key


def presign(
    *, method: str, scheme: str, host: str, path: str, access_key_id: str, secret: str, region: str, now: float,
    expires: int, query: Iterable[tuple[str, str]] = (),
) -> str:  # fmt: skip
    """The address at which whoever has it may do this one thing, for `expires` seconds."""
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(moment[:8], region)
    parameters = [
        *query,
        ("X-Amz-Algorithm", ALGORITHM),
        ("X-Amz-Credential", f"{access_key_id}/{scope}"),
        ("X-Amz-Date", moment),
        ("X-Amz-Expires", str(expires)),
        ("X-Amz-SignedHeaders", "host"),
    ]
    signed = canonical(Plain(method, path, parameters, {"host": host}), ("host",), UNSIGNED)
    parameters.append(("X-Amz-Signature", signature(signing_key(secret, scope), moment, scope, signed)))
    text = "&".join("=".join(encoded_pair(*parameter)) for parameter in parameters)
    return f"{scheme}://{host}{encoded_path(path)}?{text}"
