"""Common S3 clients against a real server: writing, listing, reading, copying, deleting and links."""

import io
import random
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import httpx2
import pyarrow.parquet as pq
import pytest
from duckdb_extensions import import_extension

from tests.s3.clients import Arrow, Boto, Client, Minio, Obstore
from tests.s3.commands import Aws, Rclone, RcloneAws, S3cmd, S5cmd
from tests.s3.help import MIB, Instance, Key

pytestmark = [pytest.mark.sampled(3), pytest.mark.about("core", "server")]

CASES: Sequence[tuple[str, Sequence[type[Client]]]] = (
    ("sqlite", (Boto, Minio, Obstore, Arrow, Aws, Rclone, S3cmd, S5cmd)),
    ("postgres", (Boto, Minio, Obstore, Arrow, Rclone)),
    # Clients that encode uploads differently over https.
    ("tls", (Boto, Minio, Arrow, Rclone, RcloneAws)),
)
LARGE = random.Random(20).randbytes(12 * MIB + 5)
SMALL = b"Bricks: 400\nMortar: 3\n"
TREE = ("a.txt", "reports/a b+c.txt", "reports/ü%&<'.txt", "reports/2026/q1.txt", "reports-old.txt")


def clients(method: str = "put") -> pytest.MarkDecorator:
    """Every client that implements a method, with every server it is tested against."""
    cases = [
        # The database makes no difference to clients; test_conformance_*.py run on both.
        pytest.param(
            variant, kind, id=f"{kind.__name__}-{variant}", marks=[pytest.mark.thorough] * (variant == "postgres")
        )
        for variant, kinds in CASES
        for kind in kinds
        if getattr(kind, method) is not getattr(Client, method)
    ]
    return pytest.mark.parametrize(("instance", "kind"), cases, indirect=["instance"])


@pytest.fixture
def client(kind: type[Client], instance: Instance, tmp_path: Path) -> Client:
    return kind(instance.owner().key(), tmp_path, instance.served.settings.get("SERVICE_TLS_CERT"))


@pytest.fixture
def boto(client: Client) -> Boto:
    """boto3 on the same bucket, to prepare and check."""
    return Boto(client.key, client.folder, client.certificate)


def tls_verify(client: Client) -> ssl.SSLContext | bool:
    return ssl.create_default_context(cafile=client.certificate) if client.certificate else True


@clients()
def test_listing_by_prefix_and_by_folder(client: Client, boto: Boto) -> None:
    for key in TREE:
        boto.put(key, SMALL)
    assert sorted(client.keys()) == sorted(TREE)
    assert sorted(client.keys("reports/")) == sorted(TREE[1:4])
    assert sorted(client.entries("reports/")) == ["reports/2026/", "reports/a b+c.txt", "reports/ü%&<'.txt"]


@clients()
def test_an_uploaded_object_is_read_back(client: Client, boto: Boto) -> None:
    key = "lists/ä b+c%.txt"
    client.put(key, SMALL)
    assert (client.get(key), client.size(key)) == (SMALL, len(SMALL))
    assert boto.get(key) == SMALL


@clients()
def test_a_large_object_is_uploaded_in_parts_and_read_back(client: Client, boto: Boto) -> None:
    client.put_parts("large.bin", LARGE)
    tag = boto.bucket.head_object("large.bin")["ETag"].strip('"')
    assert int(tag.partition("-")[2]) > 1
    assert client.get("large.bin") == LARGE


@clients("read_range")
def test_a_range_across_two_parts_is_read(client: Client, boto: Boto) -> None:
    boto.put_parts("large.bin", LARGE[: 6 * MIB])
    start = 5 * MIB - 1000
    assert client.read_range("large.bin", start, 3000) == LARGE[start : start + 3000]


@clients()
def test_an_object_is_copied_and_many_are_deleted(client: Client, boto: Boto) -> None:
    names = [f"{number} +.txt" for number in range(8)]
    for name in names:
        boto.put(f"old/{name}", name.encode())
    client.copy("old/7 +.txt", "kept/seven.txt")
    client.delete("old/", names)
    assert boto.keys() == ["kept/seven.txt"]
    assert boto.get("kept/seven.txt") == b"7 +.txt"


@clients("link")
def test_a_presigned_url_reads_one_object_without_credentials(client: Client, boto: Boto) -> None:
    boto.put("plans/ü b.txt", SMALL)
    url = client.link("plans/ü b.txt")
    answer = httpx2.get(url, verify=tls_verify(client))
    assert (answer.status_code, answer.content) == (200, SMALL), answer.text
    assert httpx2.get(url.replace("plans", "plane"), verify=tls_verify(client)).status_code == 403


@clients("upload_link")
def test_a_presigned_url_uploads_one_object_without_credentials(client: Client, boto: Boto) -> None:
    url = client.upload_link("in/box.txt")
    answer = httpx2.put(url, content=SMALL, verify=tls_verify(client))
    assert answer.status_code == 200, answer.text
    assert boto.get("in/box.txt") == SMALL
    assert httpx2.get(url, verify=tls_verify(client)).status_code == 403


@pytest.fixture
def duck(instance: Instance, tmp_path: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, Key]]:
    """DuckDB with a secret for a bucket."""
    key = instance.owner().key()
    with duckdb.connect(config={"extension_directory": str(tmp_path)}) as connection:
        import_extension("httpfs", con=connection)
        secret = {
            "TYPE": "s3", "KEY_ID": key.access_key_id, "SECRET": key.secret_access_key, "REGION": key.region,
            "ENDPOINT": urlsplit(key.endpoint).netloc, "URL_STYLE": "path",
        }  # fmt: skip
        options = ", ".join(f"{name} '{value}'" for name, value in secret.items())
        connection.execute(f"CREATE SECRET teamspace ({options}, USE_SSL false)")
        yield connection, key


def test_duckdb_reads_and_writes_tables(duck: tuple[duckdb.DuckDBPyConnection, Key]) -> None:
    connection, key = duck
    bucket = key.open_bucket()
    for year in (2025, 2026):
        bucket.put_object(f"csv/sales {year}.csv", Body=f"year,sum\n{year},1\n{year},2\n".encode())
    read = f"SELECT year, sum(sum) AS total FROM read_csv('s3://{key.bucket}/csv/*.csv') GROUP BY year ORDER BY year"
    assert connection.execute(read).fetchall() == [(2025, 3), (2026, 3)]

    rows = "SELECT range AS number, repeat('brick ', 20) || range AS words FROM range(200000)"
    connection.execute(f"COPY ({rows}) TO 's3://{key.bucket}/out/bricks.parquet' (COMPRESSION uncompressed)")
    assert bucket.head_object("out/bricks.parquet")["ContentLength"] > 5 * MIB
    counted = f"SELECT count(*), sum(number), count(DISTINCT words) FROM 's3://{key.bucket}/*/bricks.parquet'"
    assert connection.execute(counted).fetchall() == [(200000, sum(range(200000)), 200000)]
    assert pq.read_metadata(io.BytesIO(bucket.read("out/bricks.parquet"))).num_rows == 200000
