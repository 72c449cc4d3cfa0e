"""Create and find multipart uploads, with the checksum declared for them."""

from teamspace.core.errors import NotFound
from teamspace.repository import Checksum, UploadRow, multipart
from teamspace.s3.domain import checksums, object_headers, xml
from teamspace.s3.domain.checksums import ALGORITHMS, Algorithm
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response


async def begin(request: S3Request) -> S3Response:
    checksum = _parse_checksum(request)
    upload = await multipart.begin(request.db, request.who, object_headers.version_draft(request, checksum))
    body = xml.document(
        "InitiateMultipartUploadResult", xml.text("Bucket", request.bucket), xml.text("Key", request.key),
        xml.text("UploadId", upload.id),
    )  # fmt: skip
    return S3Response(body=body, headers=declared_headers(checksum))


def _parse_checksum(request: S3Request) -> Checksum | None:
    """Return the algorithm for all parts, and whether the whole gets a composite checksum; no value yet."""
    expected = checksums.parse_expected(request.headers, ())
    kind = request.headers.get("x-amz-checksum-type", "")
    if kind not in ("", "COMPOSITE", "FULL_OBJECT"):
        raise S3Error("InvalidRequest", "Value for x-amz-checksum-type header is invalid.")
    algorithm = expected.algorithm
    if algorithm is None:
        if kind:
            raise S3Error("InvalidRequest", "The x-amz-checksum-type header can only be used with an algorithm.")
        return None
    composite = kind == "COMPOSITE" if kind else algorithm.composite
    if (composite and not algorithm.composite) or (not composite and not algorithm.full_object):
        raise S3Error("InvalidRequest", f"The {kind} checksum type cannot be used with {algorithm.name}.")
    return Checksum(algorithm.name, "", composite)


def declared_headers(checksum: Checksum | None) -> dict[str, str]:
    if checksum is None:
        return {}
    kind = object_headers.checksum_type(checksum)
    return {"x-amz-checksum-algorithm": checksum.algorithm.upper(), "x-amz-checksum-type": kind}


def algorithm_of(upload: UploadRow) -> Algorithm | None:
    declared = declared_checksum(upload)
    return ALGORITHMS[declared.algorithm] if declared else None


def declared_checksum(upload: UploadRow) -> Checksum | None:
    return upload.work.carried.checksum if upload.work.carried else None


async def find(request: S3Request, *, ended: bool = False, settled: bool = False) -> UploadRow:
    """Return an unfinished upload, or with `ended` a completed one; `settled` waits for pending commits first."""
    try:
        if settled:
            return await multipart.find_settled(request.db, request.who, request.key, request.query["uploadId"])
        return await multipart.find(request.db, request.who, request.key, request.query["uploadId"], ended=ended)
    except NotFound:
        raise no_such_upload() from None


def no_such_upload() -> S3Error:
    return S3Error(
        "NoSuchUpload", "The specified multipart upload does not exist: it may have been aborted or completed."
    )
