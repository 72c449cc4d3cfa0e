"""The page of a public link as HTML, without a script."""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib import resources

import msgspec

from teamspace import branding, repository
from teamspace.blobs import BlobStore
from teamspace.branding import Branding
from teamspace.core import messages
from teamspace.core.db import Reads
from teamspace.core.messages import DEFAULT
from teamspace.links.domain import opening
from teamspace.links.domain.opening import SharedFile
from teamspace.links.domain.rendering import Renderings
from teamspace.repository import MARKDOWN, reading

WORDS = "link_page"
"""The namespace of the page's texts in the catalogs."""
_POLICY = (
    "default-src 'none'; style-src '{style}'; img-src 'self' data:; media-src 'self'; frame-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
MAX_SHOWN = 64 * 1024
"""Bytes of a text that the page shows."""
_TEXT_TYPES = ("application/json", "application/xml", "application/yaml", "application/toml")
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
_TAG = re.compile(r"[a-z]{2,3}")


class PublicPage(msgspec.Struct, frozen=True):
    """The HTML of a page, the same bytes each time, and its content security policy."""

    text: str
    policy: str


async def show_file(
    db: Reads, files: BlobStore, renderings: Renderings, shared: SharedFile, brand: Branding, languages: Iterable[str]
) -> PublicPage:
    locale, words = _words(languages)
    version = shared.version
    title = repository.shown_title(version)
    name, size = escape(title), _size(version.size)
    facts = size if title == version.filename else f"{escape(version.filename)} · {size}"
    body = (
        f'<header><h1>{name}</h1><p class="facts">{facts}</p></header>'
        f'<a class="button" href="/s/{shared.token}/content" download>{escape(words["download"])}</a>'
        + await _preview(db, files, renderings, shared, words)
    )
    return _page(locale, name, brand, f'<main class="wide">{_brand(brand)}{body}</main>')


def ask_password(token: str, brand: Branding, languages: Iterable[str], problem: str = "") -> PublicPage:
    """Return the form; `problem` is the key of a text that says why it is shown again."""
    locale, words = _words(languages)
    fault = f'<p class="error" id="problem" role="alert">{escape(words[problem])}</p>' if problem else ""
    described = ' aria-invalid="true" aria-describedby="problem"' if problem else ""
    form = (
        f'<form method="post" action="/s/{escape(token)}"><label for="password">{escape(words["password"])}</label>'
        f'<input id="password" name="password" type="password" autocomplete="off" required autofocus{described}>{fault}'
        f"<button>{escape(words['open'])}</button></form>"
    )
    title = escape(words["protected"])
    return _page(locale, title, brand, f"<main>{_brand(brand)}<h1>{title}</h1>{form}</main>")


def show_dead(brand: Branding, languages: Iterable[str]) -> PublicPage:
    locale, words = _words(languages)
    title = escape(words["dead"])
    text = f"<main>{_brand(brand)}<h1>{title}</h1><p>{escape(words['dead_why'])}</p></main>"
    return _page(locale, title, brand, text)


async def _preview(
    db: Reads, files: BlobStore, renderings: Renderings, shared: SharedFile, words: dict[str, str]
) -> str:
    kind, source = shared.version.content_type, f"/s/{shared.token}/content?view=1"
    label = escape(words["preview"])
    if kind == "application/pdf":
        return f'<iframe src="{source}" title="{label}"></iframe>'
    if kind.startswith("image/") and kind in reading.INLINE_TYPES:
        return f'<img class="preview" src="{source}" alt="{label}">'
    if kind in reading.MEDIA_TYPES:
        element = kind.partition("/")[0]
        return f'<{element} controls preload="metadata" src="{source}" aria-label="{label}"></{element}>'
    if kind.startswith("text/") or kind in _TEXT_TYPES:
        return await _text(db, files, renderings, shared, words)
    return ""


async def _text(db: Reads, files: BlobStore, renderings: Renderings, shared: SharedFile, words: dict[str, str]) -> str:
    text, version = await opening.read_beginning(db, files, shared, MAX_SHOWN), shared.version
    cut = f'<p class="facts">{escape(words["cut"])}</p>' if version.size > MAX_SHOWN else ""
    html = await renderings.render(files, version.id, text) if version.content_type == MARKDOWN and text else None
    if html is not None:
        return f"<article>{html}</article>{cut}"
    shown = escape(text.decode(errors="replace"))
    return f'<pre tabindex="0" role="region" aria-label="{escape(words["preview"])}">{shown}</pre>{cut}'


def _page(locale: str, title: str, brand: Branding, body: str) -> PublicPage:
    style = _style(brand)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = (
        f'<!doctype html>\n<html lang="{locale}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">'
        f"<title>{title} · {escape(brand.title)}</title><style>{style}</style></head>"
        f"<body>{body}</body></html>\n"
    )
    return PublicPage(text, _POLICY.format(style=f"sha256-{digest}"))


def _brand(brand: Branding) -> str:
    if brand.logo:
        return f'<div class="brand"><img src="{escape(brand.logo)}" alt="{escape(brand.title)}"></div>'
    return f'<div class="brand">{escape(brand.title)}</div>'


def _style(brand: Branding) -> str:
    light, dark = branding.css_variables(brand.theme), branding.css_variables(brand.theme_dark)
    return (
        f":root{{color-scheme:light;{light}}}@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}"
        + _css()
    )


@cache
def _css() -> str:
    return (resources.files("teamspace.links") / "page" / "page.css").read_text(encoding="utf-8")


def _words(languages: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return the first of the languages that the catalogs have, and the page's texts in it."""
    found = messages.catalogs()
    wanted = (match[0] for tag in languages if (match := _TAG.match(tag.lower())))
    locale = next((name for name in wanted if name in found), DEFAULT)
    return locale, found[DEFAULT][WORDS] | found[locale].get(WORDS, {})


def _size(size: int) -> str:
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit and number < 100 else f"{number:.0f} {_UNITS[unit]}"
