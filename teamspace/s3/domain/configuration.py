"""Bucket configuration, none of which can be set here: fixed answers in S3's format."""

from collections.abc import Awaitable, Callable

from teamspace.s3.domain import xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response

Handler = Callable[[S3Request], Awaitable[S3Response]]


def not_configured(code: str, message: str) -> Handler:
    """Answer that the configuration does not exist."""

    async def refuse(request: S3Request) -> S3Response:
        raise S3Error(code, message)

    return refuse


def constant(name: str, *children: str) -> Handler:
    """Answer with a constant document."""

    async def respond(request: S3Request) -> S3Response:
        return S3Response(body=xml.document(name, *children))

    return respond


# fmt: off
cors = not_configured("NoSuchCORSConfiguration", "The CORS configuration does not exist")
encryption = not_configured("ServerSideEncryptionConfigurationNotFoundError", "The server side encryption configuration was not found")
lifecycle = not_configured("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist")
object_lock = not_configured("ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket")
ownership = not_configured("OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
policy = not_configured("NoSuchBucketPolicy", "The bucket policy does not exist")
public_access = not_configured("NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found")
replication = not_configured("ReplicationConfigurationNotFoundError", "The replication configuration was not found")
tagging = not_configured("NoSuchTagSet", "The TagSet does not exist")
website = not_configured("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration")

acceleration = constant("AccelerateConfiguration")
logging = constant("BucketLoggingStatus")
notification = constant("NotificationConfiguration")
payment = constant("RequestPaymentConfiguration", xml.text("Payer", "BucketOwner"))
versioning = constant("VersioningConfiguration", xml.text("Status", "Enabled"))
# fmt: on
