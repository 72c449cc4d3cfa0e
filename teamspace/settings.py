"""Settings: one table of SERVICE_* names, read from the environment or a .env file and checked at start.

An unknown SERVICE_* name or an invalid value stops the start with a message that names it.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec
from dotenv import dotenv_values

from teamspace.core import egress, machine
from teamspace.core.addresses import Network

T = TypeVar("T")

_PORTS = {"http": 80, "https": 443}

MAX_MCP_SERVERS = 32
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SettingsError(Exception):
    """A setting is unknown or invalid; the message names it."""


class PushExecutor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model server that is configured here, not through the API."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,79}$")]
    url: str
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    key: Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,1000}$")] | None = None


class McpEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An MCP server whose tools teams can use: a program to start, or a URL."""

    name: str = ""
    type: Literal["stdio", "http", "streamable-http"] | None = None
    command: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: Path | None = None
    network: bool = False
    """Whether the program may use the network."""
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    """What the program may read and write, besides what every program may."""
    url: str | None = None
    headers: dict[str, str] = {}

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "http" if self.url else "stdio"


class _McpFile(msgspec.Struct, frozen=True):
    mcpServers: dict[str, dict[str, Any]]


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


def _number(minimum: int, maximum: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not minimum <= int(text) <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return int(text)

    return read


def _processes(text: str) -> int:
    if text == "auto":
        return machine.suitable_processes()
    try:
        return _number(1, 64)(text)
    except ValueError as fault:
        raise ValueError(f"{fault}, or auto") from None


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return read


def _blob_store(text: str) -> str:
    """Read the name of a blob store; which ones there are is known when the packages are loaded."""
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,63}", text):
        raise ValueError("must be a name such as rs3")
    return text


def _database(text: str) -> str:
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("must start with postgresql://, or be unset for SQLite in the data folder")
    _ = urlsplit(text).port  # raises ValueError if it is malformed
    return text


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())


def _address(text: str) -> str:
    if text and not text.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    _ = urlsplit(text).port  # raises ValueError if it is malformed
    return text.rstrip("/")


def _file(text: str) -> Path | None:
    if text and not Path(text).is_file():
        raise ValueError(f"there is no file {text}")
    return Path(text) if text else None


def _folders(text: str) -> tuple[Path, ...]:
    folders = tuple(Path(part.strip()) for part in text.split(",") if part.strip())
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"there is no folder {folder}")
    return folders


def _token(text: str) -> str:
    if text and len(text) < 24:
        raise ValueError("must have at least 24 characters")
    if not re.fullmatch(r"[!-+\--~]*", text):
        raise ValueError("must be ASCII without spaces and commas: it is sent in a header")
    return text


def _model_url(text: str) -> str:
    if text:
        _parse(egress.parse, text)
    return text.rstrip("/")


def _header(text: str) -> str:
    if not re.fullmatch(r"[!-~]*", text):
        raise ValueError("must be ASCII without spaces: it is sent in a header")
    return text


