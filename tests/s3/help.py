"""A real server for S3 clients: people, teams, access keys, and boto3 clients."""

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
PROVISION_TOKEN = "the-token-of-whoever-hosts-this"
MIB = 1 << 20
TIMEOUT = 30.0
_numbers = itertools.count(1)
_session = boto3.Session()


class Key(NamedTuple):
    """The response of POST /api/s3/credentials."""

    id: str
    name: str
    access_key_id: str
    secret_access_key: str
    scope: list[str] | None
    endpoint: str
    bucket: str
    region: str

    def client(self, *, verify: str | None = None, **config: Any) -> Any:
        """boto3 with default settings but for `config`; `verify` is the certificate to trust."""
        return _session.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=self.access_key_id, verify=verify,
            aws_secret_access_key=self.secret_access_key, region_name=self.region, config=Config(**config),
        )  # fmt: skip

    def open_bucket(self, **config: Any) -> "Bucket":
        return Bucket(self.client(**config), self.bucket)


class Bucket:
    """boto3 bound to one bucket."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(key: str | None = None, **parameters: Any) -> Any:
            return getattr(self.client, operation)(
                Bucket=self.name, **({} if key is None else {"Key": key}), **parameters
            )

        return call

    def read(self, key: str, **parameters: Any) -> bytes:
        data: bytes = self.client.get_object(Bucket=self.name, Key=key, **parameters)["Body"].read()
        return data

    def keys(self, operation: str = "list_objects_v2", **parameters: Any) -> list[str]:
        pages = self.client.get_paginator(operation).paginate(Bucket=self.name, **parameters)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def versions(self, **parameters: Any) -> list[tuple[str, bool]]:
        """Version ids, newest first, and whether each is a delete marker."""
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=self.name, **parameters)
        found = [
            (item["VersionId"], kind == "DeleteMarkers")
            for page in pages
            for kind in ("Versions", "DeleteMarkers")
            for item in page.get(kind, [])
        ]
        return sorted(found, reverse=True)

    def link(self, operation: str, key: str, expires: int = 600, **parameters: Any) -> str:
        url: str = self.client.generate_presigned_url(
            operation, Params={"Bucket": self.name, "Key": key, **parameters}, ExpiresIn=expires
        )
        return url


class Person:
    """A person with a bearer token."""

    def __init__(self, served: Served, token: str, user_id: str, team_id: str) -> None:
        self.served, self.token, self.user_id, self.team_id = served, token, user_id, team_id

    def request(self, method: str, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        content = json.dumps(body).encode() if isinstance(body, dict | list) else body
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        with httpx2.Client(base_url=self.served.url, verify=self.served.tls or False, timeout=60) as client:
            return client.request(
                method, path, content=content, headers=headers | options.pop("headers", {}), **options
            )

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that must succeed."""
        return self.served.call(method, path, body, self.token)

    def key(self, scope: list[str] | None = None) -> Key:
        return Key(**self.call("POST", "/api/s3/credentials", {"scope": scope}))

    def bucket(self, scope: list[str] | None = None, **config: Any) -> Bucket:
        return self.key(scope).open_bucket(**config)

    def add_member(self, role: str = "member", team_id: str = "") -> "Person":
        """Add a person to a team; the caller owns the company or the team."""
        member = {"username": f"person{next(_numbers)}", "role": role}
        added = (
            self.call("POST", "/api/org/members", {**member, "team_id": team_id})
            if team_id
            else self.call("POST", "/api/members", member)
        )
        return Person(self.served, added["token"], added["member"]["user_id"], team_id or self.team_id)

    def object(self, key: str) -> dict[str, Any] | None:
        """The object at a key, from the HTTP API."""
        items = self.call("GET", f"/api/repo?{httpx2.QueryParams(prefix=key)}")["items"]
        return next((item for item in items if item["key"] == key), None)


class Instance(NamedTuple):
    """A server and its operator."""

    served: Served
    ann: Person

    @classmethod
    def set_up(cls, served: Served) -> "Instance":
        created = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})
        return cls(served, Person(served, created["token"], created["user"]["id"], created["team"]["id"]))

    def owner(self) -> Person:
        """The owner of a new team."""
        team = self.ann.call("POST", "/api/org/teams", {"name": f"Team {next(_numbers)}"})
        return self.ann.add_member("owner", team["id"])

    def company(self) -> tuple[str, Person]:
        """Create a company; return its slug and owner. First teams all have the same name."""
        number = next(_numbers)
        person = {"username": f"person{number}", "password": PASSWORD}
        created = self.ann.call("POST", "/api/orgs", {"name": f"Company {number}", "owner": person})
        return created["org"]["slug"], Person(
            self.served, created["token"], created["owner"]["id"], created["team"]["id"]
        )


def refused(call: Callable[[], Any]) -> tuple[int, str]:
    """Status and code of a call that must fail."""
    with pytest.raises(ClientError) as caught:
        call()
    answer = caught.value.response
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.02)


def list_all(person: Person, prefix: str = "", limit: int = 100) -> Iterator[dict[str, Any]]:
    """All objects below a prefix, from the HTTP API."""
    cursor: str | None = None
    while True:
        query = httpx2.QueryParams({"prefix": prefix, "limit": limit, **({"cursor": cursor} if cursor else {})})
        page = person.call("GET", f"/api/repo?{query}")
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return
