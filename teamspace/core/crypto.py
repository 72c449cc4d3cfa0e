"""Secrets: tokens that are shown once, and values sealed at rest to the row they belong to."""

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
    """The key does not open what is stored."""


# Tokens


def new_token(kind: str) -> str:
    """`kind` is one letter: s session, a API, w worker, v activation."""
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LENGTH))
    return f"ts_{kind}_{body}{_check(body)}"


def well_formed(token: str) -> bool:
    """Cheap and without a database: a mistyped or invented token ends here."""
    return (
        len(token) == TOKEN_LENGTH
        and token.startswith("ts_")
        and _check(token[5:-_CHECK_LENGTH]) == token[-_CHECK_LENGTH:]
    )


def digest(token: str) -> str:
    """What is stored of a token. It has more than 112 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(given: str, expected: str) -> bool:
    """Equal, in a time that tells nothing."""
    return hmac.compare_digest(digest(given), digest(expected))


def _check(body: str) -> str:
    number, text = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK_LENGTH):
        number, rest = divmod(number, len(_ALPHABET))
        text = _ALPHABET[rest] + text
    return text


# Values at rest


class Vault:
    """AES-256-GCM. `place` (table, column and row id) is bound in, so a ciphertext opens in its own row only."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise WrongKey("the secret key must be 32 bytes")
        self._cipher = AESGCM(key)
        self._mac_key = hmac.digest(key, b"teamspace mac key", "sha256")
        self._key_id = hashlib.sha256(b"teamspace key id" + key).hexdigest()[:8]

    def seal(self, place: str, value: bytes) -> str:
        nonce = os.urandom(12)
        sealed = nonce + self._cipher.encrypt(nonce, value, place.encode())
        return f"v1:{self._key_id}:{base64.b64encode(sealed).decode()}"

    def open(self, place: str, sealed: str) -> bytes:
        version, _, rest = sealed.partition(":")
        key_id, _, text = rest.partition(":")
        if version != "v1" or key_id != self._key_id:
            raise WrongKey("this was sealed with another key")
        try:
            data = base64.b64decode(text)
            return self._cipher.decrypt(data[:12], data[12:], place.encode())
        except (InvalidTag, ValueError) as fault:
            raise WrongKey("this does not open with the key, or not in this place") from fault

    def mac(self, purpose: str, value: bytes) -> bytes:
        """Proof that whoever held the key made this value, for this purpose and no other: 32 bytes."""
        return hmac.digest(self._mac_key, purpose.encode() + b"\0" + value, "sha256")


def load_key(given: str | None, folder: Path) -> bytes:
    """The key from the settings (64 hex digits or base64), else from a file that is made at the first start."""
    if given:
        return parsed_key(given)
    file = folder / KEY_FILE
    if not file.exists():
        _make(file)
    return _read_key(file)


def parsed_key(text: str) -> bytes:
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
    return parsed_key(file.read_text(errors="replace").strip())


def _make(file: Path) -> None:
    """A new key, whole or not at all: written apart, then linked to its name unless another server was first."""
    draft = _drafted(file, new_key())
    with contextlib.suppress(FileExistsError):
        os.link(draft, file)
    draft.unlink()
    sync_folder(file.parent)


def _drafted(file: Path, key: bytes) -> Path:
    draft = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(key.hex() + "\n")
        out.flush()
        os.fsync(out.fileno())
    return draft


# A change of the key file: the next key is on disk before anything is sealed with it, and takes the name after


def announce_key(folder: Path, key: bytes) -> None:
    _drafted(folder / KEY_FILE, key).rename(folder / NEXT_KEY_FILE)
    sync_folder(folder)


def announced_key(folder: Path) -> bytes | None:
    """The next key, if there is one; by itself it proves nothing: a change may have been broken off."""
    try:
        return _read_key(folder / NEXT_KEY_FILE)
    except (FileNotFoundError, WrongKey):
        return None


def adopt_key(folder: Path) -> None:
    """The next key becomes the key, unless somebody else has just seen to that."""
    with contextlib.suppress(FileNotFoundError):
        (folder / NEXT_KEY_FILE).rename(folder / KEY_FILE)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """A new file survives a power cut only once its folder entry does."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
