"""The server with its own certificate: HTTPS from TLS 1.2, and clear errors for bad certificates at the start."""

import datetime
import http.client
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from teamspace import server
from teamspace.app import StartError
from teamspace.settings import load
from tests.support.postgres import create_database, drop_database
from tests.support.served import HOST, Served, free_port, teamspace

LIMIT = 20.0
"""Far more than a start takes, since the machine may be busy."""
PATIENCE = 8.0
"""Less than silent clients are given."""
PASSWORD = "a cautious first passphrase"
HSTS = "max-age=31536000"
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Pair(NamedTuple):
    """A certificate and its key, in files."""

    cert: Path
    key: Path

    @property
    def settings(self) -> dict[str, str]:
        return {"SERVICE_TLS_CERT": str(self.cert), "SERVICE_TLS_KEY": str(self.key)}


def certificate(key: Key, name: str, issuer: str, signer: Key, *, authority: bool = False) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(
        subject_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]),
        issuer_name=x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - datetime.timedelta(hours=1),
        not_valid_after=now + datetime.timedelta(hours=1),
    ).add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    if not authority:
        address = x509.IPAddress(ipaddress.ip_address(HOST))
        made = made.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    return made.sign(signer, hashes.SHA256())


def pem(*certificates: x509.Certificate) -> bytes:
    return b"".join(each.public_bytes(serialization.Encoding.PEM) for each in certificates)


def key_pem(key: Key, passphrase: bytes = b"") -> bytes:
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def write_pair(folder: Path, cert: bytes, key: bytes, name: str = "server") -> Pair:
    pair = Pair(folder / f"{name}.crt", folder / f"{name}.key")
    pair.cert.write_bytes(cert)
    pair.key.write_bytes(key)
    return pair


def new_key(kind: str = "ec") -> Key:
    return ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else rsa.generate_private_key(65537, 2048)


def self_signed(folder: Path, kind: str = "ec", name: str = "server") -> Pair:
    key = new_key(kind)
    return write_pair(folder, pem(certificate(key, HOST, HOST, key)), key_pem(key), name)


