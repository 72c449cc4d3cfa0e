"""The windows of the tests: they share cached assets and nothing else."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = pytest.mark.sampled(8)

LEAVE_TRACES = """async () => {
    localStorage.setItem('trace', 'yes')
    sessionStorage.setItem('trace', 'yes')
    document.cookie = 'trace=yes; max-age=3600'
    await new Promise((resolve) => { indexedDB.open('trace').onsuccess = resolve })
    await (await caches.open('trace')).put('/trace', new Response('yes'))
}"""
FIND_TRACES = """async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cookies: document.cookie,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    clipboard: (await navigator.permissions.query({ name: 'clipboard-read' })).state,
    online: navigator.onLine,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    size: [innerWidth, innerHeight],
})"""
NETWORK_BYTES = """() => performance.getEntriesByType("resource")
    .filter(({ name }) => name.includes("/assets/")).reduce((sum, { transferSize }) => sum + transferSize, 0)"""


def test_a_window_has_no_traces_of_the_one_before(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, empty_cache=True) as page:
        untouched = traces(page)
    with window(browser, sqlite_instance.url, token="a", scheme="dark", width=500, expected="") as page:
        context = page.context
        page.goto("/login")
        page.evaluate(LEAVE_TRACES)
        context.grant_permissions(["clipboard-read"])
        page.route("**/*", lambda route: route.abort())
        context.set_offline(True)
    with window(browser, sqlite_instance.url) as page:
        assert page.context is context
        assert traces(page) == untouched


def test_a_window_finds_assets_in_the_cache_unless_it_must_be_empty(
    browser: Browser, sqlite_instance: Instance
) -> None:
    loaded = {}
    for empty_cache in (False, False, True):
        with window(browser, sqlite_instance.url, empty_cache=empty_cache) as page:
            page.goto("/login")
            settle(page)
            loaded[empty_cache] = page.evaluate(NETWORK_BYTES)
    assert loaded[False] == 0 < loaded[True]


def test_windows_open_at_once_are_separate(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url) as one, window(browser, sqlite_instance.url) as other:
        one.goto("/login")
        one.evaluate(LEAVE_TRACES)
        assert traces(other)["local"] == []


def test_a_window_after_a_failure_starts_anew(browser: Browser, sqlite_instance: Instance) -> None:
    with pytest.raises(AssertionError, match="thrown"), window(browser, sqlite_instance.url) as page:
        context = page.context
        page.goto("/login")
        page.evaluate("setTimeout(() => { throw Error('thrown') })")
        settle(page)
    with window(browser, sqlite_instance.url) as page:
        assert page.context is not context


def traces(page: Page) -> dict[str, Any]:
    page.goto("/login")
    found: dict[str, Any] = page.evaluate(FIND_TRACES)
    return found
