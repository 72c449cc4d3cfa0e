"""The table of S3 operations. A request that matches none is refused, never treated as another operation."""

from collections.abc import Awaitable, Callable, Mapping, Set
from enum import Enum
from functools import lru_cache

import msgspec

from teamspace.core.permissions import Permission as P
from teamspace.s3.domain import (
    buckets,
    completing,
    configuration,
    copies,
    deletions,
    listings,
    objects,
    parts,
    tagging,
    upload_lists,
    uploads,
)
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import Reply, S3Request


class ResourceLevel(Enum):
    """The resource of a request."""

    SERVICE = "service"
    BUCKET = "bucket"
    OBJECT = "object"


SERVICE, BUCKET, OBJECT = ResourceLevel


class Operation(msgspec.Struct, frozen=True):
    method: str
    level: ResourceLevel
    query: str
    """Sub-resources that the query must have."""
    name: str
    permission: P | None
    """The permission that the key's scope must include; the repository checks access to the objects."""
    handler: Callable[[S3Request], Awaitable[Reply]]
    optional: str = ""
    """Sub-resources that the query may also have."""
    copies: bool = False
    """Whether the bytes come from another object, named in x-amz-copy-source."""

    def matches(self, subresources: Set[str]) -> bool:
        """Whether a query with these sub-resources is for this operation."""
        required = _words(self.query)
        return required <= subresources and subresources - required <= _words(self.optional)

    @property
    def writes(self) -> bool:
        """Whether it changes anything. Listing parts needs files:write but changes nothing."""
        return self.permission is not None and self.method not in ("GET", "HEAD")


