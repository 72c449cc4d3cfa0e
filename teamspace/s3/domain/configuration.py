"""What can be set of a bucket elsewhere: here nothing is, and it is told in the words in which S3 tells that."""

from collections.abc import Awaitable, Callable

from teamspace.s3.domain import xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

Handler = Callable[[Visit], Awaitable[Answer]]


def unset(code: str, message: str) -> Handler:
    """For what there is no default of."""

    async def refuse(visit: Visit) -> Answer:
        raise Fault(code, message)

    return refuse


def always(name: str, *children: str) -> Handler:
    """For what is so, set or not."""

    async def tell(visit: Visit) -> Answer:
        return Answer(body=xml.document(name, *children))

    return tell


# fmt: off
cors = unset("NoSuchCORSConfiguration", "The CORS configuration does not exist")
encryption = unset("ServerSideEncryptionConfigurationNotFoundError", "The server side encryption configuration was not found")
lifecycle = unset("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist")
object_lock = unset("ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket")
ownership = unset("OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
policy = unset("NoSuchBucketPolicy", "The bucket policy does not exist")
public_access = unset("NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found")
replication = unset("ReplicationConfigurationNotFoundError", "The replication configuration was not found")
tagging = unset("NoSuchTagSet", "The TagSet does not exist")
website = unset("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration")

acceleration = always("AccelerateConfiguration")
logging = always("BucketLoggingStatus")
notification = always("NotificationConfiguration")
payment = always("RequestPaymentConfiguration", xml.text("Payer", "BucketOwner"))
versioning = always("VersioningConfiguration", xml.text("Status", "Enabled"))
# fmt: on
