"""E-mail addresses of visitors: their syntax, one form for comparison, and domains that anyone can use for an hour."""

import re
import unicodedata

from disposable_email_domains import blocklist

MAX_ADDRESS = 254
_ADDRESS = re.compile(r"[^@\s\x00-\x20\x7f\"(),:;<>\[\\\]]{1,64}@(?=.{4,253}$)([^@\s.]{1,63}\.)+[^@\s.\d][^@\s.]{1,62}")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_DOTLESS = frozenset({"gmail.com", "googlemail.com"})
"""Providers that ignore dots before the @."""
_SAME = {"googlemail.com": "gmail.com"}


def is_address(text: str) -> bool:
    """Whether a text can be an e-mail address: no quoted names, no numeric hosts, a domain with a dot."""
    if len(text) > MAX_ADDRESS or not text.isprintable() or not _ADDRESS.fullmatch(text):
        return False
    name, _, domain = text.rpartition("@")
    if name.startswith(".") or name.endswith(".") or ".." in name:
        return False
    ascii_domain = _to_ascii(domain)
    return ascii_domain is not None and all(_LABEL.fullmatch(label) for label in ascii_domain.split("."))


def normalize(address: str) -> str:
    """Return one form for all spellings that reach the same mailbox: case, tags after +, dots where they do not count."""
    name, _, domain = unicodedata.normalize("NFKC", address).casefold().rpartition("@")
    domain = _to_ascii(domain) or domain
    domain = _SAME.get(domain, domain)
    name = name.partition("+")[0] or name
    return f"{name.replace('.', '') if domain in _DOTLESS else name}@{domain}"


def is_disposable(address: str) -> bool:
    """Whether the domain, or one above it, is of a provider of throw-away addresses."""
    domain = normalize(address).rpartition("@")[2]
    labels = domain.split(".")
    return any(".".join(labels[start:]) in blocklist for start in range(len(labels) - 1))


def _to_ascii(domain: str) -> str | None:
    if domain.isascii():
        return domain.lower()
    try:
        return domain.encode("idna").decode().lower()
    except UnicodeError:
        return None
