"""A real server for S3 clients: people with teams of their own on it, their access keys, and boto3 on those."""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import boto3
import httpx2
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.support.served import Served

PASSWORD = "correct horse battery"
HOST_TOKEN = "the-token-of-whoever-hosts-this"
MIB = 1 << 20
PATIENCE = 30.0
_numbers = itertools.count(1)
_session = boto3.Session()


class Key(NamedTuple):
    """What POST /api/s3/credentials gives."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None
    endpoint: str
    bucket: str
    region: str

    def client(self, *, verify: str | None = None, **config: Any) -> Any:
        """boto3 as it comes; `config` are its own settings, `verify` the certificate to trust."""
        return _session.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=self.access_key_id, verify=verify,
            aws_secret_access_key=self.secret_access_key, region_name=self.region, config=Config(**config),
        )  # fmt: skip

    def bucket_of(self, **config: Any) -> "Bucket":
        return Bucket(self.client(**config), self.bucket)


class Bucket:
    """boto3 with the bucket filled in."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(key: str | None = None, **wish: Any) -> Any:
            return getattr(self.client, operation)(Bucket=self.name, **({} if key is None else {"Key": key}), **wish)

        return call

    def read(self, key: str, **wish: Any) -> bytes:
        data: bytes = self.client.get_object(Bucket=self.name, Key=key, **wish)["Body"].read()
        return data

    def keys(self, operation: str = "list_objects_v2", **wish: Any) -> list[str]:
        pages = self.client.get_paginator(operation).paginate(Bucket=self.name, **wish)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def versions(self, **wish: Any) -> list[tuple[str, bool]]:
        """Each version's id, newest first, and whether it is a mark."""
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=self.name, **wish)
        found = [
            (item["VersionId"], kind == "DeleteMarkers")
            for page in pages
            for kind in ("Versions", "DeleteMarkers")
            for item in page.get(kind, [])
        ]
        return sorted(found, reverse=True)

    def link(self, operation: str, key: str, expires: int = 600, **wish: Any) -> str:
        url: str = self.client.generate_presigned_url(
            operation, Params={"Bucket": self.name, "Key": key, **wish}, ExpiresIn=expires
        )
        return url


class Person:
    """Somebody with a bearer token on a server."""

    def __init__(self, served: Served, token: str, user_id: str, team_id: str) -> None:
        self.served, self.token, self.user_id, self.team_id = served, token, user_id, team_id

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        content = json.dumps(body).encode() if isinstance(body, dict | list) else body
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        with httpx2.Client(base_url=self.served.url, verify=self.served.tls or False, timeout=60) as client:
            return client.request(
                method, path, content=content, headers=headers | options.pop("headers", {}), **options
            )

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """What must succeed."""
        return self.served.call(method, path, body, self.token)

    def key(self, scope: list[str] | None = None) -> Key:
        return Key(**self.call("POST", "/api/s3/credentials", {"scope": scope}))

    def bucket(self, scope: list[str] | None = None, **config: Any) -> Bucket:
        return self.key(scope).bucket_of(**config)

    def joined_by(self, role: str = "member", team_id: str = "") -> "Person":
        """A newcomer to a team; the caller owns the company or the team."""
        wish = {"username": f"person{next(_numbers)}", "role": role}
        made = (
            self.call("POST", "/api/org/members", {**wish, "team_id": team_id})
            if team_id
            else self.call("POST", "/api/members", wish)
        )
        return Person(self.served, made["token"], made["member"]["user_id"], team_id or self.team_id)

    def object(self, key: str) -> dict[str, Any] | None:
        """What the repository shows at a key, over HTTP."""
        items = self.call("GET", f"/api/repo?{httpx2.QueryParams(prefix=key)}")["items"]
        return next((item for item in items if item["key"] == key), None)


class House(NamedTuple):
    """A server, and the operator who founded its first company."""

    served: Served
    ann: Person

    @classmethod
    def founded(cls, served: Served) -> "House":
        made = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
        return cls(served, Person(served, made["token"], made["user"]["id"], made["team"]["id"]))

    def owner(self) -> Person:
        """The owner of a team in which there is nothing yet."""
        team = self.ann.call("POST", "/api/org/teams", {"name": f"Team {next(_numbers)}"})
        return self.ann.joined_by("owner", team["id"])

    def company(self) -> tuple[str, Person]:
        """The slug of a further company, and its owner; its first team is called as all first teams are."""
        number = next(_numbers)
        person = {"username": f"person{number}", "password": PASSWORD}
        made = self.ann.call("POST", "/api/orgs", {"name": f"Company {number}", "owner": person})
        return made["org"]["slug"], Person(self.served, made["token"], made["owner"]["id"], made["team"]["id"])


def refused(call: Callable[[], Any]) -> tuple[int, str]:
    """Status and code of what must not succeed."""
    with pytest.raises(ClientError) as caught:
        call()
    answer = caught.value.response
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def pages(person: Person, prefix: str = "", limit: int = 100) -> Iterator[dict[str, Any]]:
    """Every object that the repository lists below a prefix over HTTP."""
    cursor: str | None = None
    while True:
        query = httpx2.QueryParams({"prefix": prefix, "limit": limit, **({"cursor": cursor} if cursor else {})})
        page = person.call("GET", f"/api/repo?{query}")
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return