def _bucket(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{2,62}", text):
        raise ValueError("must be a bucket name: 3 to 63 letters, digits, dots, hyphens and underscores")
    return text


def _executors(text: str) -> tuple[PushExecutor, ...]:
    try:
        executors = msgspec.json.decode(text or "[]", type=tuple[PushExecutor, ...])
    except msgspec.DecodeError as fault:
        raise ValueError(f'must be a JSON list such as [{{"name": "gpu", "url": "https://..."}}]: {fault}') from None
    names = [executor.name.casefold() for executor in executors]
    if "local" in names or len(names) != len(set(names)):
        raise ValueError("must have a different name for each executor, and none called local")
    for executor in executors:
        _parse(egress.parse, executor.url)
    return tuple(msgspec.structs.replace(executor, url=executor.url.rstrip("/")) for executor in executors)


def _mcp_servers(text: str) -> tuple[McpEntry, ...]:
    """Read the configuration that MCP clients have, or the path of a file with it."""
    if not text:
        return ()
    if not text.startswith("{"):
        text = _read_text(text)
    try:
        entries = msgspec.json.decode(text, type=_McpFile).mcpServers
    except msgspec.DecodeError as fault:
        raise ValueError(f'must be JSON such as {{"mcpServers": {{"name": {{"command": "..."}}}}}}: {fault}') from None
    servers = tuple(_mcp_entry(name, entry) for name, entry in entries.items())
    names = [re.sub("[^a-z0-9]", "_", server.name.lower()) for server in servers]
    if len(names) != len(set(names)) or len(names) > MAX_MCP_SERVERS:
        raise ValueError(f"must have at most {MAX_MCP_SERVERS} servers, with names that differ in letters or digits")
    return servers


def _secrets(text: str) -> dict[str, str]:
    """Read secrets by name; their values must be fit for a header."""
    if not text:
        return {}
    try:
        found = msgspec.json.decode(text if text.startswith("{") else _read_text(text), type=dict[str, str])
    except msgspec.DecodeError as fault:
        raise ValueError(f'must be JSON such as {{"name": "value"}}: {fault}') from None
    for name, value in found.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name) or not re.fullmatch(r"[ -~]{1,4000}", value):
            raise ValueError(f"the secret {name[:100]!r}: its name or its value has characters that it cannot have")
    return found


def _read_text(path: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, ValueError) as fault:
        raise ValueError(f"must be JSON, or the path of a file: {fault}") from None


def _mcp_entry(name: str, entry: dict[str, Any]) -> McpEntry:
    try:
        server = msgspec.convert({**entry, "name": name}, McpEntry, dec_hook=_to_path)
        _check_mcp_entry(server)
    except ValueError as fault:
        raise ValueError(f"the server {name[:100]!r}: {fault}") from None
    return server


def _to_path(_: type, value: Any) -> Path:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.100} must be a path")
    return Path(value)


def _check_mcp_entry(server: McpEntry) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,39}", server.name):
        raise ValueError("its name must be 1 to 40 letters, digits, spaces, dots, hyphens and underscores")
    if (server.command is None) == (server.url is None):
        raise ValueError("must have either a command or a url")
    if server.type and (server.type == "stdio") != (server.url is None):
        raise ValueError(f"is not of the type {server.type}")
    if server.url:
        _parse(egress.parse, server.url)
        if server.args or server.env or server.cwd or server.network or server.read or server.write:
            raise ValueError("args, env, cwd, network, read and write are only for a command")
    elif server.headers:
        raise ValueError("headers are only for a url")
    for header, value in server.headers.items():
        if not re.fullmatch(r"[A-Za-z0-9-]+", header) or not re.fullmatch(r"[ -~]*", value):
            raise ValueError(f"the header {header!r} must be ASCII without line breaks")
    for variable, value in server.env.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable) or "\0" in value:
            raise ValueError(f"{variable!r} cannot be an environment variable")
    for path in (*server.read, *server.write, *([server.cwd] if server.cwd else ())):
        if not path.is_absolute() or not path.exists():
            raise ValueError(f"{path} must be an absolute path that exists")


def _experience(text: str) -> dict[str, Any] | None:
    """Read the file; what it says is checked by the package that knows what an experience is."""
    if not text:
        return None
    try:
        document: dict[str, Any] = msgspec.json.decode(Path(text).read_bytes(), type=dict[str, Any])
    except (OSError, ValueError) as fault:
        raise ValueError(f"must be a JSON file with an experience: {fault}") from None
    return document


def _executor_name(text: str) -> str:
    """Read the name of an executor; which ones there are is in the database, and changes."""
    if len(text) > 80 or not text.isprintable():
        raise ValueError("must be the name of an executor: at most 80 printable characters")
    return text


def _allow_list(text: str) -> frozenset[tuple[str, int]]:
    return frozenset(_parse(egress.parse_host_port, part.strip()) for part in text.split(",") if part.strip())


