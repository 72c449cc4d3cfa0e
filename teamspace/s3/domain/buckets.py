"""The bucket itself: there is one for each team, it keeps versions, and nobody makes or removes it here."""

from teamspace import tenancy
from teamspace.repository import walking
from teamspace.s3.domain import bodies, listings, xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

REGION = "auto"


async def list_buckets(visit: Visit) -> Answer:
    own = await tenancy.bucket_of(visit.db, visit.who.team_id)
    bucket = xml.element("Bucket", xml.text("Name", own.name), xml.text("CreationDate", own.created_at))
    shown = bucket if visit.bucket.startswith(visit.query.get("prefix", "")) else ""
    body = xml.document("ListAllMyBucketsResult", listings.owner(visit), xml.element("Buckets", shown))
    return Answer(body=body)


async def head(visit: Visit) -> Answer:
    return Answer(headers={"x-amz-bucket-region": REGION})


async def create(visit: Visit) -> Answer:
    """It is there; tools that make sure of that before they write go on."""
    return Answer(headers={"location": f"/{visit.bucket}"})


async def delete(visit: Visit) -> Answer:
    found = await walking.of_team(visit.db, visit.who, prefix="", delimiter="", after=None, size=1, removed=True)
    if found.entries:
        raise Fault("BucketNotEmpty", "The bucket you tried to delete is not empty.")
    raise Fault("AccessDenied", "The bucket is the team's repository: it is there for as long as the team is.")


async def location(visit: Visit) -> Answer:
    return Answer(body=xml.document("LocationConstraint", REGION))


async def set_versioning(visit: Visit) -> Answer:
    status = xml.value(await bodies.document(visit, "VersioningConfiguration"), "Status")
    if status not in ("Enabled", "Suspended"):
        raise xml.malformed()
    if status == "Suspended":
        raise Fault("InvalidBucketState", "The repository keeps every version: versioning cannot be suspended.")
    return Answer()
