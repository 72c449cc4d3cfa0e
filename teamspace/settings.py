"""Settings: one table of SERVICE_* names, read from the environment or a .env file, checked at start.

An unknown SERVICE_* name or a bad value stops the start with a line that says which.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values

from teamspace.core.addresses import Network

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SettingsError(Exception):
    """A setting is unknown or wrong; the message names it."""


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


# fmt: off
SETTINGS = (
    #       name                          reads                       default      doc
    Setting("SERVICE_DATA",               Path,                       "./data",    "The data folder: database, secret key, files."),
    Setting("SERVICE_DATABASE_URL",       _database,                  "",          "postgresql://... for PostgreSQL; without it, SQLite in the data folder."),
    Setting("SERVICE_DATABASE_POOL",      _number(1, 200),            "10",        "PostgreSQL connections for reads, and as many for writes, of each process."),
    Setting("SERVICE_SQLITE_SYNC",        _one_of("full", "normal"),  "full",      "full syncs every acknowledged write to disk; normal may lose the last ones in a power cut."),
    Setting("SERVICE_HOST",               str,                        "127.0.0.1", "The address to listen on."),
    Setting("SERVICE_PORT",               _number(1, 65535),          "8080",      "The port to listen on."),
    Setting("SERVICE_WORKERS",            _number(1, 64),             "1",         "Server processes; more than one needs PostgreSQL."),
    Setting("SERVICE_BASE_URL",           _address,                   "",          "The address people use, for links; without it, made of host and port."),
    Setting("SERVICE_MULTITENANT",        _flag,                      "true",      "Whether more companies than the first can be made."),
    Setting("SERVICE_PROVISION_TOKEN",    _token,                     "",          "Turns hosted mode on; the token of whoever provisions this instance."),
    Setting("SERVICE_SECRET_KEY",         str,                        "",          "32 bytes in hexadecimal or base64 that seal secrets at rest; without it, a file in the data folder."),
    Setting("SERVICE_TLS_CERT",           _file,                      "",          "The certificate chain (PEM), to serve https; its key in SERVICE_TLS_KEY."),
    Setting("SERVICE_TLS_KEY",            _file,                      "",          "The certificate's private key (PEM)."),
    Setting("SERVICE_TRUSTED_PROXIES",    _networks,                  "",          "Networks whose X-Forwarded-For and X-Forwarded-Host are believed, separated by commas."),
    Setting("SERVICE_RATE_TOKEN",         _number(0, 1_000_000),      "1200",      "Requests a minute of one token; 0 is no limit."),
    Setting("SERVICE_RATE_ANONYMOUS",     _number(0, 1_000_000),      "100",       "Requests a minute of one address without a credential; 0 is no limit."),
    Setting("SERVICE_JOB_SLOTS",          _number(1, 1000),           "16",        "Jobs that each server process runs at a time."),
    Setting("SERVICE_DEMO",               _flag,                      "false",     "Allows companies with known passwords to be seeded on an instance that others can reach."),
    Setting("SERVICE_LOG",                _one_of("text", "json"),    "text",      "The form of log lines."),
)
# fmt: on


class Settings(msgspec.Struct, frozen=True):
    """The settings as read; one field for each row of the table."""

    data: Path
    database_url: str
    database_pool: int
    sqlite_sync: str
    host: str
    port: int
    workers: int
    base_url: str
    multitenant: bool
    provision_token: str
    secret_key: str
    tls_cert: Path | None
    tls_key: Path | None
    trusted_proxies: tuple[Network, ...]
    rate_token: int
    rate_anonymous: int
    job_slots: int
    demo: bool
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
    return settings


def _value(setting: Setting, given: Mapping[str, str]) -> Any:
    text = given.get(setting.name, "").strip() or setting.default
    try:
        return setting.read(text)
    except ValueError as fault:
        raise SettingsError(f"{setting.name}: {fault}") from None
