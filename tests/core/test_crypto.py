"""Tokens and encrypted values."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from teamspace.core import crypto
from teamspace.core.crypto import Vault, WrongKey


def test_a_token_has_its_kind_and_a_checksum() -> None:
    tokens = {crypto.new_token("s") for _ in range(200)}
    assert len(tokens) == 200
    for token in tokens:
        assert token.startswith("ts_s_")
        assert crypto.is_well_formed(token)


@given(st.integers(5, 40), st.characters(codec="ascii", categories=["L", "N"]))
def test_a_mistyped_token_is_detected_without_the_database(position: int, letter: str) -> None:
    token = crypto.new_token("a")
    mistyped = token[:position] + letter + token[position + 1 :]
    assert crypto.is_well_formed(mistyped) is (mistyped == token)


@given(st.text(max_size=60))
def test_arbitrary_text_is_not_a_well_formed_token(text: str) -> None:
    assert not crypto.is_well_formed(text)


@given(st.binary(), st.text(max_size=50))
def test_an_encrypted_value_decrypts_only_in_its_own_context(value: bytes, context: str) -> None:
    vault = Vault(b"k" * 32)
    encrypted = vault.encrypt(context, value)
    assert vault.decrypt(context, encrypted) == value
    with pytest.raises(WrongKey):
        vault.decrypt(context + "x", encrypted)
    with pytest.raises(WrongKey):
        Vault(b"x" * 32).decrypt(context, encrypted)


def test_a_changed_ciphertext_does_not_decrypt() -> None:
    vault = Vault(b"k" * 32)
    encrypted = vault.encrypt("here", b"secret")
    changed = encrypted[:-6] + ("A" if encrypted[-6] != "A" else "B") + encrypted[-5:]
    with pytest.raises(WrongKey):
        vault.decrypt("here", changed)


def test_the_key_file_is_created_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    key = crypto.load_key(None, tmp_path)
    assert crypto.load_key(None, tmp_path) == key
    assert stat.S_IMODE((tmp_path / crypto.KEY_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["00" * 32, "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="])
def test_a_configured_key_is_hexadecimal_or_base64(tmp_path: Path, text: str) -> None:
    assert len(crypto.load_key(text, tmp_path)) == 32
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["short", "zz" * 32, "00" * 31, "=" * 44])
def test_a_malformed_key_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(WrongKey, match="64 hexadecimal digits"):
        crypto.load_key(text, tmp_path)
