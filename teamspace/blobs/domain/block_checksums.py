"""CRC-32 of every block, so that a range of a blob can be verified without reading the rest."""

from awscrt.checksums import crc32  # several times as fast as zlib's

from teamspace.blobs.schemas import BLOCK


class BlockChecksums:
    """Computes block checksums of a stream."""

    def __init__(self) -> None:
        self.size = 0
        self._complete, self._last = bytearray(), 0

    def update(self, chunk: bytes | memoryview) -> None:
        rest = memoryview(chunk)
        while rest:
            piece = rest[: BLOCK - self.size % BLOCK]
            rest = rest[len(piece) :]
            self.size += len(piece)
            self._last = crc32(piece, self._last)
            if self.size % BLOCK == 0:
                self._complete += self._last.to_bytes(4)
                self._last = 0

    def digest(self) -> bytes:
        """Return four bytes per block."""
        return bytes(self._complete) + (self._last.to_bytes(4) if self.size % BLOCK else b"")


def block_checksums(data: bytes | memoryview) -> bytes:
    if 0 < len(data) <= BLOCK:  # most blobs have one block
        return bytes(crc32(data).to_bytes(4))
    checksums = BlockChecksums()
    checksums.update(data)
    return checksums.digest()
