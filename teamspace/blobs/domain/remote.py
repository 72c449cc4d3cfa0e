"""A blob store in a bucket of any S3-compatible service."""

import logging
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from obstore.exceptions import BaseError, GenericError
from obstore.store import S3Store

from teamspace.blobs.domain.staging_area import StagingArea
from teamspace.blobs.schemas import INSTANCE, STRIDE, BlobMissing, StoredFile, blob_path
from teamspace.core.errors import Overloaded, Refusal, StorageFull

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import ClientConfig, RetryConfig, S3Credential

log = logging.getLogger("teamspace")

_NAME = re.compile(r"([^/]+)/([0-9a-f]{2})/([0-9a-f]{2})/(\2\3[0-9a-f]{60})")
_PART, _MAX_PARTS, _CONCURRENT_PARTS = 8 * 1024 * 1024, 10_000, 2
_STATUS, _CODE = re.compile(r"status code: (\d+)"), re.compile(r"<Code>(\w+)</Code>")
_RANGE_NOT_SATISFIABLE = "416"

# A transfer has no time limit while bytes are moving; obstore retries requests that get no answer.
_CLIENT: "ClientConfig" = {
    "allow_http": True,
    "connect_timeout": timedelta(seconds=5),
    "read_timeout": timedelta(seconds=30),
    "timeout": timedelta(days=1),
}
_RETRIES: "RetryConfig" = {"max_retries": 5, "retry_timeout": timedelta(seconds=20)}


class BucketAddress(msgspec.Struct, frozen=True):
    """The address of the bucket and its credentials."""

    url: str
    bucket: str
    region: str
    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"{self.url}/{self.bucket}"


class BucketStore(StagingArea):
    """`<namespace>/ab/cd/<digest>` in a bucket; `root` is a folder for staged blobs and the lock."""

    def __init__(self, address: BucketAddress, root: Path, floor: int = 0) -> None:
        super().__init__(root, floor)
        self._address = address
        self._objects = S3Store(
            address.bucket,
            endpoint=address.url,
            region=address.region,
            # A provider, so that AWS_* environment variables for other programs are ignored.
            credential_provider=partial(_credential, address),
            virtual_hosted_style_request=False,
            skip_signature=False,
            client_options=_CLIENT,
            retry_config=_RETRIES,
        )

    def check(self) -> None:
        try:
            next(iter(self._objects.list(chunk_size=1)), None)
        except (BaseError, OSError) as fault:
            raise Overloaded("storage.bucket_unusable", bucket=str(self._address), reason=_reason(fault)) from None

    async def put(self, namespace: str, digest: str, file: Path) -> None:
        """Store the file, replacing an existing one. It is durable once the bucket has confirmed it."""
        with self._translate_errors(StorageFull("storage.bucket_failed")):
            await self._objects.put_async(
                blob_path(namespace, digest),
                file,
                chunk_size=_part_size(file),
                max_concurrency=_CONCURRENT_PARTS,
            )
            os.unlink(file)

    async def get(
        self, namespace: str, digest: str, start: int = 0, length: int | None = None, *, size: int | None = None
    ) -> AsyncIterator[bytes]:
        if length == 0:  # an HTTP range cannot be empty
            if await self.stat(namespace, digest) is None:
                raise BlobMissing(f"blob {digest} is missing")
            return
        with self._or_overloaded():
            try:
                result = await self._objects.get_async(
                    blob_path(namespace, digest), options=_range_options(start, length)
                )
                async for chunk in result.stream(STRIDE):
                    read = [bytes(chunk)]
                    del chunk
                    yield read.pop()  # not kept here: the reader can be slow
            except FileNotFoundError:
                raise BlobMissing(f"blob {digest} is missing") from None
            except GenericError as fault:
                if _search(_STATUS, fault) != _RANGE_NOT_SATISFIABLE:
                    raise

    async def delete(self, namespace: str, digest: str) -> None:
        with self._or_overloaded(), suppress(FileNotFoundError):
            await self._objects.delete_async(blob_path(namespace, digest))

    async def stat(self, namespace: str, digest: str) -> int | None:
        with self._or_overloaded(), suppress(FileNotFoundError):
            return (await self._objects.head_async(blob_path(namespace, digest)))["size"]
        return None

    def list_files(self) -> Iterator[StoredFile]:
        """Iterate over all blobs; other objects in the bucket are ignored."""
        with self._or_overloaded():
            for page in self._objects.list():
                for item in page:
                    if name := _NAME.fullmatch(item["path"]):
                        org_id = "" if name[1] == INSTANCE else name[1]
                        yield StoredFile(org_id, name[4], item["last_modified"].timestamp())

    def _or_overloaded(self) -> AbstractContextManager[None]:
        return self._translate_errors(Overloaded("storage.bucket_unreachable"))

    @contextmanager
    def _translate_errors(self, refusal: Refusal) -> Iterator[None]:
        """Raise `refusal` for errors of the bucket. Only status and code are logged, never the request."""
        try:
            yield
        except BlobMissing:
            raise
        except (BaseError, OSError) as fault:
            log.warning("the bucket %s failed: %s", self._address, _reason(fault))
            raise refusal from None


def _credential(address: BucketAddress) -> "S3Credential":
    return {"access_key_id": address.key_id, "secret_access_key": address.secret, "token": None, "expires_at": None}


def _part_size(file: Path) -> int:
    return max(_PART, -(-file.stat().st_size // _MAX_PARTS))


def _range_options(start: int, length: int | None) -> "GetOptions":
    if length is not None:
        return {"range": (start, start + length)}
    return {"range": {"offset": start}} if start else {}


def _reason(fault: Exception) -> str:
    """Return status and code of the error. The rest of the message can contain the key id and the request."""
    status, code = _search(_STATUS, fault), _search(_CODE, fault)
    return f"{status} {code}".strip() or str(fault).splitlines()[0]


def _search(pattern: re.Pattern[str], fault: Exception) -> str:
    match = pattern.search(str(fault))
    return match[1] if match else ""
