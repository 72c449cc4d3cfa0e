"""The sign-up page as HTML: complete without a script, which only sends it."""

import hashlib
from functools import cache, lru_cache
from html import escape
from importlib import resources

import msgspec

from teamspace import branding
from teamspace.branding import Branding, Theme
from teamspace.core.db import Reads
from teamspace.core.errors import NotFound, OrgSuspended, TenantSuspended
from teamspace.core.principal import Principal
from teamspace.onboarding import store
from teamspace.onboarding.domain import showing
from teamspace.onboarding.domain.counting import FunnelStep
from teamspace.onboarding.domain.signing_up import SignUps
from teamspace.onboarding.schemas.experience import ASSET_TOKENS, ASSET_URL, FieldType, PublicExperience, PublicField

_FILES = ("sdk.js", "page.css")
_NAMES = {"en": "English", "de": "Deutsch", "es": "Español", "is": "Íslenska", "nl": "Nederlands"}
_RIGHT_TO_LEFT = ("ar", "he", "fa", "ur")
_TEXTS = ("missing", "email", "tick", "sending", "failed", "rate", "slow")
"""The texts that the script needs."""
_CHECK = (
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"'
    ' stroke-linejoin="round" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-7"/></svg>'
)


@cache
def script() -> tuple[bytes, str]:
    """Return the SDK and its digest."""
    body = _file("sdk.js").encode()
    return body, hashlib.sha256(body).hexdigest()[:16]


async def render(db: Reads, who: Principal, sign_ups: SignUps, wanted: list[str], nonce: str = "") -> str:
    """Return the page that the visitors of a host see, in the first of the wanted languages that it is written in.

    It counts as a view: the page itself has all that its script would ask for.
    """
    brand = await branding.effective(db, who)
    try:
        found = await sign_ups.funnel.effective(db, who.call.host)
    except (NotFound, OrgSuspended, TenantSuspended):
        return _closed(brand, wanted, nonce)
    sign_ups.count_visit(who, found, FunnelStep.VIEWS)
    shown = showing.show(found.document, wanted)
    if not found.document.theme.keys() - set(ASSET_TOKENS):
        shown = msgspec.structs.replace(shown, theme=brand.theme, theme_dark=brand.theme_dark)
    sizes = {url: await _size(db, url) for url in (shown.logo, shown.hero) if url}
    return _page(shown, brand, sizes, nonce)


def _closed(brand: Branding, wanted: list[str], nonce: str) -> str:
    locale, words = showing.find_words(wanted)
    body = f'<h1>{escape(words["closed_title"])}</h1><p class="intro">{escape(words["closed"])}</p>'
    head = _head(locale, words["closed_title"], _style(brand.theme, brand.theme_dark, None), nonce, with_script=False)
    return f"{head}<main>{_brand(brand, None, {})}{body}</main></body></html>\n"


def _page(shown: PublicExperience, brand: Branding, sizes: dict[str, str], nonce: str) -> str:
    words = showing.words(shown.locale)
    style = _style(shown.theme, shown.theme_dark, shown.font_file)
    hero = f'<img class="hero" src="{escape(shown.hero)}" alt=""{sizes[shown.hero]}>' if shown.hero else ""
    intro = f'<p class="intro">{escape(shown.copy.intro)}</p>' if shown.copy.intro else ""
    return (
        _head(shown.locale, shown.copy.title, style, nonce, with_script=True, font_file=shown.font_file)
        + f"<main>{_brand(brand, shown.logo, sizes)}{hero}<h1>{escape(shown.copy.title)}</h1>{intro}"
        + _form(shown, words)
        + f'<div class="done" data-done hidden tabindex="-1">{_CHECK}<h2>{escape(words["done"])}</h2>'
        + f"<p>{escape(shown.copy.thanks)}</p></div></main>{_languages(shown, words)}</body></html>\n"
    )


def _head(
    locale: str, title: str, style: str, nonce: str, *, with_script: bool, font_file: str | None = None
) -> str:  # fmt: skip
    direction = ' dir="rtl"' if locale.partition("-")[0] in _RIGHT_TO_LEFT else ""
    marked = f' nonce="{nonce}"' if nonce else ""
    # Asked for at once, so that the text seldom changes its font after it is shown.
    font = f'<link rel="preload" href="{escape(font_file)}" as="font" crossorigin>' if font_file else ""
    script_tag = '<script src="/beta-sdk.js" defer></script>' if with_script else ""
    return (
        f'<!doctype html>\n<html lang="{escape(locale)}"{direction}><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>{font}<style{marked}>{style}</style>{script_tag}</head><body>"
    )


