"""A large multipart upload and download through a real server, measuring its memory.

`python -m tests.s3.large --mib 5120` transfers that much and prints the server's peak memory.
"""

import time
from collections.abc import Callable

from boto3.s3.transfer import TransferConfig

from tests.repository.large import MIB, Transfer, blocks, main
from tests.s3.help import Key
from tests.support.served import Served

PARTS = TransferConfig(multipart_chunksize=8 * MIB, max_concurrency=4, io_chunksize=MIB)


class Source:
    """A file that is generated while it is read."""

    def __init__(self, mib: int, on_block: Callable[[bytes], None]) -> None:
        """`on_block` is called with every block."""
        self._blocks, self._on_block, self._buffer = blocks(mib), on_block, b""

    def read(self, size: int) -> bytes:
        while len(self._buffer) < size and (block := next(self._blocks, b"")):
            self._on_block(block)
            self._buffer += block
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data


class MultipartTransfer(Transfer):
    def __init__(self, served: Served, token: str, mib: int) -> None:
        super().__init__(served, token, mib)
        self._bucket = Key(**served.call("POST", "/api/s3/credentials", {}, token)).open_bucket()

    def upload(self, key: str) -> str:
        started = time.perf_counter()
        self._bucket.upload_fileobj(key, Fileobj=Source(self._mib, self.sent.update), Config=PARTS)
        self.upload_seconds = time.perf_counter() - started
        return key

    def download(self, name: str) -> None:
        started = time.perf_counter()
        for chunk in self._bucket.get_object(name)["Body"].iter_chunks(MIB):
            self.received.update(chunk)
        self.download_seconds = time.perf_counter() - started


if __name__ == "__main__":
    main(MultipartTransfer)
