"""Bucket operations. Each team has one versioned bucket, which cannot be created or deleted."""

from teamspace import tenancy
from teamspace.repository import key_order
from teamspace.s3.domain import bodies, listings, xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response

REGION = "auto"


async def list_buckets(request: S3Request) -> S3Response:
    own = await tenancy.get_bucket(request.db, request.who.team_id)
    bucket = xml.element("Bucket", xml.text("Name", own.name), xml.text("CreationDate", own.created_at))
    listed = bucket if request.bucket.startswith(request.query.get("prefix", "")) else ""
    body = xml.document("ListAllMyBucketsResult", listings.owner_element(request), xml.element("Buckets", listed))
    return S3Response(body=body)


async def head(request: S3Request) -> S3Response:
    return S3Response(headers={"x-amz-bucket-region": REGION})


async def create(request: S3Request) -> S3Response:
    """Succeed without doing anything: some tools create the bucket before they write."""
    return S3Response(headers={"location": f"/{request.bucket}"})


async def delete(request: S3Request) -> S3Response:
    found = await key_order.walk_team(
        request.db, request.who, prefix="", delimiter="", after=None, size=1, with_deleted=True
    )
    if found.entries:
        raise S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty.")
    raise S3Error("AccessDenied", "The bucket is the team's repository and cannot be deleted.")


async def location(request: S3Request) -> S3Response:
    return S3Response(body=xml.document("LocationConstraint", REGION))


async def set_versioning(request: S3Request) -> S3Response:
    status = xml.child_text(await bodies.read_xml(request, "VersioningConfiguration"), "Status")
    if status not in ("Enabled", "Suspended"):
        raise xml.malformed()
    if status == "Suspended":
        raise S3Error("InvalidBucketState", "The repository keeps every version: versioning cannot be suspended.")
    return S3Response()
