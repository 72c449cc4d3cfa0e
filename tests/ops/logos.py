"""A client that uploads one logo after another, so that there are blobs to back up."""

import asyncio
import base64
import hashlib
import io
import random

from PIL import Image

from tests.durability.journal import Violation
from tests.durability.verification import ask
from tests.durability.wire import Connection

PATHS = ("/api/branding", "/api/org/branding")
_PAUSE_SECONDS = 0.02


class Logos:
    def __init__(self, port: int, token: str, seed: int) -> None:
        self._connection = Connection(port, token)
        self._random = random.Random(seed)
        self._acknowledged: dict[str, str | None] = dict.fromkeys(PATHS)
        """The digest of the last acknowledged upload."""
        self._possible: dict[str, list[str | None]] = {path: [None] for path in PATHS}
        """The digests a backup may have: the one when it began, and all sent since."""

    def begin(self) -> None:
        """A backup begins."""
        for path, digests in self._possible.items():
            self._possible[path] = digests[digests.index(self._acknowledged[path]) :]

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            path, data = self._random.choice(PATHS), self._picture()
            digest = hashlib.sha256(data).hexdigest()
            self._possible[path].append(digest)
            answer = await ask(self._connection, "POST", f"{path}/logo", {"data": base64.b64encode(data).decode()})
            if answer.status != 200:
                raise Violation(f"POST {path}/logo was answered {answer}")
            self._acknowledged[path] = digest
            await asyncio.sleep(_PAUSE_SECONDS)
        self._connection.close()

    async def check(self, port: int) -> None:
        """The restored server on `port` has one of the possible logos, with its bytes."""
        # A signed-in caller gets the company's logo from both paths.
        for path, token in zip(PATHS, ("", self._connection.token), strict=True):
            restored, digests = Connection(port, token), self._possible[path]
            if token and None in digests:
                digests = [*digests, *self._possible[PATHS[0]]]  # a company without a logo shows the instance's
            logo = (await ask(restored, "GET", path)).json["logo"]
            found = hashlib.sha256((await ask(restored, "GET", logo)).body).hexdigest() if logo else None
            restored.close()
            if found not in digests:
                raise Violation(f"{path} shows {found} instead of one of {digests}")

    def _picture(self) -> bytes:
        """Small enough for a row, or large enough for a file."""
        out, side = io.BytesIO(), self._random.choice((40, 120))
        Image.frombytes("RGB", (side, side), self._random.randbytes(side * side * 3)).save(out, "PNG")
        return out.getvalue()
