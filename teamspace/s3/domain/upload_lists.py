"""Lists of uploads that are under way, and of their parts."""

from teamspace.repository import Checksum, UploadPartRow, UploadRow, assembling, walking
from teamspace.s3.domain import listings, uploads, xml
from teamspace.s3.domain.checksums import Algorithm
from teamspace.s3.domain.visits import Answer, Visit, number


async def of_parts(visit: Visit) -> Answer:
    upload = await uploads.found(visit)
    after, most = number(visit.query, "part-number-marker", 0), min(number(visit.query, "max-parts", 1000), 1000)
    parts = await assembling.parts(visit.db, upload, after, most + 1)
    shown, algorithm = parts[:most], uploads.algorithm_of(upload)
    body = xml.document(
        "ListPartsResult", xml.text("Bucket", visit.bucket), xml.text("Key", visit.key), xml.text("UploadId", upload.id),
        xml.element("Initiator", xml.text("ID", upload.owner_id), xml.text("DisplayName", upload.owner_id)),
        listings.owner(visit), xml.text("StorageClass", "STANDARD"), xml.text("PartNumberMarker", after),
        xml.text("NextPartNumberMarker", shown[-1].number if shown else after), xml.text("MaxParts", most),
        xml.text("IsTruncated", xml.truth(len(parts) > most)), *_declared_elements(uploads.promised(upload)),
        *(_part(part, algorithm) for part in shown),
    )  # fmt: skip
    return Answer(body=body)


def _declared_elements(checksum: Checksum | None) -> list[str]:
    names = {"x-amz-checksum-algorithm": "ChecksumAlgorithm", "x-amz-checksum-type": "ChecksumType"}
    return [xml.text(names[header], value) for header, value in uploads.declared(checksum).items()]


def _part(part: UploadPartRow, algorithm: Algorithm | None) -> str:
    return xml.element(
        "Part", xml.text("PartNumber", part.number), xml.text("LastModified", part.created_at),
        xml.text("ETag", f'"{part.md5}"'), xml.text("Size", part.size),
        xml.text(algorithm.element, part.checksum) if algorithm and part.checksum else "",
    )  # fmt: skip


async def of_bucket(visit: Visit) -> Answer:
    wish = listings.asked(visit, "max-uploads")
    marker, id_marker = visit.query.get("key-marker", ""), visit.query.get("upload-id-marker", "")
    after = (marker, id_marker) if marker and id_marker else listings.after_marker(marker, wish)
    entries, more = await _uploads(visit, wish, after or ("", ""))
    last = entries[-1] if entries else None
    body = xml.document(
        "ListMultipartUploadsResult", xml.text("Bucket", visit.bucket), xml.text("KeyMarker", wish.encode(marker)),
        xml.text("UploadIdMarker", id_marker),
        xml.text("NextKeyMarker", wish.encode(last if isinstance(last, str) else last.key)) if more and last else "",
        xml.text("NextUploadIdMarker", last.id) if more and isinstance(last, UploadRow) else "",
        *listings.head(wish), xml.text("MaxUploads", wish.size), xml.text("IsTruncated", xml.truth(more)),
        *(_upload(entry, wish, listings.owner(visit)) for entry in entries if isinstance(entry, UploadRow)), *listings.folders(entries, wish),
    )  # fmt: skip
    return Answer(body=body)


async def _uploads(visit: Visit, wish: listings.Asked, after: listings.Place) -> tuple[list[UploadRow | str], bool]:
    """Uploads and folders, and whether there are more. A folder may follow at every step, and ends it: they begin small."""
    entries: list[UploadRow | str] = []
    place, step = after, 1 if wish.delimiter else wish.size + 1
    while rows := await assembling.listing(visit.db, visit.who, prefix=wish.prefix, after=place, limit=step):
        step = min(step * 2, wish.size + 1)
        for row in rows:
            if len(entries) == wish.size:
                return entries, bool(entries)
            folder = walking.folder_of(row.key, wish.prefix, wish.delimiter)
            entries.append(folder or row)
            place = (folder and walking.beyond(folder)) or (row.key, walking.BEYOND_ANY_ID if folder else row.id)
            if folder:
                step = 1
                break
    return entries, False


def _upload(row: UploadRow, wish: listings.Asked, owner: str) -> str:
    return xml.element(
        "Upload", xml.text("Key", wish.encode(row.key)), xml.text("UploadId", row.id),
        xml.element("Initiator", xml.text("ID", row.owner_id), xml.text("DisplayName", row.owner_id)),
        owner, xml.text("StorageClass", "STANDARD"), xml.text("Initiated", row.created_at),
        *_declared_elements(uploads.promised(row)),
    )  # fmt: skip
