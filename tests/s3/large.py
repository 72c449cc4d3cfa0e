"""A large file through the S3 path of a real server, in parts, with an eye on its memory.

`python -m tests.s3.large --mib 5120` uploads that much, downloads it, and says what the server held at most.
"""

import time
from collections.abc import Callable

from boto3.s3.transfer import TransferConfig

from tests.repository.large import MIB, Passage, blocks, main
from tests.s3.help import Key
from tests.support.served import Served

PARTS = TransferConfig(multipart_chunksize=8 * MIB, max_concurrency=4, io_chunksize=MIB)


class Source:
    """A file that is made while it is read."""

    def __init__(self, mib: int, note: Callable[[bytes], None]) -> None:
        """`note` is told of every block."""
        self._blocks, self._note, self._held = blocks(mib), note, b""

    def read(self, size: int) -> bytes:
        while len(self._held) < size and (block := next(self._blocks, b"")):
            self._note(block)
            self._held += block
        data, self._held = self._held[:size], self._held[size:]
        return data


class InParts(Passage):
    def __init__(self, served: Served, token: str, mib: int) -> None:
        super().__init__(served, token, mib)
        self._bucket = Key(**served.call("POST", "/api/s3/credentials", {}, token)).bucket_of()

    def upload(self, key: str) -> str:
        began = time.perf_counter()
        self._bucket.upload_fileobj(key, Fileobj=Source(self._mib, self.sent.update), Config=PARTS)
        self.up = time.perf_counter() - began
        return key

    def download(self, name: str) -> None:
        began = time.perf_counter()
        for chunk in self._bucket.get_object(name)["Body"].iter_chunks(MIB):
            self.came.update(chunk)
        self.down = time.perf_counter() - began


if __name__ == "__main__":
    main(InParts)
