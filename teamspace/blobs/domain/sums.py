"""The sum of every block: a part of a blob can be proven without a look at the rest."""

from awscrt.checksums import crc32  # several times as fast as zlib's

from teamspace.blobs.schemas import BLOCK


class BlockSums:
    """Of bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self.size = 0
        self._whole, self._last = bytearray(), 0

    def update(self, chunk: bytes | memoryview) -> None:
        rest = memoryview(chunk)
        while rest:
            piece = rest[: BLOCK - self.size % BLOCK]
            rest = rest[len(piece) :]
            self.size += len(piece)
            self._last = crc32(piece, self._last)
            if self.size % BLOCK == 0:
                self._whole += self._last.to_bytes(4)
                self._last = 0

    def digest(self) -> bytes:
        """Four bytes for each block."""
        return bytes(self._whole) + (self._last.to_bytes(4) if self.size % BLOCK else b"")


def block_sums(data: bytes | memoryview) -> bytes:
    if 0 < len(data) <= BLOCK:  # most blobs are one
        return bytes(crc32(data).to_bytes(4))
    sums = BlockSums()
    sums.update(data)
    return sums.digest()
