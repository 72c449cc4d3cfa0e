"""Where the server is, who calls it, and how long a call may take."""

import os
import platform
import ssl
from urllib.parse import urlsplit

import msgspec

from teamspace import __version__
from teamspace.client.retrying import Retry

USER_AGENT = f"teamspace-python/{__version__} (Python {platform.python_version()})"
TIMEOUT = 180.0
"""How long the server may be silent: a model may take two minutes to answer."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of a client."""

    url: str
    token: str
    timeout: float
    retry: Retry
    verify: ssl.SSLContext | bool

    def __repr__(self) -> str:
        """Leave out the token: this may be logged."""
        return f"Options(url={self.url!r}, timeout={self.timeout!r}, retry={self.retry!r})"

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token else {}


def read_options(
    url: str | None, token: str | None, timeout: float, retry: Retry, verify: ssl.SSLContext | bool
) -> Options:  # fmt: skip
    """Complete the arguments from the environment: TEAMSPACE_URL and TEAMSPACE_TOKEN."""
    address = (url or os.environ.get("TEAMSPACE_URL", "")).rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(
            f"the server's URL must begin with http:// or https://, not be {address!r}: pass it as an argument or set"
            " TEAMSPACE_URL"
        )
    secret = os.environ.get("TEAMSPACE_TOKEN", "") if token is None else token
    return Options(url=address, token=secret, timeout=timeout, retry=retry, verify=verify)
