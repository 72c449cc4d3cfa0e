"""Object tags, and ACLs, which only reflect the access rules of the repository."""

from teamspace.core.errors import NotFound
from teamspace.repository import writing
from teamspace.s3.domain import bodies, listings, object_headers, objects, xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response

_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


async def get_tags(request: S3Request) -> S3Response:
    version = await objects.find_version(request)
    tags = (
        xml.element("Tag", xml.text("Key", name), xml.text("Value", value))
        for name, value in sorted((version.tags or {}).items())
    )
    body = xml.document("Tagging", xml.element("TagSet", *tags))
    return S3Response(body=body, headers={"x-amz-version-id": version.id})


async def put_tags(request: S3Request) -> S3Response:
    tag_set = xml.child(await bodies.read_xml(request, "Tagging"), "TagSet")
    if tag_set is None or any(xml.local_name(tag) != "Tag" for tag in tag_set):
        raise xml.malformed()
    pairs = [(xml.child_text(tag, "Key", ""), xml.child_text(tag, "Value", "")) for tag in xml.children(tag_set, "Tag")]
    return await _set_tags(request, object_headers.validate_tags(pairs), 200)


async def delete_tags(request: S3Request) -> S3Response:
    return await _set_tags(request, None, 204)


async def _set_tags(request: S3Request, tags: dict[str, str] | None, status: int) -> S3Response:
    try:
        version = await writing.set_tags(request.db, request.who, request.key, request.query.get("versionId"), tags)
    except NotFound:
        await objects.find_version(request)  # raises the exact S3 error
        raise
    return S3Response(status, headers={"x-amz-version-id": version.id})


# Access lists


async def get_acl(request: S3Request) -> S3Response:
    if request.key:
        await objects.find_version(request)
    grantee = (
        f'<Grantee xmlns:xsi="{_INSTANCE}" xsi:type="CanonicalUser">{"".join(listings.owner_fields(request))}</Grantee>'
    )
    body = xml.document(
        "AccessControlPolicy",
        listings.owner_element(request),
        xml.element("AccessControlList", xml.element("Grant", grantee, xml.text("Permission", "FULL_CONTROL"))),
    )
    return S3Response(body=body)


async def put_acl(request: S3Request) -> S3Response:
    """Accept ACLs that change nothing but visibility, as tools send after a copy; grants are made elsewhere."""
    if "x-amz-acl" in request.headers:
        visibility = object_headers.parse_visibility(request.headers)
        version = await objects.find_version(request) if request.key else None
        if version and visibility:
            await writing.set_visibility(request.db, request.who, version.object_id, visibility)
        return S3Response()
    grants = xml.child(await bodies.read_xml(request, "AccessControlPolicy"), "AccessControlList")
    if grants is None:
        raise S3Error("MalformedACLError", "The ACL must contain an AccessControlList.")
    for grant in xml.children(grants, "Grant"):
        grantee = xml.child(grant, "Grantee")
        if grantee is None or xml.child_text(grantee, "ID") != request.who.team_id:
            raise S3Error(
                "AccessControlListNotSupported", "Access is managed in the repository: share the object there."
            )
    if request.key:
        await objects.find_version(request)
    return S3Response()
