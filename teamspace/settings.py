"""Settings: one table of SERVICE_* names, read from the environment or a .env file, checked at start.

An unknown SERVICE_* name or a bad value stops the start with a line that says which.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values

from teamspace.core import egress
from teamspace.core.addresses import Network

T = TypeVar("T")

_PORTS = {"http": 80, "https": 443}

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SettingsError(Exception):
    """A setting is unknown or wrong; the message names it."""


class PushExecutor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model server that is set up here rather than through the API."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,79}$")]
    url: str
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    key: Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,1000}$")] | None = None


class Setting(msgspec.Struct, frozen=True):
    name: str
    read: Callable[[str], Any]
    default: str
    doc: str

    @property
    def field(self) -> str:
        return self.name.removeprefix("SERVICE_").lower()


def _flag(text: str) -> bool:
    if text.lower() not in ("1", "0", "true", "false", "yes", "no", "on", "off"):
        raise ValueError("must be true or false")
    return text.lower() in ("1", "true", "yes", "on")


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return read


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return read


def _database(text: str) -> str:
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("must begin with postgresql://, or be left out for SQLite in the data folder")
    _ = urlsplit(text).port  # complains about what is no address
    return text


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())


def _address(text: str) -> str:
    if text and not text.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    _ = urlsplit(text).port  # complains about what is no address
    return text.rstrip("/")


def _file(text: str) -> Path | None:
    if text and not Path(text).is_file():
        raise ValueError(f"there is no file {text}")
    return Path(text) if text else None


def _token(text: str) -> str:
    if text and len(text) < 24:
        raise ValueError("must have at least 24 characters")
    if not re.fullmatch(r"[!-+\--~]*", text):
        raise ValueError("must hold no spaces or commas, and nothing but ASCII: it travels in a header")
    return text


def _model_url(text: str) -> str:
    if text:
        _checked(egress.parse, text)
    return text.rstrip("/")


def _header(text: str) -> str:
    if not re.fullmatch(r"[!-~]*", text):
        raise ValueError("must hold no spaces, and nothing but ASCII: it travels in a header")
    return text


def _bucket(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{2,62}", text):
        raise ValueError("must be the name of a bucket: 3 to 63 letters, digits, dots and hyphens")
    return text


def _executors(text: str) -> tuple[PushExecutor, ...]:
    try:
        given = msgspec.json.decode(text or "[]", type=tuple[PushExecutor, ...])
    except msgspec.DecodeError as fault:
        raise ValueError(f'must be a JSON list such as [{{"name": "gpu", "url": "https://..."}}]: {fault}') from None
    names = [executor.name.casefold() for executor in given]
    if "local" in names or len(names) != len(set(names)):
        raise ValueError("must name each executor once, and none of them local")
    for executor in given:
        _checked(egress.parse, executor.url)
    return tuple(msgspec.structs.replace(executor, url=executor.url.rstrip("/")) for executor in given)


def _listed(text: str) -> frozenset[tuple[str, int]]:
    return frozenset(_checked(egress.parse_listed, part.strip()) for part in text.split(",") if part.strip())


def _checked(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except egress.Refused as fault:
        raise ValueError(f"{text} {fault}") from None


# fmt: off
SETTINGS = (
    #       name                          reads                       default      doc
    Setting("SERVICE_DATA",               Path,                       "./data",    "The data folder: database, secret key, files."),
    Setting("SERVICE_DATABASE_URL",       _database,                  "",          "postgresql://... for PostgreSQL; without it, SQLite in the data folder."),
    Setting("SERVICE_DATABASE_POOL",      _number(1, 200),            "10",        "PostgreSQL connections for reads, and as many for writes, of each process."),
    Setting("SERVICE_SQLITE_SYNC",        _one_of("full", "normal"),  "full",      "full syncs every acknowledged write to disk; normal may lose the last ones in a power cut."),
    Setting("SERVICE_POSTGRES_SYNC",      _one_of("full", "any"),     "full",      "full refuses a PostgreSQL with fsync or full_page_writes off; any takes it, for trials and for storage that makes up for it."),
    Setting("SERVICE_BLOB_STORE",         _one_of("rs3", "s3"),       "rs3",       "Where files lie: rs3 is the data folder, s3 a bucket."),
    Setting("SERVICE_S3_URL",             _address,                   "",          "The address of that bucket's service, without the bucket."),
    Setting("SERVICE_S3_BUCKET",          _bucket,                    "",          "The name of the bucket, which must be there."),
    Setting("SERVICE_S3_REGION",          _header,                    "us-east-1", "The region that requests are signed for."),
    Setting("SERVICE_S3_KEY_ID",          _header,                    "",          "The id of the access key."),
    Setting("SERVICE_S3_SECRET",          _header,                    "",          "The secret of the access key."),
    Setting("SERVICE_DISK_FLOOR",         _number(0, 2**50),          "268435456", "Bytes that stay free where the data folder lies: with less, files are refused and everything else goes on."),
    Setting("SERVICE_BLOB_RETENTION",     _number(0, 10 * 365 * 86400), "300",     "For how many seconds files are kept that nothing names any more."),
    Setting("SERVICE_HOST",               str,                        "127.0.0.1", "The address to listen on."),
    Setting("SERVICE_PORT",               _number(1, 65535),          "8080",      "The port to listen on."),
    Setting("SERVICE_WORKERS",            _number(1, 64),             "1",         "Server processes; more than one needs PostgreSQL."),
    Setting("SERVICE_BASE_URL",           _address,                   "",          "The address people use, for links; without it, made of host and port."),
    Setting("SERVICE_MULTITENANT",        _flag,                      "true",      "Whether more companies than the first can be made."),
    Setting("SERVICE_PROVISION_TOKEN",    _token,                     "",          "Turns hosted mode on; the token of whoever provisions this instance."),
    Setting("SERVICE_BOOTSTRAP_CODE",     str,                        "",          "Asked for at the first run: set it where others can reach the instance before it has an operator."),
    Setting("SERVICE_SECRET_KEY",         str,                        "",          "32 bytes in hexadecimal or base64 that seal secrets at rest; without it, a file in the data folder."),
    Setting("SERVICE_TLS_CERT",           _file,                      "",          "The certificate chain (PEM), to serve https; its key in SERVICE_TLS_KEY."),
    Setting("SERVICE_TLS_KEY",            _file,                      "",          "The certificate's private key (PEM)."),
    Setting("SERVICE_TRUSTED_PROXIES",    _networks,                  "",          "Networks whose X-Forwarded-For and X-Forwarded-Host are believed, separated by commas."),
    Setting("SERVICE_RATE_TOKEN",         _number(0, 1_000_000),      "1200",      "Requests a minute of one token; 0 is no limit."),
    Setting("SERVICE_RATE_ANONYMOUS",     _number(0, 1_000_000),      "100",       "Requests a minute of one address without a credential; 0 is no limit."),
    Setting("SERVICE_JOB_SLOTS",          _number(1, 1000),           "16",        "Jobs of one kind that each server process runs at a time; one company gets at most half of them."),
    Setting("SERVICE_STOP_SECONDS",       _number(1, 3600),           "30",        "How long a stop may take in all: what is not finished by then is cut off, and its jobs go back into the queue."),
    Setting("SERVICE_MODEL_URL",          _model_url,                 "",          "The model of the local executor: an OpenAI-compatible address up to /v1; without it, the simulated model."),
    Setting("SERVICE_MODEL",              str,                        "",          "The name of that model; without it, the server's own choice."),
    Setting("SERVICE_MODEL_KEY",          _header,                    "",          "The key for that address."),
    Setting("SERVICE_EXECUTORS",          _executors,                 "",          'Further model servers, as JSON: [{"name", "url", "model"?, "key"?}].'),
    Setting("SERVICE_EGRESS_ALLOW",       _listed,                    "",          "host:port, separated by commas, that may be called without https and on private networks."),
    Setting("SERVICE_DEMO",               _flag,                      "false",     "Allows companies with known passwords to be seeded on an instance that others can reach."),
    Setting("SERVICE_SIMULATE",           _flag,                      "false",     "For tests: [simulate:hang], [simulate:fail] and the like in a prompt make the simulated model do so."),
    Setting("SERVICE_LOG",                _one_of("text", "json"),    "text",      "The form of log lines."),
)
# fmt: on


class Settings(msgspec.Struct, frozen=True):
    """The settings as read; one field for each row of the table."""

    data: Path
    database_url: str
    database_pool: int
    sqlite_sync: str
    postgres_sync: str
    blob_store: str
    s3_url: str
    s3_bucket: str
    s3_region: str
    s3_key_id: str
    s3_secret: str
    disk_floor: int
    blob_retention: int
    host: str
    port: int
    workers: int
    base_url: str
    multitenant: bool
    provision_token: str
    bootstrap_code: str
    secret_key: str
    tls_cert: Path | None
    tls_key: Path | None
    trusted_proxies: tuple[Network, ...]
    rate_token: int
    rate_anonymous: int
    job_slots: int
    stop_seconds: int
    model_url: str
    model: str
    model_key: str
    executors: tuple[PushExecutor, ...]
    egress_allow: frozenset[tuple[str, int]]
    demo: bool
    simulate: bool
    log: str

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:{self.data / 'teamspace.sqlite'}"

    @property
    def address(self) -> str:
        """The address people use, for links."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url or f"{scheme}://{host}:{self.port}"

    @property
    def own_addresses(self) -> frozenset[tuple[str, int]]:
        """Host and port where this server listens, and where people reach it."""
        parts = urlsplit(self.address)
        return frozenset({(self.host, self.port), (parts.hostname or "", parts.port or _PORTS[parts.scheme])})

    @property
    def hosted(self) -> bool:
        return bool(self.provision_token)

    @property
    def for_this_machine_alone(self) -> bool:
        """Whether nobody from elsewhere is meant to reach it."""
        reached = (self.host, urlsplit(self.address).hostname)
        return not self.hosted and not self.trusted_proxies and all(host in LOOPBACK for host in reached)

    @property
    def on_sqlite(self) -> bool:
        return not self.database_url