# fmt: off
OPERATIONS = (
    Operation("GET",    SERVICE, "",                    "ListBuckets",             None,           buckets.list_buckets),
    Operation("GET",    BUCKET,  "",                    "ListObjects",             P.FILES_READ,   listings.list_objects),
    Operation("GET",    BUCKET,  "list-type",           "ListObjectsV2",           P.FILES_READ,   listings.list_objects_v2),
    Operation("GET",    BUCKET,  "versions",            "ListObjectVersions",      P.FILES_READ,   listings.list_versions),
    Operation("GET",    BUCKET,  "uploads",             "ListMultipartUploads",    P.FILES_WRITE,  upload_lists.list_uploads),
    Operation("GET",    BUCKET,  "location",            "GetBucketLocation",       None,           buckets.location),
    Operation("GET",    BUCKET,  "accelerate",          "GetBucketAccelerateConfiguration", None,  configuration.acceleration),
    Operation("GET",    BUCKET,  "cors",                "GetBucketCors",           None,           configuration.cors),
    Operation("GET",    BUCKET,  "encryption",          "GetBucketEncryption",     None,           configuration.encryption),
    Operation("GET",    BUCKET,  "lifecycle",           "GetBucketLifecycleConfiguration", None,   configuration.lifecycle),
    Operation("GET",    BUCKET,  "logging",             "GetBucketLogging",        None,           configuration.logging),
    Operation("GET",    BUCKET,  "notification",        "GetBucketNotificationConfiguration", None, configuration.notification),
    Operation("GET",    BUCKET,  "object-lock",         "GetObjectLockConfiguration", None,        configuration.object_lock),
    Operation("GET",    BUCKET,  "ownershipControls",   "GetBucketOwnershipControls", None,        configuration.ownership),
    Operation("GET",    BUCKET,  "policy",              "GetBucketPolicy",         None,           configuration.policy),
    Operation("GET",    BUCKET,  "policyStatus",        "GetBucketPolicyStatus",   None,           configuration.policy),
    Operation("GET",    BUCKET,  "publicAccessBlock",   "GetPublicAccessBlock",    None,           configuration.public_access),
    Operation("GET",    BUCKET,  "replication",         "GetBucketReplication",    None,           configuration.replication),
    Operation("GET",    BUCKET,  "requestPayment",      "GetBucketRequestPayment", None,           configuration.payment),
    Operation("GET",    BUCKET,  "tagging",             "GetBucketTagging",        None,           configuration.tagging),
    Operation("GET",    BUCKET,  "versioning",          "GetBucketVersioning",     None,           configuration.versioning),
    Operation("GET",    BUCKET,  "website",             "GetBucketWebsite",        None,           configuration.website),
    Operation("GET",    BUCKET,  "acl",                 "GetBucketAcl",            None,           tagging.get_acl),
    Operation("HEAD",   BUCKET,  "",                    "HeadBucket",              None,           buckets.head),
    Operation("PUT",    BUCKET,  "",                    "CreateBucket",            None,           buckets.create),
    Operation("PUT",    BUCKET,  "versioning",          "PutBucketVersioning",     None,           buckets.set_versioning),
    Operation("PUT",    BUCKET,  "acl",                 "PutBucketAcl",            None,           tagging.put_acl),
    Operation("DELETE", BUCKET,  "",                    "DeleteBucket",            None,           buckets.delete),
    Operation("POST",   BUCKET,  "delete",              "DeleteObjects",           P.FILES_DELETE, deletions.delete_many),
    Operation("GET",    OBJECT,  "",                    "GetObject",               P.FILES_READ,   objects.get, optional="versionId partNumber"),
    Operation("HEAD",   OBJECT,  "",                    "HeadObject",              P.FILES_READ,   objects.get, optional="versionId partNumber"),
    Operation("PUT",    OBJECT,  "",                    "PutObject",               P.FILES_WRITE,  objects.put),
    Operation("PUT",    OBJECT,  "",                    "CopyObject",              P.FILES_WRITE,  copies.copy, copies=True),
    Operation("DELETE", OBJECT,  "",                    "DeleteObject",            P.FILES_DELETE, objects.delete, optional="versionId"),
    Operation("GET",    OBJECT,  "attributes",          "GetObjectAttributes",     P.FILES_READ,   objects.get_attributes, optional="versionId"),
    Operation("GET",    OBJECT,  "tagging",             "GetObjectTagging",        P.FILES_READ,   tagging.get_tags, optional="versionId"),
    Operation("PUT",    OBJECT,  "tagging",             "PutObjectTagging",        P.FILES_WRITE,  tagging.put_tags, optional="versionId"),
    Operation("DELETE", OBJECT,  "tagging",             "DeleteObjectTagging",     P.FILES_WRITE,  tagging.delete_tags, optional="versionId"),
    Operation("GET",    OBJECT,  "acl",                 "GetObjectAcl",            P.FILES_READ,   tagging.get_acl, optional="versionId"),
    Operation("PUT",    OBJECT,  "acl",                 "PutObjectAcl",            P.FILES_WRITE,  tagging.put_acl, optional="versionId"),
    Operation("POST",   OBJECT,  "uploads",             "CreateMultipartUpload",   P.FILES_WRITE,  uploads.begin),
    Operation("PUT",    OBJECT,  "partNumber uploadId", "UploadPart",              P.FILES_WRITE,  parts.put),
    Operation("PUT",    OBJECT,  "partNumber uploadId", "UploadPartCopy",          P.FILES_WRITE,  parts.copy, copies=True),
    Operation("GET",    OBJECT,  "uploadId",            "ListParts",               P.FILES_WRITE,  upload_lists.list_parts),
    Operation("POST",   OBJECT,  "uploadId",            "CompleteMultipartUpload", P.FILES_WRITE,  completing.complete),
    Operation("DELETE", OBJECT,  "uploadId",            "AbortMultipartUpload",    P.FILES_WRITE,  completing.abort),
)

SUBRESOURCES = frozenset({
    "abac", "accelerate", "acl", "analytics", "append", "attributes", "cors", "delete", "encryption", "intelligent-tiering",
    "inventory", "legal-hold", "lifecycle", "list-type", "location", "logging", "metadata",
    "metadataConfiguration", "metadataInventoryTable", "metadataJournalTable", "metadataTable", "metrics",
    "notification", "object-lock", "ownershipControls", "partNumber", "policy", "policyStatus", "publicAccessBlock",
    "renameObject", "replication", "requestPayment", "restore", "retention", "select", "select-type", "session",
    "tagging", "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
})
"""All query parameters that select another operation, supported here or not."""
# fmt: on


_BY_LEVEL: dict[tuple[str, ResourceLevel, bool], list[Operation]] = {}
for _each in OPERATIONS:
    _BY_LEVEL.setdefault((_each.method, _each.level, _each.copies), []).append(_each)


@lru_cache(512)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def find_operation(
    method: str, level: ResourceLevel, query: Mapping[str, str], headers: Mapping[str, str]
) -> Operation:
    subresources = query.keys() & SUBRESOURCES
    for operation in _BY_LEVEL.get((method, level, "x-amz-copy-source" in headers), ()):
        if operation.matches(subresources):
            return operation
    raise S3Error("NotImplemented", "A header or query you provided implies functionality that is not implemented.")
