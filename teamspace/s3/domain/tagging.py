"""Tags of a version, and the access list, which only tells what the repository decides."""

from teamspace.core.errors import NotFound
from teamspace.repository import writing
from teamspace.s3.domain import bodies, describing, listings, objects, xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


async def get_tags(visit: Visit) -> Answer:
    version = await objects.found(visit)
    tags = (
        xml.element("Tag", xml.text("Key", name), xml.text("Value", value))
        for name, value in sorted((version.tags or {}).items())
    )
    body = xml.document("Tagging", xml.element("TagSet", *tags))
    return Answer(body=body, headers={"x-amz-version-id": version.id})


async def put_tags(visit: Visit) -> Answer:
    tag_set = xml.child(await bodies.document(visit, "Tagging"), "TagSet")
    if tag_set is None or any(xml.local(tag) != "Tag" for tag in tag_set):
        raise xml.malformed()
    pairs = [(xml.value(tag, "Key", ""), xml.value(tag, "Value", "")) for tag in xml.children(tag_set, "Tag")]
    return await _tagged(visit, describing.tags(pairs), 200)


async def delete_tags(visit: Visit) -> Answer:
    return await _tagged(visit, None, 204)


async def _tagged(visit: Visit, tags: dict[str, str] | None, status: int) -> Answer:
    try:
        version = await writing.set_tags(visit.db, visit.who, visit.key, visit.query.get("versionId"), tags)
    except NotFound:
        await objects.found(visit)  # tells what exactly is not there
        raise
    return Answer(status, headers={"x-amz-version-id": version.id})


# Access lists


async def get_acl(visit: Visit) -> Answer:
    if visit.key:
        await objects.found(visit)
    grantee = f'<Grantee xmlns:xsi="{_INSTANCE}" xsi:type="CanonicalUser">{"".join(listings.named(visit))}</Grantee>'
    body = xml.document(
        "AccessControlPolicy",
        listings.owner(visit),
        xml.element("AccessControlList", xml.element("Grant", grantee, xml.text("Permission", "FULL_CONTROL"))),
    )
    return Answer(body=body)


async def put_acl(visit: Visit) -> Answer:
    """What says no more than what is so already, as tools send it after a copy, is taken; rights are given elsewhere."""
    if "x-amz-acl" in visit.headers:
        visibility = describing.visibility(visit.headers)
        version = await objects.found(visit) if visit.key else None
        if version and visibility:
            await writing.set_visibility(visit.db, visit.who, version.object_id, visibility)
        return Answer()
    grants = xml.child(await bodies.document(visit, "AccessControlPolicy"), "AccessControlList")
    if grants is None:
        raise Fault("MalformedACLError", "The ACL must hold an AccessControlList.")
    for grant in xml.children(grants, "Grant"):
        grantee = xml.child(grant, "Grantee")
        if grantee is None or xml.value(grantee, "ID") != visit.who.team_id:
            raise Fault("AccessControlListNotSupported", "Rights are given in the repository: share the object there.")
    if visit.key:
        await objects.found(visit)
    return Answer()
