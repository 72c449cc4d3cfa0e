"""The content security policy in a browser: scripts cannot turn text into markup."""

import pytest
from playwright.sync_api import Browser, Error, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

SINKS = (
    "document.body.innerHTML = '<b>x</b>'",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x>')",
    "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "document.createElement('script').text = 'x'",
    "document.createElement('iframe').srcdoc = '<b>x</b>'",
    "trustedTypes.createPolicy('another', {})",
)


def test_trusted_types_block_markup_from_text(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("operator"), expected="rust") as page:
        page.goto("/app/notes")
        settle(page)
        for sink in SINKS:
            with pytest.raises(Error, match=r"Trusted|Policy"):
                page.evaluate(sink)
        page.evaluate("document.createElement('style').innerHTML = 'a > b { color: red }'")


def test_the_storage_limit_is_shown_in_readable_units(browser: Browser, instance: Instance) -> None:
    limit = {"dimension": "storage.bytes", "limit": 5 * 1024**3, "window": "lifetime"}
    instance.call("POST", "/api/quota", limit, instance.operator)
    with window(browser, instance.url, token=instance.session("operator")) as page:
        page.goto("/app/settings/team/usage")
        settle(page)
        row = page.get_by_role("table", name="Team usage").get_by_role("row", name="Storage")
        expect(row.get_by_role("cell", name="5 GiB").first).to_be_attached()
