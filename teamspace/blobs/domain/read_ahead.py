"""What was read for clients that have not taken it yet."""

from collections import OrderedDict

Data = bytes | memoryview


class ReadAhead:
    """Keeps what was read, as much as there is memory for: who has waited longest reads it again.

    Reading a lot at a time saves thread switches. But a client that stalls would keep it for as long as it is connected.
    """

    def __init__(self, most: int) -> None:
        """`most` are bytes, of all readers together."""
        self._most, self._size = most, 0
        self._kept: OrderedDict[object, Data] = OrderedDict()

    def keep(self, reader: object, data: Data) -> None:
        """Keep this for a reader, instead of what was kept for it before."""
        self.forget(reader)
        self._kept[reader] = data
        self._size += len(data)
        while self._size > self._most and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])

    def get(self, reader: object) -> Data | None:
        return self._kept.get(reader)

    def forget(self, reader: object) -> None:
        self._size -= len(self._kept.pop(reader, b""))
