"""Every screen in languages with long words, and in one that is written from right to left."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Browser, Page, Route

from teamspace.core.messages import Messages, catalogs
from tests.console.browser import window
from tests.console.instance import Instance
from tests.console.views import SCREENS, WIDTHS, View

MIRRORED = "ar-XB"
"""The pseudo-locale that Android and others use for right to left."""
LOCALES = (MIRRORED, *(locale for locale in sorted(catalogs()) if locale != "en"))
# Elements that reach out of the page, unless they are in something that scrolls or cuts.
OUTSIDE = """() => {
    const cuts = (one) => getComputedStyle(one).overflowX !== 'visible'
    const isCut = (one) => { for (let up = one.parentElement; up && up !== document.body; up = up.parentElement) if (cuts(up)) return true }
    const outside = ({ left, right, width }) => width > 0 && (left < -1 || right > innerWidth + 1)
    const found = [...document.querySelectorAll('body *')].filter((one) => outside(one.getBoundingClientRect()))
        .filter((one) => one.checkVisibility() && !one.closest('.sr-only, svg, [aria-hidden]') && !isCut(one))
    const main = document.querySelector('main')
    if (main.scrollWidth > main.clientWidth + 1) found.push(main)
    return found.slice(0, 5).map((one) => one.outerHTML.slice(0, 160))
}"""
HEADING = """() => {
    const main = document.querySelector('main')
    const heading = [...main.querySelectorAll('h1, h2')].find((one) => one.checkVisibility())
    // The heading of a bar comes after the way to it, whose arrow or first step is at the edge, not its box.
    const bar = heading.closest('[role=toolbar]')
    const first = bar ? [...bar.children].find((one) => one.checkVisibility()) : heading
    const gutter = parseInt(getComputedStyle(document.documentElement).getPropertyValue('--gutter'))
    const edge = Math.round(main.getBoundingClientRect().right - first.getBoundingClientRect().right)
    return [bar && edge >= gutter - 12 && edge <= gutter ? gutter : edge, gutter]
}"""


def _cases() -> Iterator[ParameterSet]:
    for view in SCREENS:
        for locale in LOCALES:
            yield pytest.param(
                view, locale, marks=pytest.mark.about(f"console/{view.feature}"), id=f"{view.name}-{locale}"
            )


@pytest.fixture(scope="module")
def window_in(browser: Browser, instances: Callable[[str], Instance]) -> Iterator[Callable[[str, str], Page]]:
    """One window per person and language."""
    instance = instances("sqlite")

    def open_window(who: str, locale: str) -> Page:
        token = instance.session(who) if who else ""
        page = windows.enter_context(window(browser, instance.url, token=token))
        body = json.dumps({"locale": locale, "chain": [locale, "en"], "messages": _messages(locale)})
        page.route("**/catalog-*.json", lambda route: _answer(route, body))
        page.route("**/api/i18n/catalog*", lambda route: _answer(route, body))
        return page

    with ExitStack() as windows:
        yield cache(open_window)


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("view", "locale"), list(_cases()))
def test_a_screen_fits_and_begins_where_lines_begin(
    window_in: Callable[[str, str], Page], sqlite_instance: Instance, view: View, locale: str
) -> None:
    page = window_in(view.who, locale)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        view.show(page, sqlite_instance)
        assert page.evaluate("document.documentElement.lang") == locale
        assert not page.evaluate(OUTSIDE), f"reaches out of the page at {width} pixels"
        if locale == MIRRORED:
            assert page.evaluate("document.documentElement.dir") == "rtl"
            edge, gutter = page.evaluate(HEADING)
            assert edge == gutter, f"the heading isn't at the right edge at {width} pixels"


def _messages(locale: str) -> Messages:
    english = catalogs()["en"]
    if locale != MIRRORED:
        return {namespace: texts | catalogs()[locale].get(namespace, {}) for namespace, texts in english.items()}
    return {namespace: {key: f"عربي {text} نص" for key, text in texts.items()} for namespace, texts in english.items()}


def _answer(route: Route, body: str) -> None:
    route.fulfill(body=body, content_type="application/json")