@pytest.fixture(scope="module", params=["ec", "rsa"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("tls")
    pair = self_signed(folder, request.param)
    with Served({"SERVICE_DATA": str(folder / "data"), **pair.settings}) as running:
        yield running
        assert running.stop() == 0


def context(served: Served, *versions: ssl.TLSVersion) -> ssl.SSLContext:
    """A client context that trusts the server's certificate and speaks only the given versions."""
    client = ssl.create_default_context(cafile=served.settings["SERVICE_TLS_CERT"])
    if versions:
        client.set_ciphers("ALL:@SECLEVEL=0")
        client.minimum_version, client.maximum_version = versions[0], versions[-1]
    return client


# Serving


@pytest.mark.parametrize(
    ("version", "name"), [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")]
)
def test_https_is_served_with_current_tls_versions(served: Served, version: ssl.TLSVersion, name: str) -> None:
    connection = http.client.HTTPSConnection(HOST, served.port, timeout=10, context=context(served, version))
    connection.connect()
    assert isinstance(connection.sock, ssl.SSLSocket) and connection.sock.version() == name
    connection.request("GET", "/health")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b'{"ok":true,"multitenant":true}')
    connection.close()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_tls_is_refused(served: Served, version: ssl.TLSVersion) -> None:
    with (
        socket.create_connection((HOST, served.port), timeout=10) as plain,
        pytest.raises(ssl.SSLError, match=r"ALERT_(PROTOCOL_VERSION|HANDSHAKE_FAILURE)|UNEXPECTED_EOF"),
        context(served, version).wrap_socket(plain, server_hostname=HOST),
    ):
        raise AssertionError("it was accepted")
    assert served.healthy()


def test_plain_http_is_not_served_on_the_tls_port(served: Served) -> None:
    with socket.create_connection((HOST, served.port), timeout=10) as plain:
        plain.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        received = b""
        try:
            while part := plain.recv(4096):
                received += part
        except ConnectionResetError:
            pass
    assert b"HTTP" not in received and b"ok" not in received
    assert served.healthy()


def test_every_response_has_hsts(served: Served) -> None:
    with httpx2.Client(base_url=served.url, verify=context(served)) as client:
        for path, status in (("/health", 200), ("/nowhere", 404), ("/api/whoami", 401), ("/", 200)):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["strict-transport-security"]) == (status, HSTS)


def test_silent_clients_do_not_block_others(served: Served) -> None:
    silent = [socket.create_connection((HOST, served.port)) for _ in range(50)]
    assert served.healthy(timeout=PATIENCE)
    for each in silent:
        each.close()


def test_status_and_links_reflect_tls(tmp_path: Path) -> None:
    with Served({"SERVICE_DATA": str(tmp_path / "data"), **self_signed(tmp_path).settings}) as served:
        token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        assert served.call("GET", "/api/admin/status", token=token)["tls"] is True
        made = served.call("POST", "/api/orgs", {"name": "Aurora", "owner": {"username": "noor"}}, token)
        assert made["activation_url"].startswith(f"https://{HOST}:{served.port}/activate#ts_v_")
        assert f"serving on https://{HOST}:{served.port}" in served.logs
        assert served.stop() == 0


def test_the_full_certificate_chain_is_sent(tmp_path: Path) -> None:
    root, middle, leaf = new_key(), new_key(), new_key()
    top = certificate(root, "Root", "Root", root, authority=True)
    between = certificate(middle, "Middle", "Root", root, authority=True)
    own = certificate(leaf, HOST, "Middle", middle)
    (tmp_path / "root.crt").write_bytes(pem(top))
    pair = write_pair(tmp_path, pem(own, between), key_pem(leaf))
    running = Served({"SERVICE_DATA": str(tmp_path / "data"), **pair.settings})
    running.tls = ssl.create_default_context(cafile=tmp_path / "root.crt")
    with running:
        assert running.call("GET", "/health")["ok"] is True


def test_several_processes_share_the_port_and_the_certificate(tmp_path: Path, postgres_url: str) -> None:
    url = create_database(postgres_url, "tls_workers")
    settings = {
        "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": url, "SERVICE_WORKERS": "2",
        "SERVICE_DATABASE_POOL": "2", **self_signed(tmp_path).settings,
    }  # fmt: skip
    try:
        with Served(settings) as served:
            assert all(served.healthy(timeout=PATIENCE) for _ in range(20))
            assert served.stop() == 0
    finally:
        drop_database(postgres_url, "tls_workers")


def test_without_a_certificate_hsts_follows_the_base_url(tmp_path: Path) -> None:
    for number, (address, expected) in enumerate((("", None), ("https://work.example.com", HSTS))):
        with Served({"SERVICE_DATA": str(tmp_path / f"data{number}"), "SERVICE_BASE_URL": address}) as served:
            answer = httpx2.get(f"{served.url}/health")
            assert answer.headers.get("strict-transport-security") == expected


# Failing starts


def refusal(data: Path, **settings: str) -> str:
    """Return the one error line of a start that fails quickly."""
    began = time.monotonic()
    ended = teamspace("serve", settings={"SERVICE_DATA": str(data), "SERVICE_PORT": str(free_port()), **settings})
    assert ended.returncode != 0
    assert time.monotonic() - began < LIMIT
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert re.match(r"teamspace: SERVICE_TLS_(CERT|KEY)\b", line), line
    assert "PRIVATE KEY" not in line
    return line.removeprefix("teamspace: ")


@pytest.mark.parametrize("name", ["SERVICE_TLS_CERT", "SERVICE_TLS_KEY"])
def test_a_certificate_without_a_key_and_vice_versa(tmp_path: Path, name: str) -> None:
    line = refusal(tmp_path / "data", **{name: self_signed(tmp_path).settings[name]})
    assert "SERVICE_TLS_CERT" in line and "SERVICE_TLS_KEY" in line


@pytest.mark.parametrize("name", ["SERVICE_TLS_CERT", "SERVICE_TLS_KEY"])
@pytest.mark.parametrize("missing", ["nowhere.pem", ""])
def test_a_missing_file(tmp_path: Path, name: str, missing: str) -> None:
    path = str(tmp_path / missing)
    assert (
        refusal(tmp_path / "data", **self_signed(tmp_path).settings | {name: path})
        == f"{name}: there is no file {path}"
    )


def test_a_certificate_with_another_key(tmp_path: Path) -> None:
    one, other = self_signed(tmp_path, name="one"), self_signed(tmp_path, name="other")
    refusal(tmp_path / "data", **one.settings | {"SERVICE_TLS_KEY": str(other.key)})


def test_invalid_pairs(tmp_path: Path) -> None:
    """The same check in-process, for many pairs."""
    one, rsa_pair = self_signed(tmp_path, name="one"), self_signed(tmp_path, "rsa", name="rsa")
    junk = write_pair(tmp_path, b"junk", b"junk", "junk")
    empty = write_pair(tmp_path, b"", b"", "empty")
    cut = write_pair(tmp_path, one.cert.read_bytes()[:200], one.key.read_bytes()[:100], "cut")
    for cert, key in (
        (one.cert, rsa_pair.key), (one.key, one.cert), (one.cert, one.cert), (one.key, one.key), (junk.cert, one.key),
        (one.cert, junk.key), (empty.cert, one.key), (one.cert, empty.key), (cut.cert, one.key), (one.cert, cut.key),
    ):  # fmt: skip
        settings = load({"SERVICE_TLS_CERT": str(cert), "SERVICE_TLS_KEY": str(key)}, file=tmp_path / "no.env")
        with pytest.raises(StartError, match=r"^SERVICE_TLS_CERT and SERVICE_TLS_KEY [^\n]+$"):
            server._tls(settings)
    server._tls(load(one.settings, file=tmp_path / "no.env"))


def test_a_key_that_needs_a_passphrase(tmp_path: Path) -> None:
    """The server must not prompt for it, since it may have no terminal."""
    key = new_key()
    pair = write_pair(tmp_path, pem(certificate(key, HOST, HOST, key)), key_pem(key, b"secret"))
    refusal(tmp_path / "data", **pair.settings)
