"""A team's bucket through boto3, and signed requests that boto3 would not send."""

import http.client
import socket
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from xml.etree import ElementTree

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from tests.s3.help import Key, refused


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The code in an error response."""
        return ElementTree.fromstring(self.body).findtext("Code", "") if self.body else ""


class PrefixedBucket:
    """A bucket, and a prefix that keeps tests in a shared bucket apart."""

    def __init__(self, access: Key, prefix: str = "") -> None:
        self.access, self.prefix = access, prefix
        self.name, self.endpoint = access.bucket, access.endpoint
        self.client = self.client_with()

    def client_with(self, **config: Any) -> Any:
        """A boto3 client with few retries."""
        return self.access.client(retries={"total_max_attempts": 3}, s3={"addressing_style": "path"}, **config)

    @property
    def _credentials(self) -> Credentials:
        return Credentials(self.access.access_key_id, self.access.secret_access_key)

    def with_prefix(self, prefix: str) -> "PrefixedBucket":
        other = object.__new__(PrefixedBucket)
        other.__dict__ = self.__dict__ | {"prefix": prefix}
        return other

    def key(self, name: str = "object") -> str:
        return self.prefix + name

    def call(self, operation: str, key: str | None = "object", **parameters: Any) -> Any:
        """Call an operation of boto3, with the bucket and a key below the prefix."""
        target = {} if key is None else {"Key": self.key(key)}
        return getattr(self.client, operation)(Bucket=self.name, **target, **parameters)

    def refused(self, operation: str, key: str | None = "object", **parameters: Any) -> tuple[int, str]:
        """Status and code of a call that must fail."""
        return refused(partial(self.call, operation, key, **parameters))

    def put(self, key: str = "object", body: bytes = b"bytes", **parameters: Any) -> Any:
        return self.call("put_object", key, Body=body, **parameters)

    def fill(self, *keys: str) -> None:
        for key in keys:
            self.put(key, key.encode())

    def read(self, key: str = "object", **parameters: Any) -> bytes:
        return self.call("get_object", key, **parameters)["Body"].read()

    def versions(self, **parameters: Any) -> list[tuple[str, str, bool, bool]]:
        """Key, version id, whether it is the latest, and whether it is a delete marker; in list order."""
        page = self.call("list_object_versions", None, **({"Prefix": self.prefix} | parameters))
        listed = [(item, False) for item in page.get("Versions", [])]
        listed += [(item, True) for item in page.get("DeleteMarkers", [])]
        return [
            (item["Key"].removeprefix(self.prefix), item["VersionId"], item["IsLatest"], marker)
            for item, marker in listed
        ]

    def request(
        self, method: str, key: str | None = "object", query: str = "", body: bytes = b"",
        headers: Mapping[str, str] | None = None, *, signed: bool = True, after: Mapping[str, str | None] | None = None,
        sent: bytes | None = None,
    ) -> Reply:  # fmt: skip
        """Send any request. `after` changes headers, and `sent` the body, after signing."""
        target = f"/{self.name}" + ("" if key is None else f"/{quote(self.key(key), safe='/~')}")
        if query:
            target += f"?{urlencode(parse_qsl(query, keep_blank_values=True), quote_via=quote, safe='')}"
        request = AWSRequest(method, f"{self.endpoint}{target}", data=body)
        for name, value in (headers or {}).items():
            request.headers[name] = value
        if signed:
            self.sign(request)
        final = dict(request.headers.items())
        for name, replacement in (after or {}).items():
            final.pop(name, None)
            if replacement is not None:
                final[name] = replacement
        for _ in range(3):
            reply = self.send(method, target, final, body if sent is None else sent)
            if reply.status != 503:
                break
        return reply

    def sign(self, request: AWSRequest) -> None:
        S3SigV4Auth(self._credentials, "s3", self.access.region).add_auth(request)

    def put_chunked(self, framed: bytes, headers: Mapping[str, str]) -> Reply:
        """Upload an aws-chunked body with trailers."""
        target = f"/{self.name}/{quote(self.key(), safe='/~')}"
        request = AWSRequest("PUT", f"{self.endpoint}{target}", headers=dict(headers))
        request.context = {"client_config": Config(), "payload_signing_enabled": False}
        request.context["checksum"] = {"request_algorithm": {"in": "trailer"}}
        self.sign(request)
        return self.send("PUT", target, dict(request.headers.items()), framed)

    def link(self, method: str, key: str = "object", seconds: int = 60) -> str:
        """A presigned URL, even with an invalid expiry."""
        request = AWSRequest(method, f"{self.endpoint}/{self.name}/{quote(self.key(key), safe='/~')}")
        S3SigV4QueryAuth(self._credentials, "s3", self.access.region, expires=seconds).add_auth(request)
        return str(request.url)

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """Send as is, adding a content length unless the headers have one."""
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc, timeout=20)
        try:
            header_names = {name.lower() for name in headers}
            connection.putrequest(method, target, skip_host="host" in header_names, skip_accept_encoding=True)
            if not header_names & {"content-length", "transfer-encoding"} and (body or method in ("PUT", "POST")):
                connection.putheader("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def send_headers(self, body: bytes, headers: Mapping[str, str], *, signed: bool) -> bytes:
        """The response to the headers of a PUT, before its body is sent."""
        request = AWSRequest("PUT", f"{self.endpoint}/{self.name}/{self.key()}", data=body)
        if signed:
            self.sign(request)
        host = urlsplit(self.endpoint)
        final = {"Host": host.netloc, **dict(request.headers.items()), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in final.items())
        with socket.create_connection((host.hostname, host.port), timeout=10) as connection:
            connection.sendall(f"PUT /{self.name}/{self.key()} HTTP/1.1\r\n{head}\r\n".encode())
            return connection.recv(4096)

    # Multipart uploads

    def create_upload(self, key: str = "object", **parameters: Any) -> str:
        return self.call("create_multipart_upload", key, **parameters)["UploadId"]

    def send_part(
        self, upload: str, number: int, body: bytes, key: str = "object", **parameters: Any
    ) -> dict[str, Any]:
        """Upload a part; return its entry for `complete`."""
        answer = self.call("upload_part", key, UploadId=upload, PartNumber=number, Body=body, **parameters)
        checksums = {
            name: value for name, value in answer.items() if name.startswith("Checksum") and name != "ChecksumType"
        }
        return {"PartNumber": number, "ETag": answer["ETag"], **checksums}

    def complete(self, upload: str, parts: Iterable[Mapping[str, Any]], key: str = "object", **parameters: Any) -> Any:
        upload_parts = {"Parts": list(parts)}
        return self.call("complete_multipart_upload", key, UploadId=upload, MultipartUpload=upload_parts, **parameters)

    def put_multipart(self, key: str, *bodies: bytes, **parameters: Any) -> Any:
        upload = self.create_upload(key, **parameters)
        return self.complete(upload, [self.send_part(upload, n, body, key) for n, body in enumerate(bodies, 1)], key)
