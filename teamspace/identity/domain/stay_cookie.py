"""The cookie of a kept sign-in, as headers."""

from teamspace.core import clock
from teamspace.settings import Settings

EXCHANGE_PATH = "/api/login/resume"
"""The only route that reads the cookie."""


def name(settings: Settings) -> str:
    """Return the name. With this prefix, browsers accept the cookie from no other host of the domain."""
    return "__Host-stay" if settings.is_secure else "stay"


def keep(settings: Settings, value: str, expires_at: str) -> dict[str, str]:
    return _header(settings, value, max(0, int(clock.seconds(expires_at) - clock.now())))


def forget(settings: Settings) -> dict[str, str]:
    return _header(settings, "", 0)


def _header(settings: Settings, value: str, max_age: int) -> dict[str, str]:
    # The prefix requires the path /. Without https, other services on the host would be sent a cookie with that path.
    where = "Path=/; Secure" if settings.is_secure else f"Path={EXCHANGE_PATH}"
    return {"set-cookie": f"{name(settings)}={value}; {where}; Max-Age={max_age}; HttpOnly; SameSite=Strict"}