def load(environment: Mapping[str, str] | None = None, *, file: Path | None = None) -> Settings:
    """The environment wins over the file."""
    given = {name: value for name, value in dotenv_values(file or ".env").items() if value is not None}
    given |= os.environ if environment is None else environment
    known = {setting.name for setting in SETTINGS}
    unknown = sorted(name for name in given if name.startswith("SERVICE_") and name not in known)
    if unknown:
        raise SettingsError(f"{unknown[0]} is not a setting; `teamspace serve --help` lists them")
    settings = Settings(**{setting.field: _value(setting, given) for setting in SETTINGS})
    if settings.workers > 1 and settings.on_sqlite:
        raise SettingsError("SERVICE_WORKERS: more than one process needs PostgreSQL (SERVICE_DATABASE_URL)")
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise SettingsError("SERVICE_TLS_CERT and SERVICE_TLS_KEY belong together: set both or neither")
    if (settings.model or settings.model_key) and not settings.model_url:
        raise SettingsError("SERVICE_MODEL and SERVICE_MODEL_KEY need SERVICE_MODEL_URL")
    _check_bucket(settings)
    _check_ways_out(settings)
    return settings


def _check_bucket(settings: Settings) -> None:
    if settings.blob_store == "s3":
        needed = ("SERVICE_S3_URL", "SERVICE_S3_BUCKET", "SERVICE_S3_KEY_ID", "SERVICE_S3_SECRET")
        values = {setting.name: getattr(settings, setting.field) for setting in SETTINGS}
        if missing := [name for name in needed if not values[name]]:
            raise SettingsError(f"SERVICE_BLOB_STORE: s3 needs {', '.join(missing)}")


def _check_ways_out(settings: Settings) -> None:
    """What needs no network to be seen as wrong; the rest shows in the health of the executor."""
    way_out = egress.Egress(allow=settings.egress_allow, own=settings.own_addresses)
    named = [("SERVICE_MODEL_URL", settings.model_url)] if settings.model_url else []
    for name, url in [*named, *(("SERVICE_EXECUTORS", executor.url) for executor in settings.executors)]:
        try:
            way_out.check(url, egress.Reach.LISTED)
        except egress.Refused as fault:
            raise SettingsError(f"{name}: {url} {fault}") from None


def _value(setting: Setting, given: Mapping[str, str]) -> Any:
    text = given.get(setting.name, "").strip() or setting.default
    try:
        return setting.read(text)
    except ValueError as fault:
        raise SettingsError(f"{setting.name}: {fault}") from None
