"""S3 client libraries behind one interface, each used as documented."""

import datetime
import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import obstore
import urllib3
from boto3.s3.transfer import TransferConfig
from minio import Minio as MinioClient
from minio.commonconfig import CopySource
from minio.deleteobjects import DeleteObject
from obstore.store import S3Store
from pyarrow import fs

from tests.s3.help import MIB, Bucket, Key

MIN_PART = 5 * MIB
HOUR = 3600


class Client(ABC):
    """A client. The last three methods are optional."""

    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        """`folder` is for its own files; `certificate` is the file to trust."""
        self.key, self.folder, self.certificate = key, folder, certificate

    @property
    def host(self) -> str:
        return urlsplit(self.key.endpoint).netloc

    @abstractmethod
    def keys(self, prefix: str = "") -> list[str]:
        """All keys with the prefix."""

    @abstractmethod
    def entries(self, folder: str) -> list[str]:
        """Keys and subfolders of a folder; subfolders end with a slash."""

    @abstractmethod
    def put(self, key: str, data: bytes) -> None: ...

    @abstractmethod
    def put_parts(self, key: str, data: bytes) -> None:
        """Upload in the smallest parts that the client supports."""

    @abstractmethod
    def get(self, key: str) -> bytes: ...

    @abstractmethod
    def size(self, key: str) -> int: ...

    @abstractmethod
    def copy(self, source: str, target: str) -> None: ...

    @abstractmethod
    def delete(self, folder: str, names: Sequence[str]) -> None:
        """Delete all keys of a folder, in as few requests as the client can."""

    def read_range(self, key: str, start: int, length: int) -> bytes:
        raise NotImplementedError

    def link(self, key: str) -> str:
        raise NotImplementedError

    def upload_link(self, key: str) -> str:
        raise NotImplementedError


class Boto(Client):
    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.bucket = Bucket(key.client(verify=certificate), key.bucket)

    def keys(self, prefix: str = "") -> list[str]:
        return self.bucket.keys(Prefix=prefix)

    def entries(self, folder: str) -> list[str]:
        page = self.bucket.list_objects_v2(Prefix=folder, Delimiter="/")
        return [item["Key"] for item in page["Contents"]] + [item["Prefix"] for item in page["CommonPrefixes"]]

    def put(self, key: str, data: bytes) -> None:
        self.bucket.put_object(key, Body=data)

    def put_parts(self, key: str, data: bytes) -> None:
        parts = TransferConfig(multipart_threshold=MIN_PART, multipart_chunksize=MIN_PART)
        self.bucket.upload_fileobj(key, Fileobj=io.BytesIO(data), Config=parts)

    def get(self, key: str) -> bytes:
        buffer = io.BytesIO()
        self.bucket.download_fileobj(key, Fileobj=buffer)
        return buffer.getvalue()

    def size(self, key: str) -> int:
        return int(self.bucket.head_object(key)["ContentLength"])

    def copy(self, source: str, target: str) -> None:
        self.bucket.copy(target, CopySource={"Bucket": self.bucket.name, "Key": source})

    def delete(self, folder: str, names: Sequence[str]) -> None:
        answer = self.bucket.delete_objects(Delete={"Objects": [{"Key": folder + name} for name in names]})
        assert "Errors" not in answer

    def read_range(self, key: str, start: int, length: int) -> bytes:
        return self.bucket.read(key, Range=f"bytes={start}-{start + length - 1}")

    def link(self, key: str) -> str:
        return self.bucket.link("get_object", key)

    def upload_link(self, key: str) -> str:
        return self.bucket.link("put_object", key)


