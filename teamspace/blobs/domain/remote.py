"""The store that keeps blobs in a bucket, behind any address that speaks S3.

Drafts stay in the data folder: the name of a blob is known only when its last byte is there.
"""

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

from teamspace.blobs.domain.local import Folder
from teamspace.blobs.schemas import INSTANCE, STRIDE, BlobMissing, StoredFile, name_of
from teamspace.core.errors import Overloaded, Refusal, StorageFull

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import ClientConfig, RetryConfig, S3Credential

log = logging.getLogger("teamspace")

_NAME = re.compile(r"([^/]+)/([0-9a-f]{2})/([0-9a-f]{2})/(\2\3[0-9a-f]{60})")
_PART, _MOST_PARTS, _PARTS_AT_ONCE = 8 * 1024 * 1024, 10_000, 2
_STATUS, _CODE = re.compile(r"status code: (\d+)"), re.compile(r"<Code>(\w+)</Code>")
_BEYOND_THE_END = "416"

# A transfer may take as long as it moves; what does not answer is tried again for a while, by obstore.
_CLIENT: "ClientConfig" = {
    "allow_http": True,
    "connect_timeout": timedelta(seconds=5),
    "read_timeout": timedelta(seconds=30),
    "timeout": timedelta(days=1),
}
_RETRIES: "RetryConfig" = {"max_retries": 5, "retry_timeout": timedelta(seconds=20)}


class Address(msgspec.Struct, frozen=True):
    """Where the bucket is, and what opens it."""

    url: str
    bucket: str
    region: str
    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"{self.url}/{self.bucket}"


class Bucket:
    """`<namespace>/ab/cd/<digest>` in a bucket; `root` is a folder for drafts and the lock.

    The lock reaches whoever works on the same folder. Several servers with a folder each are kept apart by the
    database alone: a collector marks the blob's row while it deletes, and whoever brings the same bytes waits for it. A
    backup that takes longer than blobs are retained may then miss one that was collected meanwhile, and fails by naming
    it.
    """

    def __init__(self, address: Address, root: Path, floor: int = 0) -> None:
        self._folder = Folder(root, floor)
        self._address = address
        self._objects = S3Store(
            address.bucket,
            endpoint=address.url,
            region=address.region,
            # Asked for like this, nothing that AWS_* variables say to other programs comes between.
            credential_provider=partial(_credential, address),
            virtual_hosted_style_request=False,
            skip_signature=False,
            client_options=_CLIENT,
            retry_config=_RETRIES,
        )

    @property
    def drafts(self) -> Path:
        return self._folder.drafts

    def check(self) -> None:
        try:
            next(iter(self._objects.list(chunk_size=1)), None)
        except (BaseError, OSError) as fault:
            raise Overloaded(f"the bucket {self._address} cannot be used: {_reason(fault)}") from None

    def check_space(self, coming: int = 0) -> None:
        """Drafts lie on this machine's disk before the bucket has them."""
        self._folder.check_space(coming)

    async def put(self, namespace: str, digest: str, draft: Path) -> None:
        """In place of what is there already, too. Once the bucket has said that it has it, it is the bucket's to keep."""
        with self._refusing(StorageFull("The bucket did not take a file; nothing of this request was written.")):
            await self._objects.put_async(
                name_of(namespace, digest),
                draft,
                chunk_size=_part(draft),
                max_concurrency=_PARTS_AT_ONCE,
            )
            os.unlink(draft)

    async def get(self, namespace: str, digest: str, start: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        if length == 0:  # no range says that
            if await self.stat(namespace, digest) is None:
                raise BlobMissing(f"blob {digest} is missing")
            return
        with self._away():
            try:
                found = await self._objects.get_async(name_of(namespace, digest), options=_wanted(start, length))
                async for chunk in found.stream(STRIDE):
                    yield bytes(chunk)
            except FileNotFoundError:
                raise BlobMissing(f"blob {digest} is missing") from None
            except GenericError as fault:
                if _found(_STATUS, fault) != _BEYOND_THE_END:
                    raise

    async def delete(self, namespace: str, digest: str) -> None:
        with self._away(), suppress(FileNotFoundError):
            await self._objects.delete_async(name_of(namespace, digest))

    async def stat(self, namespace: str, digest: str) -> int | None:
        with self._away(), suppress(FileNotFoundError):
            return (await self._objects.head_async(name_of(namespace, digest)))["size"]
        return None

    def held(self) -> AbstractContextManager[None]:
        return self._folder.held()

    def collecting(self) -> AbstractContextManager[bool]:
        return self._folder.collecting()

    def stored(self) -> Iterator[StoredFile]:
        """What else lies in the bucket is not ours, and is passed over."""
        with self._away():
            for page in self._objects.list():
                for item in page:
                    if name := _NAME.fullmatch(item["path"]):
                        org_id = "" if name[1] == INSTANCE else name[1]
                        yield StoredFile(org_id, name[4], item["last_modified"].timestamp())

    def stale(self, written_before: float) -> Iterator[str]:
        return self._folder.stale(written_before)

    def discard_stale(self, written_before: float) -> None:
        self._folder.discard_stale(written_before)

    def _away(self) -> AbstractContextManager[None]:
        return self._refusing(Overloaded("The bucket that holds the files cannot be reached; try again shortly."))

    @contextmanager
    def _refusing(self, refusal: Refusal) -> Iterator[None]:
        """What the bucket's faults are to whoever asks; the log has the reason, without what was sent."""
        try:
            yield
        except BlobMissing:
            raise
        except (BaseError, OSError) as fault:
            log.warning("the bucket %s failed: %s", self._address, _reason(fault))
            raise refusal from None


def _credential(address: Address) -> "S3Credential":
    return {"access_key_id": address.key_id, "secret_access_key": address.secret, "token": None, "expires_at": None}


def _part(draft: Path) -> int:
    return max(_PART, -(-draft.stat().st_size // _MOST_PARTS))


def _wanted(start: int, length: int | None) -> "GetOptions":
    if length is not None:
        return {"range": (start, start + length)}
    return {"range": {"offset": start}} if start else {}


def _reason(fault: Exception) -> str:
    """Status and code of an answer. An answer's other words may hold the key's id and the request itself."""
    status, code = _found(_STATUS, fault), _found(_CODE, fault)
    return f"{status} {code}".strip() or str(fault).splitlines()[0]


def _found(pattern: re.Pattern[str], fault: Exception) -> str:
    match = pattern.search(str(fault))
    return match[1] if match else ""