def _brand(brand: Branding, logo: str | None, sizes: dict[str, str]) -> str:
    if logo or brand.logo:
        url = logo or brand.logo or ""
        return f'<div class="brand"><img src="{escape(url)}" alt="{escape(brand.title)}"{sizes.get(url, "")}></div>'
    return f'<div class="brand">{escape(brand.title)}</div>'


def _form(shown: PublicExperience, words: dict[str, str]) -> str:
    texts = "".join(f' data-{name}="{escape(words[name])}"' for name in _TEXTS)
    fields = "".join(_field(field, words) for field in shown.fields)
    trap = (
        f'<div class="trap" aria-hidden="true"><label for="f-{shown.honeypot}">{escape(words["honeypot"])}</label>'
        f'<input id="f-{shown.honeypot}" name="{shown.honeypot}" tabindex="-1" autocomplete="off"></div>'
    )
    return (
        f'<form novalidate data-beta-form data-locale="{escape(shown.locale)}"{texts}>'
        '<div class="summary" data-summary role="alert" tabindex="-1" hidden>'
        f"<h2>{escape(words['summary'])}</h2><ul></ul></div>{fields}{trap}"
        f'<button type="submit">{escape(shown.copy.submit)}</button>'
        f'<p class="proof">{escape(words["proof"])}</p><noscript><p class="error">{escape(words["noscript"])}</p></noscript>'
        "</form>"
    )


def _field(field: PublicField, words: dict[str, str]) -> str:
    name = escape(field.name)
    required = ' required aria-required="true"' if field.required else ""
    common = f'id="f-{name}" name="{name}" aria-describedby="e-{name}"{required}'
    optional = "" if field.required else f' <span class="optional">({escape(words["optional"])})</span>'
    label = f'<label for="f-{name}">{escape(field.label)}{optional}</label>'
    error = f'<p class="error" id="e-{name}"></p>'
    if field.type is FieldType.CHECKBOX:
        return f'<div class="field"><div class="check"><input type="checkbox" {common}>{label}</div>{error}</div>'
    return f'<div class="field">{label}{_input(field, common, words)}{error}</div>'


def _input(field: PublicField, common: str, words: dict[str, str]) -> str:
    limit = f' maxlength="{field.max_length}"' if field.max_length else ""
    match field.type:
        case FieldType.TEXTAREA:
            return f'<textarea rows="4" {common}{limit}></textarea>'
        case FieldType.SELECT:
            options = "".join(
                f'<option value="{escape(option.value)}">{escape(option.label)}</option>' for option in field.options
            )
            return f'<select {common}><option value="">{escape(words["choose"])}</option>{options}</select>'
        case FieldType.EMAIL:
            return f'<input type="email" autocomplete="email" inputmode="email" {common}{limit}>'
    return f'<input type="text" {common}{limit}>'


def _languages(shown: PublicExperience, words: dict[str, str]) -> str:
    if len(shown.locales) < 2:
        return ""
    items = "".join(_language(locale, shown.locale) for locale in shown.locales)
    return f'<footer><nav aria-label="{escape(words["language"])}"><ul>{items}</ul></nav></footer>'


def _language(locale: str, current: str) -> str:
    name = f'lang="{escape(locale)}">{escape(_NAMES.get(locale, locale))}'
    if locale == current:
        return f'<li><span aria-current="true" {name}</span></li>'
    return f'<li><a href="?locale={escape(locale)}" {name}</a></li>'


async def _size(db: Reads, url: str) -> str:
    """Return the attributes that keep the place of a picture free until it is loaded."""
    row = await store.get_public_asset(db, url.removeprefix(ASSET_URL))
    return f' width="{row.width}" height="{row.height}"' if row and row.width and row.height else ""


def _style(light: Theme, dark: Theme, font_file: str | None) -> str:
    face = f'@font-face{{font-family:"Own";src:url("{font_file}");font-display:swap}}' if font_file else ""
    own = "Own" if font_file else ""
    return (
        f"{face}:root{{color-scheme:light;{branding.css_variables(light, own)}}}"
        f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{branding.css_variables(dark, own)}}}}}"
        f"{_file('page.css')}"
    )


@lru_cache(len(_FILES))
def _file(name: str) -> str:
    return (resources.files("teamspace.onboarding") / "page" / name).read_text(encoding="utf-8")
