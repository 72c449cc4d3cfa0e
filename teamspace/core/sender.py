"""Which page of a browser sent a request, for rules about forged ones."""

import msgspec


class Sender(msgspec.Struct, frozen=True):
    """Which page sent a request, by headers that a script of another site cannot set."""

    origin: str
    site: str
    """Sec-Fetch-Site: what the browser says of the page; empty in old browsers and without https."""
    host: str
    """Host, with its port."""
    requested_by: str
    """X-Requested-By: browsers ask before they send it to another origin, and are told no."""
    content_type: str
