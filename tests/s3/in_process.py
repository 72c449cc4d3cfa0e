"""Signed S3 requests to an instance in the test process."""

from typing import Any
from urllib.parse import quote

import httpx2
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.support.world import Caller

HOST = "teamspace.test"


class InProcessBucket:
    """The bucket of a caller, with a new access key."""

    def __init__(self, caller: Caller, key: dict[str, Any]) -> None:
        self._client, self.name = caller.world.client, key["bucket"]
        self._credentials = Credentials(key["access_key_id"], key["secret_access_key"])

    @classmethod
    async def of(cls, caller: Caller) -> "InProcessBucket":
        return cls(caller, (await caller.post("/api/s3/credentials", {"name": "test"})).json())

    async def __call__(
        self, method: str, key: str = "", query: str = "", body: bytes = b"", /, **headers: str
    ) -> httpx2.Response:
        """Send a request that must succeed. Headers are keyword arguments with underscores."""
        url = f"http://{HOST}/{self.name}/{quote(key)}?{query}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = AWSRequest(method, url, {"Host": HOST, **named}, body)
        S3SigV4Auth(self._credentials, "s3", "auto").add_auth(request)
        answer = await self._client.request(method, url, content=body, headers=dict(request.headers.items()))
        assert answer.status_code < 300, answer.text
        return answer
