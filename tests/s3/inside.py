"""Signed requests to a world, which has no socket."""

from typing import Any
from urllib.parse import quote

import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.support.world import Caller

HOST = "teamspace.test"


class Inside:
    """A caller's bucket."""

    def __init__(self, caller: Caller, key: dict[str, Any]) -> None:
        self._client, self.name = caller.world.client, key["bucket"]
        self._credentials = Credentials(key["access_key_id"], key["secret_access_key"])

    @classmethod
    async def of(cls, caller: Caller) -> "Inside":
        return cls(caller, (await caller.post("/api/s3/credentials", {"name": "test"})).json())

    async def __call__(
        self, method: str, key: str = "", query: str = "", body: bytes = b"", /, **headers: str
    ) -> httpx2.Response:
        """Headers are named with underscores; what is not a success fails."""
        url = f"http://{HOST}/{self.name}/{quote(key)}?{query}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        asked = AWSRequest(method, url, {"Host": HOST, **named}, body)
        S3SigV4Auth(self._credentials, "s3", "auto").add_auth(asked)
        answer = await self._client.request(method, url, content=body, headers=dict(asked.headers.items()))
        assert answer.status_code < 300, answer.text
        return answer