def _parse(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except egress.EgressRefused as fault:
        raise ValueError(f"{text} {fault}") from None


# fmt: off
SETTINGS = (
    #       name                          reads                       default      doc
    Setting("SERVICE_DATA",               Path,                       "./data",    "The data folder: database, secret key, files."),
    Setting("SERVICE_DATABASE_URL",       _database,                  "",          "postgresql://... for PostgreSQL; without it, SQLite in the data folder."),
    Setting("SERVICE_DATABASE_POOL",      _number(1, 200),            "10",        "PostgreSQL connections per process for reads, and as many for writes."),
    Setting("SERVICE_SQLITE_SYNC",        _one_of("full", "normal"),  "full",      "full syncs every acknowledged write to disk; with normal, a power cut may lose the last ones."),
    Setting("SERVICE_POSTGRES_SYNC",      _one_of("full", "any"),     "full",      "full refuses a PostgreSQL with fsync or full_page_writes off; any accepts it, for trials and for storage that makes both unnecessary."),
    Setting("SERVICE_BLOB_STORE",         _blob_store,                "rs3",       "Where blobs are stored: rs3 in the data folder, s3 in a bucket, or a plugin's store."),
    Setting("SERVICE_S3_URL",             _address,                   "",          "The URL of the S3 service, without the bucket."),
    Setting("SERVICE_S3_BUCKET",          _bucket,                    "",          "The name of the bucket, which must exist."),
    Setting("SERVICE_S3_REGION",          _header,                    "us-east-1", "The region for request signatures."),
    Setting("SERVICE_S3_KEY_ID",          _header,                    "",          "The id of the access key."),
    Setting("SERVICE_S3_SECRET",          _header,                    "",          "The secret of the access key."),
    Setting("SERVICE_DISK_FLOOR",         _number(0, 2**50),          "268435456", "Bytes to keep free on the data folder's disk: with less, uploads are refused and everything else works."),
    Setting("SERVICE_BLOB_RETENTION",     _number(0, 10 * 365 * 86400), "300",     "How many seconds unreferenced blobs are kept."),
    Setting("SERVICE_TRASH_DAYS",         _number(0, 3650),           "30",        "How many days deleted notes, documents and files can be restored; with 0 they are deleted at once."),
    Setting("SERVICE_JOB_DAYS",           _number(8, 3650),           "90",        "How many days jobs are kept after their end, with input and result; steps of workflows are kept with their run."),
    Setting("SERVICE_STAY_DAYS",          _number(0, 365),            "30",        "How many days a browser keeps a person signed in who asked for it; with 0 nobody can."),
    Setting("SERVICE_HOST",               str,                        "127.0.0.1", "The address to listen on."),
    Setting("SERVICE_PORT",               _number(1, 65535),          "8080",      "The port to listen on."),
    Setting("SERVICE_WORKERS",            _processes,                 "auto",      "Server processes; auto takes one per core, up to 4, if each has 1 GiB of memory."),
    Setting("SERVICE_BASE_URL",           _address,                   "",          "The public URL, for links; without it, built from host and port."),
    Setting("SERVICE_MULTITENANT",        _flag,                      "true",      "Whether more than one company can be created."),
    Setting("SERVICE_PROVISION_TOKEN",    _token,                     "",          "Turns on hosted mode; the token of the hosting provider."),
    Setting("SERVICE_BOOTSTRAP_CODE",     str,                        "",          "Required to create the first operator: set it if others can reach the instance before that."),
    Setting("SERVICE_SECRET_KEY",         str,                        "",          "The key that encrypts secrets at rest, 32 bytes in hexadecimal or base64; without it, a file in the data folder."),
    Setting("SERVICE_TLS_CERT",           _file,                      "",          "The certificate chain (PEM) for https; its private key is SERVICE_TLS_KEY."),
    Setting("SERVICE_TLS_KEY",            _file,                      "",          "The certificate's private key (PEM)."),
    Setting("SERVICE_TRUSTED_PROXIES",    _networks,                  "",          "Networks whose X-Forwarded-For and X-Forwarded-Host headers are trusted, separated by commas."),
    Setting("SERVICE_RATE_TOKEN",         _number(0, 1_000_000),      "1200",      "Requests per minute and token, besides uploads; 0 means no limit."),
    Setting("SERVICE_RATE_ANONYMOUS",     _number(0, 1_000_000),      "100",       "Requests per minute and address without a credential; 0 means no limit."),
    Setting("SERVICE_JOB_SLOTS",          _number(1, 1000),           "16",        "Concurrent jobs per kind and server process; one company gets at most half of them."),
    Setting("SERVICE_GRACE_SECONDS",      _number(0, 3600),           "0",         "How long a server that is stopping still accepts requests, while GET /ready answers 503: for load balancers."),
    Setting("SERVICE_STOP_SECONDS",       _number(1, 3600),           "30",        "How long a shutdown may take: unfinished requests are cancelled, and unfinished jobs return to the queue."),
    Setting("SERVICE_MODEL_URL",          _model_url,                 "",          "The model server of the local executor: an OpenAI-compatible URL up to /v1; without it, the simulated model."),
    Setting("SERVICE_MODEL",              str,                        "",          "The model name; without it, the model server's default."),
    Setting("SERVICE_MODEL_KEY",          _header,                    "",          "The API key of the model server."),
    Setting("SERVICE_EXECUTORS",          _executors,                 "",          'More model servers, as JSON: [{"name", "url", "model"?, "key"?}].'),
    Setting("SERVICE_MODEL_ROLE_CHAT",    _executor_name,             "",          "The shared executor that answers chats of teams that have not chosen one; without it, the local executor, or a push executor if only that has a model."),
    Setting("SERVICE_MODEL_ROLE_UTILITY", _executor_name,             "",          "The same for work in the background, such as extraction and translation drafts."),
    Setting("SERVICE_EGRESS_ALLOW",       _allow_list,                    "",          "host:port pairs, separated by commas, that may be called without https and in private networks."),
    Setting("SERVICE_PLUGINS",            _folders,                   "",          "Folders, separated by commas, with plugins besides those that ship: each is a plugin or contains plugins."),
    Setting("SERVICE_MCP_SERVERS",        _mcp_servers,               "",          'MCP servers whose tools teams can turn on: JSON such as {"mcpServers": {"time": {"command": "mcp-server-time"}}}, or the path of a file with it.'),
    Setting("SERVICE_SANDBOXED_PLUGINS",  _folders,                   "",          "Folders, separated by commas, with plugins that run in a sandbox: each is a plugin or contains plugins."),
    Setting("SERVICE_PLUGIN_SECRETS",     _secrets,                   "",          'Secrets that sandboxed plugins can have sent in headers, if an operator grants them, and never see: JSON such as {"rates": "..."}, or the path of a file with it.'),
    Setting("SERVICE_HOME",               _one_of("console", "beta"), "console",   "What / shows: the console, or the sign-up page; the console stays at /login."),
    Setting("SERVICE_BETA_EXPERIENCE",    _experience,                "",          "A JSON file with what the sign-up page asks before a team has published its own: fields, copy, theme and judge_prompt."),
    Setting("SERVICE_DEMO",               _flag,                      "false",     "Allows demo companies with known passwords on an instance that others can reach."),
    Setting("SERVICE_SIMULATE",           _flag,                      "false",     "For tests: [simulate:hang], [simulate:fail], [simulate:bad-json] and similar in a prompt control the simulated model."),
    Setting("SERVICE_LOG",                _one_of("text", "json"),    "text",      "The format of log lines."),
)
# fmt: on


class Settings(msgspec.Struct, frozen=True):
    """The parsed settings: one field per row of the table."""

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
    trash_days: int
    job_days: int
    stay_days: int
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
    grace_seconds: int
    stop_seconds: int
    model_url: str
    model: str
    model_key: str
    executors: tuple[PushExecutor, ...]
    model_role_chat: str
    model_role_utility: str
    egress_allow: frozenset[tuple[str, int]]
    plugins: tuple[Path, ...]
    mcp_servers: tuple[McpEntry, ...]
    sandboxed_plugins: tuple[Path, ...]
    plugin_secrets: dict[str, str]
    home: str
    beta_experience: dict[str, Any] | None
    demo: bool
    simulate: bool
    log: str

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:{self.data / 'teamspace.sqlite'}"

    @property
    def address(self) -> str:
        """The public URL, for links."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url or f"{scheme}://{host}:{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the instance by https."""
        return self.address.startswith("https:")

    @property
    def keeps_trash(self) -> bool:
        """Whether what is deleted can be restored for a while."""
        return self.trash_days > 0

    @property
    def own_addresses(self) -> frozenset[tuple[str, int]]:
        """Host and port where this server listens, and of its public URL."""
        parts = urlsplit(self.address)
        return frozenset({(self.host, self.port), (parts.hostname or "", parts.port or _PORTS[parts.scheme])})

    @property
    def hosted(self) -> bool:
        return bool(self.provision_token)

    @property
    def is_local_only(self) -> bool:
        """Whether the instance is only meant to be used on this machine."""
        reached = (self.host, urlsplit(self.address).hostname)
        return not self.hosted and not self.trusted_proxies and all(host in LOOPBACK for host in reached)

    @property
    def on_sqlite(self) -> bool:
        return not self.database_url


def load(environment: Mapping[str, str] | None = None, *, file: Path | None = None) -> Settings:
    """Read the settings; the environment overrides the .env file."""
    values = {name: value for name, value in dotenv_values(file or ".env").items() if value is not None}
    values |= os.environ if environment is None else environment
    known = {setting.name for setting in SETTINGS}
    unknown = sorted(name for name in values if name.startswith("SERVICE_") and name not in known)
    if unknown:
        raise SettingsError(f"{unknown[0]} is not a setting; `teamspace serve --help` lists them")
    settings = Settings(**{setting.field: _value(setting, values) for setting in SETTINGS})
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise SettingsError("SERVICE_TLS_CERT and SERVICE_TLS_KEY: set both or neither")
    if (settings.model or settings.model_key) and not settings.model_url:
        raise SettingsError("SERVICE_MODEL and SERVICE_MODEL_KEY need SERVICE_MODEL_URL")
    _check_bucket(settings)
    _check_urls(settings)
    return settings


def environment_with(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for another process: ours, with these settings instead of our own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    return {**others, **settings}


def _check_bucket(settings: Settings) -> None:
    if settings.blob_store == "s3":
        needed = ("SERVICE_S3_URL", "SERVICE_S3_BUCKET", "SERVICE_S3_KEY_ID", "SERVICE_S3_SECRET")
        values = {setting.name: getattr(settings, setting.field) for setting in SETTINGS}
        if missing := [name for name in needed if not values[name]]:
            raise SettingsError(f"SERVICE_BLOB_STORE: s3 needs {', '.join(missing)}")


def _check_urls(settings: Settings) -> None:
    """Check URLs of other servers as far as possible without the network; their health shows the rest."""
    client = egress.Egress(allow=settings.egress_allow, own=settings.own_addresses)
    local = [("SERVICE_MODEL_URL", settings.model_url)] if settings.model_url else []
    pushed = [("SERVICE_EXECUTORS", executor.url) for executor in settings.executors]
    tools = [("SERVICE_MCP_SERVERS", server.url) for server in settings.mcp_servers if server.url]
    for name, url in [*local, *pushed, *tools]:
        try:
            client.check(url, egress.NetworkReach.LISTED)
        except egress.EgressRefused as fault:
            raise SettingsError(f"{name}: {url} {fault}") from None


def _value(setting: Setting, values: Mapping[str, str]) -> Any:
    text = values.get(setting.name, "").strip() or setting.default
    try:
        return setting.read(text)
    except ValueError as fault:
        raise SettingsError(f"{setting.name}: {fault}") from None
