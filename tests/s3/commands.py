"""S3 command line clients behind the same interface as the libraries, each run as documented."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from tests.s3.clients import MIN_PART, Client
from tests.s3.help import Key

TIMEOUT = 60.0
_SCRIPTS = Path(sysconfig.get_path("scripts"))


class Command(Client):
    """A program with its own environment; `folder` is its home."""

    program: str
    options: tuple[str, ...] = ()

    def run(self, *arguments: str) -> bytes:
        """Run it; return its output."""
        result = subprocess.run(
            [_SCRIPTS / self.program, *self.options, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=TIMEOUT, check=False, cwd=self.folder, env=self._environment(),
        )  # fmt: skip
        assert result.returncode == 0, (
            f"{self.program} {arguments} failed:\n{(result.stdout[-500:] + result.stderr).decode()}"
        )
        return result.stdout

    def lines(self, *arguments: str) -> list[str]:
        return self.run(*arguments).decode().splitlines()

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", **self.variables()}

    def variables(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": self.key.access_key_id, "AWS_SECRET_ACCESS_KEY": self.key.secret_access_key,
            "AWS_REGION": self.key.region, "AWS_DEFAULT_REGION": self.key.region,
        }  # fmt: skip

    def url(self, key: str = "") -> str:
        return f"s3://{self.key.bucket}/{key}"

    def listed(self, *arguments: str) -> list[str]:
        """Names from lines with date, time, size and name, or with a word and a folder."""
        lines = self.lines(*arguments)
        return [
            line.split(maxsplit=1)[1] if line.split()[0] in ("PRE", "DIR") else line.split(maxsplit=3)[3]
            for line in lines
        ]

    def file(self, data: bytes = b"") -> str:
        path = self.folder / "file"
        path.write_bytes(data)
        return str(path)


class Aws(Command):
    program = "aws"

    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.options = ("--endpoint-url", key.endpoint)
        (folder / ".aws").mkdir()
        (folder / ".aws/config").write_text(
            f"[default]\ns3 =\n  multipart_threshold = {MIN_PART}\n  multipart_chunksize = {MIN_PART}\n"
        )

    def keys(self, prefix: str = "") -> list[str]:
        return self.listed("s3", "ls", "--recursive", self.url(prefix))

    def entries(self, folder: str) -> list[str]:
        return [folder + name for name in self.listed("s3", "ls", self.url(folder))]

    def put(self, key: str, data: bytes) -> None:
        self.run("s3", "cp", self.file(data), self.url(key))

    put_parts = put

    def get(self, key: str) -> bytes:
        return self.run("s3", "cp", self.url(key), "-")

    def read_range(self, key: str, start: int, length: int) -> bytes:
        part = self.file()
        self.run(*self._api("get-object", key), "--range", f"bytes={start}-{start + length - 1}", part)
        return Path(part).read_bytes()

    def size(self, key: str) -> int:
        return int(json.loads(self.run(*self._api("head-object", key)))["ContentLength"])

    def _api(self, operation: str, key: str) -> tuple[str, ...]:
        return ("s3api", operation, "--bucket", self.key.bucket, "--key", key)

    def copy(self, source: str, target: str) -> None:
        self.run("s3", "cp", self.url(source), self.url(target))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        request = json.dumps({"Objects": [{"Key": folder + name} for name in names]})
        self.run("s3api", "delete-objects", "--bucket", self.key.bucket, "--delete", request)

    def link(self, key: str) -> str:
        return self.run("s3", "presign", self.url(key)).decode().strip()


class Rclone(Command):
    program = "rclone"
    provider = "Other"

    def variables(self) -> dict[str, str]:
        options = {
            "type": "s3", "provider": self.provider, "access_key_id": self.key.access_key_id,
            "secret_access_key": self.key.secret_access_key, "endpoint": self.key.endpoint, "region": self.key.region,
            "upload_cutoff": f"{MIN_PART}B", "chunk_size": f"{MIN_PART}B", "force_path_style": "true",
        }  # fmt: skip
        trusted = {"RCLONE_CA_CERT": self.certificate} if self.certificate else {}
        return trusted | {f"RCLONE_CONFIG_TEAMSPACE_{name.upper()}": value for name, value in options.items()}

    def url(self, key: str = "") -> str:
        return f"teamspace:{self.key.bucket}/{key}"

    def keys(self, prefix: str = "") -> list[str]:
        """The prefix must be a folder."""
        return [prefix + line for line in self.lines("lsf", "-R", "--files-only", self.url(prefix))]

    def entries(self, folder: str) -> list[str]:
        return [folder + line for line in self.lines("lsf", self.url(folder))]

    def put(self, key: str, data: bytes) -> None:
        self.run("copyto", self.file(data), self.url(key))

    put_parts = put

    def get(self, key: str) -> bytes:
        return self.run("cat", self.url(key))

    def read_range(self, key: str, start: int, length: int) -> bytes:
        return self.run("cat", "--offset", str(start), "--count", str(length), self.url(key))

    def size(self, key: str) -> int:
        return int(json.loads(self.run("lsjson", "--stat", self.url(key)))["Size"])

    def copy(self, source: str, target: str) -> None:
        self.run("copyto", self.url(source), self.url(target))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        self.run("delete", self.url(folder))

    def link(self, key: str) -> str:
        return self.run("link", "--expire", "1h", self.url(key)).decode().strip()


class RcloneAws(Rclone):
    """Uses ListObjectsV2, and signs its payloads, for which it needs https."""

    provider = "AWS"


class S3cmd(Command):
    program = "s3cmd"

    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        options = {
            "access_key": key.access_key_id, "secret_key": key.secret_access_key, "host_base": self.host,
            "host_bucket": self.host, "use_https": "False", "bucket_location": key.region, "multipart_chunk_size_mb": "5",
        }  # fmt: skip
        (folder / ".s3cfg").write_text("[default]\n" + "".join(f"{name} = {text}\n" for name, text in options.items()))

    def keys(self, prefix: str = "") -> list[str]:
        return self._listed("ls", "--recursive", self.url(prefix))

    def entries(self, folder: str) -> list[str]:
        return self._listed("ls", self.url(folder))

    def _listed(self, *arguments: str) -> list[str]:
        return [line.split("s3://", 1)[1].partition("/")[2] for line in self.lines(*arguments)]

    def put(self, key: str, data: bytes) -> None:
        self.run("put", self.file(data), self.url(key))

    put_parts = put

    def get(self, key: str) -> bytes:
        return self.run("get", self.url(key), "-")

    def size(self, key: str) -> int:
        line = next(line for line in self.lines("info", self.url(key)) if "File size" in line)
        return int(line.split()[-1])

    def copy(self, source: str, target: str) -> None:
        self.run("cp", self.url(source), self.url(target))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        self.run("del", "--recursive", self.url(folder))

    def link(self, key: str) -> str:
        return self.run("signurl", self.url(key), "+3600").decode().strip()


class S5cmd(Command):
    program = "s5cmd"

    def __init__(self, key: Key, folder: Path, certificate: str | None = None) -> None:
        super().__init__(key, folder, certificate)
        self.options = ("--endpoint-url", key.endpoint)

    def keys(self, prefix: str = "") -> list[str]:
        folder, slash, _ = prefix.rpartition("/")
        return [folder + slash + name for name in self.listed("ls", self.url(f"{prefix}*"))]

    def entries(self, folder: str) -> list[str]:
        return [folder + name for name in self.listed("ls", self.url(folder))]

    def put(self, key: str, data: bytes) -> None:
        self.run("cp", self.file(data), self.url(key))

    def put_parts(self, key: str, data: bytes) -> None:
        self.run("cp", "--part-size", "5", self.file(data), self.url(key))

    def get(self, key: str) -> bytes:
        return self.run("cat", self.url(key))

    def size(self, key: str) -> int:
        return int(json.loads(self.run("head", self.url(key)))["size"])

    def copy(self, source: str, target: str) -> None:
        self.run("cp", self.url(source), self.url(target))

    def delete(self, folder: str, names: Sequence[str]) -> None:
        self.run("rm", *(self.url(folder + name) for name in names))

    def link(self, key: str) -> str:
        return self.run("presign", "--expire", "1h", self.url(key)).decode().strip()
