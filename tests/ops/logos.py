"""Somebody who uploads one logo after another, so that there are blobs to back up."""

import asyncio
import base64
import hashlib
import io
import random

from PIL import Image

from tests.durability.journal import Violation
from tests.durability.verification import ask
from tests.durability.wire import Connection

PLACES = ("/api/branding", "/api/org/branding")
_PAUSE_SECONDS = 0.02


class Logos:
    def __init__(self, port: int, token: str, seed: int) -> None:
        self._connection = Connection(port, token)
        self._random = random.Random(seed)
        self._shown: dict[str, str | None] = dict.fromkeys(PLACES)
        """The digest that was acknowledged last."""
        self._may_be: dict[str, list[str | None]] = {place: [None] for place in PLACES}
        """What a backup may hold: that of the moment when it began, and whatever was sent since."""

    def begin(self) -> None:
        """A backup begins."""
        for place, digests in self._may_be.items():
            self._may_be[place] = digests[digests.index(self._shown[place]) :]

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            place, data = self._random.choice(PLACES), self._picture()
            digest = hashlib.sha256(data).hexdigest()
            self._may_be[place].append(digest)
            answer = await ask(self._connection, "POST", f"{place}/logo", {"data": base64.b64encode(data).decode()})
            if answer.status != 200:
                raise Violation(f"POST {place}/logo was answered {answer}")
            self._shown[place] = digest
            await asyncio.sleep(_PAUSE_SECONDS)
        self._connection.close()

    async def check(self, port: int) -> None:
        """The restored server on `port` shows one of those, and has its bytes."""
        # Whoever is signed in is shown the company's logo at either address.
        for place, token in zip(PLACES, ("", self._connection.token), strict=True):
            restored, digests = Connection(port, token), self._may_be[place]
            logo = (await ask(restored, "GET", place)).json["logo"]
            found = hashlib.sha256((await ask(restored, "GET", logo)).body).hexdigest() if logo else None
            restored.close()
            if found not in digests:
                raise Violation(f"{place} shows {found} instead of one of {digests}")

    def _picture(self) -> bytes:
        """Small enough for a row, or large enough for a file."""
        out, side = io.BytesIO(), self._random.choice((40, 120))
        Image.frombytes("RGB", (side, side), self._random.randbytes(side * side * 3)).save(out, "PNG")
        return out.getvalue()
