"""Secrets: tokens that are shown once, and values encrypted at rest and bound to their row."""

import base64
import binascii
import contextlib
import hashlib
import hmac
import os
import secrets
import zlib
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH, _CHECK_LENGTH = 30, 6  # 178 random bits, and enough for a CRC-32
TOKEN_LENGTH = len("ts_s_") + _RANDOM_LENGTH + _CHECK_LENGTH
KEY_FILE, NEXT_KEY_FILE = "secret.key", "secret.key.new"


class WrongKey(Exception):
    """The key is malformed, or does not decrypt the stored value."""


# Tokens


def new_token(kind: str) -> str:
    """Return a random token; `kind` is one letter: s session, a API, w worker, k kept sign-in, v activation."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LENGTH))
    return f"ts_{kind}_{body}{_check(body)}"


def is_well_formed(token: str) -> bool:
    """Check format and checksum; rejects mistyped and made-up tokens without a database query."""
    return (
        len(token) == TOKEN_LENGTH
        and token.startswith("ts_")
        and _check(token[5:-_CHECK_LENGTH]) == token[-_CHECK_LENGTH:]
    )


def digest(token: str) -> str:
    """Return the hash under which a token is stored. It has more than 112 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def constant_time_equal(actual: str, expected: str) -> bool:
    """Compare without leaking through timing where the texts differ."""
    return hmac.compare_digest(digest(actual), digest(expected))


def _check(body: str) -> str:
    number, text = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK_LENGTH):
        number, rest = divmod(number, len(_ALPHABET))
        text = _ALPHABET[rest] + text
    return text


# Values at rest


class Vault:
    """Encrypts with AES-256-GCM. `context` (table, column, row id) is authenticated: a value decrypts only in its row."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise WrongKey("the secret key must be 32 bytes")
        self._cipher = AESGCM(key)
        self._mac_key = hmac.digest(key, b"teamspace mac key", "sha256")
        self._key_id = hashlib.sha256(b"teamspace key id" + key).hexdigest()[:8]

    def encrypt(self, context: str, value: bytes) -> str:
        nonce = os.urandom(12)
        encrypted = nonce + self._cipher.encrypt(nonce, value, context.encode())
        return f"v1:{self._key_id}:{base64.b64encode(encrypted).decode()}"

    def decrypt(self, context: str, encrypted: str) -> bytes:
        version, _, rest = encrypted.partition(":")
        key_id, _, text = rest.partition(":")
        if version != "v1" or key_id != self._key_id:
            raise WrongKey("encrypted with another key")
        try:
            data = base64.b64decode(text)
            return self._cipher.decrypt(data[:12], data[12:], context.encode())
        except (InvalidTag, ValueError) as fault:
            raise WrongKey("does not decrypt: the value was changed, or belongs to another row") from fault

    def mac(self, purpose: str, value: bytes) -> bytes:
        """Return a 32-byte MAC: proves that the value was made with this key, for this purpose only."""
        return hmac.digest(self._mac_key, purpose.encode() + b"\0" + value, "sha256")


def load_key(configured: str | None, folder: Path) -> bytes:
    """Return the configured key (64 hex digits or base64), else that of the key file, created at the first start."""
    if configured:
        return parse_key(configured)
    file = folder / KEY_FILE
    if not file.exists():
        _create_key_file(file)
    return _read_key(file)


def parse_key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text) if len(text) == 64 else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise WrongKey("the secret key must be 64 hexadecimal digits, or 32 bytes in base64") from None
    if len(key) != 32:
        raise WrongKey("the secret key must be 64 hexadecimal digits, or 32 bytes in base64")
    return key


def new_key() -> bytes:
    return secrets.token_bytes(32)


def _read_key(file: Path) -> bytes:
    return parse_key(file.read_text(errors="replace").strip())


def _create_key_file(file: Path) -> None:
    """Create the key file atomically: written under another name, then linked unless another server was faster."""
    draft = _write_draft(file, new_key())
    with contextlib.suppress(FileExistsError):
        os.link(draft, file)
    draft.unlink()
    sync_folder(file.parent)


def _write_draft(file: Path, key: bytes) -> Path:
    draft = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(key.hex() + "\n")
        out.flush()
        os.fsync(out.fileno())
    return draft


# Key rotation: the next key is on disk before anything is encrypted with it, and replaces the key file afterwards


def stage_next_key(folder: Path, key: bytes) -> None:
    _write_draft(folder / KEY_FILE, key).rename(folder / NEXT_KEY_FILE)
    sync_folder(folder)


def staged_next_key(folder: Path) -> bytes | None:
    """Return the next key, if there is one. It may be unused: a rotation may have been interrupted."""
    try:
        return _read_key(folder / NEXT_KEY_FILE)
    except (FileNotFoundError, WrongKey):
        return None


def promote_next_key(folder: Path) -> None:
    """Rename the next key file to the key file, unless another process already has."""
    with contextlib.suppress(FileNotFoundError):
        (folder / NEXT_KEY_FILE).rename(folder / KEY_FILE)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Sync the folder: a new file survives a power cut only if its directory entry does."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
