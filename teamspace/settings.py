"""Settings: one table of SERVICE_* names, read from the environment or a .env file, checked at start.

An unknown SERVICE_* name or a bad value stops the start with a line that says which.
"""

import ipaddress
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values

from teamspace.core.addresses import Network


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


def _token(text: str) -> str:
    if text and len(text) < 24:
        raise ValueError("must have at least 24 characters")
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
    Setting("SERVICE_TRUSTED_PROXIES",    _networks,                  "",          "Networks whose X-Forwarded-For is believed, separated by commas."),
    Setting("SERVICE_RATE_TOKEN",         _number(0, 1_000_000),      "1200",      "Requests a minute of one token; 0 is no limit."),
    Setting("SERVICE_RATE_ANONYMOUS",     _number(0, 1_000_000),      "100",       "Requests a minute of one address without a credential; 0 is no limit."),
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
    trusted_proxies: tuple[Network, ...]
    rate_token: int
    rate_anonymous: int
    log: str

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:{self.data / 'teamspace.sqlite'}"

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
    return settings


def _value(setting: Setting, given: Mapping[str, str]) -> Any:
    text = given.get(setting.name, "").strip() or setting.default
    try:
        return setting.read(text)
    except ValueError as fault:
        raise SettingsError(f"{setting.name}: {fault}") from None
