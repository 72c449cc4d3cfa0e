"""Uploads in parts, as S3 speaks of them: how they begin, and what was promised of them then."""

from teamspace.core.errors import NotFound
from teamspace.repository import Checksum, UploadRow, assembling
from teamspace.s3.domain import checksums, describing, xml
from teamspace.s3.domain.checksums import ALGORITHMS, Algorithm
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit


async def begin(visit: Visit) -> Answer:
    checksum = _wanted(visit)
    upload = await assembling.begin(visit.db, visit.who, describing.work(visit, checksum))
    body = xml.document(
        "InitiateMultipartUploadResult", xml.text("Bucket", visit.bucket), xml.text("Key", visit.key),
        xml.text("UploadId", upload.id),
    )  # fmt: skip
    return Answer(body=body, headers=declared(checksum))


def _wanted(visit: Visit) -> Checksum | None:
    """The algorithm in which all parts are to be summed, and whether the sum of the whole is one over theirs."""
    wanted = checksums.wanted(visit.headers, ())
    kind = visit.headers.get("x-amz-checksum-type", "")
    if kind not in ("", "COMPOSITE", "FULL_OBJECT"):
        raise Fault("InvalidRequest", "Value for x-amz-checksum-type header is invalid.")
    algorithm = wanted.algorithm
    if algorithm is None:
        if kind:
            raise Fault("InvalidRequest", "The x-amz-checksum-type header can only be used with an algorithm.")
        return None
    composite = kind == "COMPOSITE" if kind else algorithm.composite
    if (composite and not algorithm.composite) or (not composite and not algorithm.full_object):
        raise Fault("InvalidRequest", f"The {kind} checksum type cannot be used with {algorithm.name}.")
    return Checksum(algorithm.name, "", composite)


def declared(checksum: Checksum | None) -> dict[str, str]:
    if checksum is None:
        return {}
    kind = describing.kind_of(checksum)
    return {"x-amz-checksum-algorithm": checksum.algorithm.upper(), "x-amz-checksum-type": kind}


def algorithm_of(upload: UploadRow) -> Algorithm | None:
    promise = promised(upload)
    return ALGORITHMS[promise.algorithm] if promise else None


def promised(upload: UploadRow) -> Checksum | None:
    return upload.work.carried.checksum if upload.work.carried else None


async def found(visit: Visit, *, ended: bool = False, settled: bool = False) -> UploadRow:
    """One under way, or one that has `ended`; `settled` waits for what is just happening to it."""
    try:
        if settled:
            return await assembling.settled(visit.db, visit.who, visit.key, visit.query["uploadId"])
        return await assembling.find(visit.db, visit.who, visit.key, visit.query["uploadId"], ended=ended)
    except NotFound:
        raise no_such_upload() from None


def no_such_upload() -> Fault:
    return Fault(
        "NoSuchUpload", "The specified multipart upload does not exist: it may have been aborted or completed."
    )
