"""The built console: its page with the branding of the hostname, its files and its message catalogs."""

import base64
import hashlib
import html
import re
import secrets
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec

from teamspace import branding
from teamspace.branding import Branding, Theme
from teamspace.core.content_types import find_content_type
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.localization import CatalogCache

_FILES = "teamspace.console"
_CATALOG_TYPE = "application/json"
_SUFFIXES = {"br": ".br", "gzip": ".gz"}
"""Of the compressed files of the build, the smallest first."""
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_HEAD = re.compile(r"<title>.*?</title>", re.DOTALL)
_SCRIPT = re.compile(rb'<script type="module">(.*?)</script>', re.DOTALL)
_FRAME_POLICY = (
    "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline';"
    " img-src data: blob:; font-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
FONTS = {
    "inter": '"Inter Variable", system-ui, sans-serif',
    "system": "system-ui, sans-serif",
    "serif": 'Charter, "Iowan Old Style", Georgia, serif',
    "mono": '"JetBrains Mono Variable", ui-monospace, monospace',
}
NOT_BUILT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Teamspace</title>
</head>
<body>
<main>
<h1>Teamspace</h1>
<p>The server is running without its console: it is built when the package is installed from a checkout.
The API is described at <a href="/api/docs">/api/docs</a>.</p>
</main>
</body>
</html>
"""


class File(msgspec.Struct, frozen=True):
    body: bytes
    content_type: str
    encoding: str | None


async def page(db: Db, who: Principal, catalogs: CatalogCache) -> tuple[bytes, str]:
    """Return the page with the branding of its hostname, and the nonce of its style element."""
    nonce = secrets.token_urlsafe(16)
    brand = await branding.effective(db, who)
    names = await catalogs.names(db)
    template = _template() or NOT_BUILT
    return _HEAD.sub(lambda _: _head(brand, nonce, names), template, count=1).encode(), nonce


@cache
def frame() -> tuple[bytes, str]:
    """Return the page in which a bundle runs, and its policy: an origin of its own, no network, no script but ours and
    what ours was given.
    """
    body = (resources.files(_FILES) / "frame.html").read_bytes()
    (script,) = _SCRIPT.findall(body)
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    return body, _FRAME_POLICY.format(digest=digest)


async def file(db: Db, catalogs: CatalogCache, path: str, encodings: frozenset[str]) -> File:
    """Return a file of the build or a message catalog; its name contains a digest of its content, so it never changes."""
    if not _NAME.fullmatch(path):
        raise NotFound()
    packed = "gzip" in encodings
    catalog = await catalogs.read(db, path, packed=packed)
    if catalog is not None:
        return File(catalog, _CATALOG_TYPE, "gzip" if packed else None)
    return _built(path, tuple(encoding for encoding in _SUFFIXES if encoding in encodings))


@lru_cache(maxsize=512)
def _built(path: str, encodings: tuple[str, ...]) -> File:
    """Return a file of the build: the same bytes for everyone, so that many slow readers of a large one cost no memory."""
    found = _static() / "assets" / path
    content_type = find_content_type(path)
    if content_type is None or not found.is_file():
        raise NotFound()
    for encoding in encodings:
        compressed = _static() / "assets" / f"{path}{_SUFFIXES[encoding]}"
        if compressed.is_file():
            return File(compressed.read_bytes(), content_type, encoding)
    return File(found.read_bytes(), content_type, None)


def _static() -> Traversable:
    return resources.files(_FILES) / "static"


def _template() -> str | None:
    found = _static() / "index.html"
    return found.read_text(encoding="utf-8") if found.is_file() else None


def _head(brand: Branding, nonce: str, catalogs: Mapping[str, str]) -> str:
    dark = ':root:root[data-mantine-color-scheme="dark"]'
    return (
        f"<title>{html.escape(brand.title)}</title>\n"
        f'<meta name="csp-nonce" content="{nonce}">\n'
        f'<meta name="catalogs" content="{html.escape(_addresses(catalogs))}">\n'
        f'<style nonce="{nonce}">:root:root{{{_variables(brand.theme)}}}{dark}{{{_variables(brand.theme_dark)}}}</style>'
    )


def _addresses(catalogs: Mapping[str, str]) -> str:
    """Where the words of each locale are."""
    return msgspec.json.encode({locale: f"/assets/{name}" for locale, name in catalogs.items()}).decode()


def _variables(theme: Theme) -> str:
    """Return the theme as CSS variables. Tokens were parsed and normalised when set: none can end the style."""
    colours = {
        f"--{name.replace('_', '-')}": value
        for name, value in msgspec.structs.asdict(theme).items()
        if name not in ("radius", "font")
    }
    rest = {"--radius": f"{theme.radius}px", "--font": FONTS[theme.font]}
    return ";".join(f"{name}:{value}" for name, value in {**colours, **rest}.items())
