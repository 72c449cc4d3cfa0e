"""A team's bucket as S3 clients see it: boto3, and signed requests that boto3 would not send."""

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
        """Of an error."""
        return ElementTree.fromstring(self.body).findtext("Code", "") if self.body else ""


class Place:
    """A bucket; `prefix` is a test's own place in it, where it shares the bucket with others."""

    def __init__(self, access: Key, prefix: str = "") -> None:
        self.access, self.prefix = access, prefix
        self.name, self.endpoint = access.bucket, access.endpoint
        self.client = self.client_with()

    def client_with(self, **config: Any) -> Any:
        """boto3, which tries again only when the server is too busy."""
        return self.access.client(retries={"total_max_attempts": 3}, s3={"addressing_style": "path"}, **config)

    @property
    def _secret(self) -> Credentials:
        return Credentials(self.access.access_key_id, self.access.secret_access_key)

    def below(self, prefix: str) -> "Place":
        other = object.__new__(Place)
        other.__dict__ = self.__dict__ | {"prefix": prefix}
        return other

    def key(self, name: str = "object") -> str:
        return self.prefix + name

    def do(self, operation: str, key: str | None = "object", **parameters: Any) -> Any:
        """One call of boto3, on the bucket and on a key below the prefix."""
        at = {} if key is None else {"Key": self.key(key)}
        return getattr(self.client, operation)(Bucket=self.name, **at, **parameters)

    def refused(self, operation: str, key: str | None = "object", **parameters: Any) -> tuple[int, str]:
        """The status and the code with which a call of boto3 is refused."""
        return refused(partial(self.do, operation, key, **parameters))

    def put(self, key: str = "object", body: bytes = b"bytes", **parameters: Any) -> Any:
        return self.do("put_object", key, Body=body, **parameters)

    def fill(self, *keys: str) -> None:
        for key in keys:
            self.put(key, key.encode())

    def read(self, key: str = "object", **parameters: Any) -> bytes:
        return self.do("get_object", key, **parameters)["Body"].read()

    def versions(self, **parameters: Any) -> list[tuple[str, str, bool, bool]]:
        """Key below the prefix, id, whether it is the latest and whether it is a mark, in the order of the list."""
        page = self.do("list_object_versions", None, **({"Prefix": self.prefix} | parameters))
        listed = [(item, False) for item in page.get("Versions", [])]
        listed += [(item, True) for item in page.get("DeleteMarkers", [])]
        return [
            (item["Key"].removeprefix(self.prefix), item["VersionId"], item["IsLatest"], mark) for item, mark in listed
        ]

    def raw(
        self, method: str, key: str | None = "object", query: str = "", body: bytes = b"",
        headers: Mapping[str, str] | None = None, *, signed: bool = True, after: Mapping[str, str | None] | None = None,
        sent: bytes | None = None,
    ) -> Reply:  # fmt: skip
        """A request of any kind. Once it is signed, headers may become those of `after`, and its body what is `sent`."""
        target = f"/{self.name}" + ("" if key is None else f"/{quote(self.key(key), safe='/~')}")
        if query:
            target += f"?{urlencode(parse_qsl(query, keep_blank_values=True), quote_via=quote, safe='')}"
        request = AWSRequest(method, f"{self.endpoint}{target}", data=body)
        for name, value in (headers or {}).items():
            request.headers[name] = value
        if signed:
            self.sign(request)
        final = dict(request.headers.items())
        for name, changed in (after or {}).items():
            final.pop(name, None)
            if changed is not None:
                final[name] = changed
        for _ in range(3):
            reply = self.send(method, target, final, body if sent is None else sent)
            if reply.status != 503:
                break
        return reply

    def sign(self, request: AWSRequest) -> None:
        S3SigV4Auth(self._secret, "s3", self.access.region).add_auth(request)

    def streamed(self, framed: bytes, headers: Mapping[str, str]) -> Reply:
        """A body that comes in frames and with trailers, as clients send it when they do not know its sum before."""
        target = f"/{self.name}/{quote(self.key(), safe='/~')}"
        request = AWSRequest("PUT", f"{self.endpoint}{target}", headers=dict(headers))
        request.context = {"client_config": Config(), "payload_signing_enabled": False}
        request.context["checksum"] = {"request_algorithm": {"in": "trailer"}}
        self.sign(request)
        return self.send("PUT", target, dict(request.headers.items()), framed)

    def link(self, method: str, key: str = "object", seconds: int = 60) -> str:
        """Signed for so long, be that possible or not."""
        request = AWSRequest(method, f"{self.endpoint}/{self.name}/{quote(self.key(key), safe='/~')}")
        S3SigV4QueryAuth(self._secret, "s3", self.access.region, expires=seconds).add_auth(request)
        return str(request.url)

    def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """As it is, with a length unless the headers say how long it is."""
        connection = http.client.HTTPConnection(urlsplit(self.endpoint).netloc, timeout=20)
        try:
            named = {name.lower() for name in headers}
            connection.putrequest(method, target, skip_host="host" in named, skip_accept_encoding=True)
            if not named & {"content-length", "transfer-encoding"} and (body or method in ("PUT", "POST")):
                connection.putheader("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def waiting(self, body: bytes, headers: Mapping[str, str], *, signed: bool) -> bytes:
        """What is heard after the head of a PUT, before its body is sent."""
        request = AWSRequest("PUT", f"{self.endpoint}/{self.name}/{self.key()}", data=body)
        if signed:
            self.sign(request)
        host = urlsplit(self.endpoint)
        final = {"Host": host.netloc, **dict(request.headers.items()), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in final.items())
        with socket.create_connection((host.hostname, host.port), timeout=10) as line:
            line.sendall(f"PUT /{self.name}/{self.key()} HTTP/1.1\r\n{head}\r\n".encode())
            return line.recv(4096)

    # Uploads in parts

    def begin(self, key: str = "object", **parameters: Any) -> str:
        return self.do("create_multipart_upload", key, **parameters)["UploadId"]

    def send_part(
        self, upload: str, number: int, body: bytes, key: str = "object", **parameters: Any
    ) -> dict[str, Any]:
        """What completing wants to hear of it."""
        answer = self.do("upload_part", key, UploadId=upload, PartNumber=number, Body=body, **parameters)
        sums = {name: value for name, value in answer.items() if name.startswith("Checksum") and name != "ChecksumType"}
        return {"PartNumber": number, "ETag": answer["ETag"], **sums}

    def complete(self, upload: str, parts: Iterable[Mapping[str, Any]], key: str = "object", **parameters: Any) -> Any:
        told = {"Parts": list(parts)}
        return self.do("complete_multipart_upload", key, UploadId=upload, MultipartUpload=told, **parameters)

    def in_parts(self, key: str, *bodies: bytes, **parameters: Any) -> Any:
        upload = self.begin(key, **parameters)
        return self.complete(upload, [self.send_part(upload, n, body, key) for n, body in enumerate(bodies, 1)], key)
