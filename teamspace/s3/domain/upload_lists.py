"""List unfinished multipart uploads and their parts."""

from teamspace.repository import Checksum, UploadPartRow, UploadRow, key_order, multipart
from teamspace.s3.domain import listings, uploads, xml
from teamspace.s3.domain.checksums import Algorithm
from teamspace.s3.domain.requests import S3Request, S3Response, parse_number


async def list_parts(request: S3Request) -> S3Response:
    upload = await uploads.find(request)
    after, limit = (
        parse_number(request.query, "part-number-marker", 0),
        min(parse_number(request.query, "max-parts", 1000), 1000),
    )
    parts = await multipart.list_parts(request.db, upload, after, limit + 1)
    page, algorithm = parts[:limit], uploads.algorithm_of(upload)
    body = xml.document(
        "ListPartsResult", xml.text("Bucket", request.bucket), xml.text("Key", request.key),
        xml.text("UploadId", upload.id),
        xml.element("Initiator", xml.text("ID", upload.owner_id), xml.text("DisplayName", upload.owner_id)),
        listings.owner_element(request), xml.text("StorageClass", "STANDARD"), xml.text("PartNumberMarker", after),
        xml.text("NextPartNumberMarker", page[-1].number if page else after), xml.text("MaxParts", limit),
        xml.text("IsTruncated", xml.boolean(len(parts) > limit)),
        *_checksum_elements(uploads.declared_checksum(upload)),
        *(_part_element(part, algorithm) for part in page),
    )  # fmt: skip
    return S3Response(body=body)


def _checksum_elements(checksum: Checksum | None) -> list[str]:
    names = {"x-amz-checksum-algorithm": "ChecksumAlgorithm", "x-amz-checksum-type": "ChecksumType"}
    return [xml.text(names[header], value) for header, value in uploads.declared_headers(checksum).items()]


def _part_element(part: UploadPartRow, algorithm: Algorithm | None) -> str:
    return xml.element(
        "Part", xml.text("PartNumber", part.number), xml.text("LastModified", part.created_at),
        xml.text("ETag", f'"{part.md5}"'), xml.text("Size", part.size),
        xml.text(algorithm.element, part.checksum) if algorithm and part.checksum else "",
    )  # fmt: skip


async def list_uploads(request: S3Request) -> S3Response:
    params = listings.list_params(request, "max-uploads")
    marker, id_marker = request.query.get("key-marker", ""), request.query.get("upload-id-marker", "")
    after = (marker, id_marker) if marker and id_marker else listings.after_marker(marker, params)
    entries, more = await _collect_uploads(request, params, after or ("", ""))
    last = entries[-1] if entries else None
    body = xml.document(
        "ListMultipartUploadsResult", xml.text("Bucket", request.bucket), xml.text("KeyMarker", params.encode(marker)),
        xml.text("UploadIdMarker", id_marker),
        xml.text("NextKeyMarker", params.encode(last if isinstance(last, str) else last.key)) if more and last else "",
        xml.text("NextUploadIdMarker", last.id) if more and isinstance(last, UploadRow) else "",
        *listings.common_elements(params), xml.text("MaxUploads", params.size),
        xml.text("IsTruncated", xml.boolean(more)),
        *(
            _upload_element(entry, params, listings.owner_element(request))
            for entry in entries
            if isinstance(entry, UploadRow)
        ),
        *listings.folder_elements(entries, params),
    )  # fmt: skip
    return S3Response(body=body)


async def _collect_uploads(
    request: S3Request, params: listings.ListParams, after: listings.Position
) -> tuple[list[UploadRow | str], bool]:
    """Return uploads and folders, and whether there are more.

    With a delimiter the first query is small and later ones grow, since a folder makes the rest of a query useless.
    """
    entries: list[UploadRow | str] = []
    position, step = after, 1 if params.delimiter else params.size + 1
    while rows := await multipart.list_uploads(
        request.db, request.who, prefix=params.prefix, after=position, limit=step
    ):
        step = min(step * 2, params.size + 1)
        for row in rows:
            if len(entries) == params.size:
                return entries, bool(entries)
            folder = key_order.folder_of(row.key, params.prefix, params.delimiter)
            entries.append(folder or row)
            position = (folder and key_order.position_after(folder)) or (
                row.key,
                key_order.AFTER_ANY_ID if folder else row.id,
            )
            if folder:
                step = 1
                break
    return entries, False


def _upload_element(row: UploadRow, params: listings.ListParams, owner: str) -> str:
    return xml.element(
        "Upload", xml.text("Key", params.encode(row.key)), xml.text("UploadId", row.id),
        xml.element("Initiator", xml.text("ID", row.owner_id), xml.text("DisplayName", row.owner_id)),
        owner, xml.text("StorageClass", "STANDARD"), xml.text("Initiated", row.created_at),
        *_checksum_elements(uploads.declared_checksum(row)),
    )  # fmt: skip