class Minio(Client):
    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.client = MinioClient(
            self.host, access_key=key.access_key_id, secret_key=key.secret_access_key, secure=certificate is not None,
            http_client=urllib3.PoolManager(ca_certs=certificate),
        )  # fmt: skip

    def keys(self, prefix: str = "") -> list[str]:
        found = self.client.list_objects(self.key.bucket, prefix=prefix, recursive=True)
        return [str(item.object_name) for item in found]

    def entries(self, folder: str) -> list[str]:
        return [str(item.object_name) for item in self.client.list_objects(self.key.bucket, prefix=folder)]

    def put(self, key: str, data: bytes) -> None:
        self.client.put_object(self.key.bucket, key, io.BytesIO(data), len(data))

    def put_parts(self, key: str, data: bytes) -> None:
        self.client.put_object(self.key.bucket, key, io.BytesIO(data), len(data), part_size=MIN_PART)

    def get(self, key: str) -> bytes:
        return self._read(key)

    def read_range(self, key: str, start: int, length: int) -> bytes:
        return self._read(key, offset=start, length=length)

    def _read(self, key: str, offset: int = 0, length: int = 0) -> bytes:
        with self.client.get_object(self.key.bucket, key, offset=offset, length=length) as answer:
            return bytes(answer.read())

    def size(self, key: str) -> int:
        return self.client.stat_object(self.key.bucket, key).size or 0

    def copy(self, source: str, target: str) -> None:
        self.client.copy_object(self.key.bucket, target, CopySource(self.key.bucket, source))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        errors = self.client.remove_objects(self.key.bucket, [DeleteObject(folder + name) for name in names])
        assert list(errors) == []

    def link(self, key: str) -> str:
        return str(self.client.presigned_get_object(self.key.bucket, key))

    def upload_link(self, key: str) -> str:
        return str(self.client.presigned_put_object(self.key.bucket, key))


class Obstore(Client):
    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.store = S3Store(
            key.bucket, endpoint=key.endpoint, region=key.region, access_key_id=key.access_key_id,
            secret_access_key=key.secret_access_key, client_options={"allow_http": True},
        )  # fmt: skip

    def keys(self, prefix: str = "") -> list[str]:
        return [item["path"] for page in self.store.list(prefix or None) for item in page]

    def entries(self, folder: str) -> list[str]:
        found = self.store.list_with_delimiter(folder)
        return [item["path"] for item in found["objects"]] + [f"{path}/" for path in found["common_prefixes"]]

    def put(self, key: str, data: bytes) -> None:
        self.store.put(key, data, use_multipart=False)

    def put_parts(self, key: str, data: bytes) -> None:
        self.store.put(key, data, use_multipart=True, chunk_size=MIN_PART)

    def get(self, key: str) -> bytes:
        return bytes(self.store.get(key).bytes())

    def read_range(self, key: str, start: int, length: int) -> bytes:
        return bytes(self.store.get_range(key, start=start, length=length))

    def size(self, key: str) -> int:
        return self.store.head(key)["size"]

    def copy(self, source: str, target: str) -> None:
        self.store.copy(source, target)

    def delete(self, folder: str, names: Sequence[str]) -> None:
        self.store.delete([folder + name for name in names])

    def link(self, key: str) -> str:
        return obstore.sign(self.store, "GET", key, datetime.timedelta(seconds=HOUR))

    def upload_link(self, key: str) -> str:
        return obstore.sign(self.store, "PUT", key, datetime.timedelta(seconds=HOUR))


class Arrow(Client):
    """Uploads everything in parts of 10 MiB."""

    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.fs: Any = fs.S3FileSystem(
            access_key=key.access_key_id, secret_key=key.secret_access_key, endpoint_override=self.host,
            scheme="https" if certificate else "http", region=key.region, tls_ca_file_path=certificate,
        )  # fmt: skip

    def _path(self, key: str) -> str:
        return f"{self.key.bucket}/{key}"

    def keys(self, prefix: str = "") -> list[str]:
        """The prefix must be a folder."""
        found = self.fs.get_file_info(fs.FileSelector(self._path(prefix).rstrip("/"), recursive=True))
        return [self._key(each) for each in found if each.is_file]

    def entries(self, folder: str) -> list[str]:
        found = self.fs.get_file_info(fs.FileSelector(self._path(folder).rstrip("/")))
        return [self._key(each) + ("" if each.is_file else "/") for each in found]

    def _key(self, found: Any) -> str:
        return str(found.path).removeprefix(f"{self.key.bucket}/")

    def put(self, key: str, data: bytes) -> None:
        with self.fs.open_output_stream(self._path(key)) as stream:
            stream.write(data)

    put_parts = put

    def get(self, key: str) -> bytes:
        with self.fs.open_input_stream(self._path(key)) as stream:
            return bytes(stream.read())

    def read_range(self, key: str, start: int, length: int) -> bytes:
        with self.fs.open_input_file(self._path(key)) as file:
            return bytes(file.read_at(length, start))

    def size(self, key: str) -> int:
        return int(self.fs.get_file_info(self._path(key)).size)

    def copy(self, source: str, target: str) -> None:
        self.fs.copy_file(self._path(source), self._path(target))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        self.fs.delete_dir(self._path(folder).rstrip("/"))
