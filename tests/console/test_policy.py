"""The page's own policy, in a browser: text never becomes markup, whatever a script of the page tries."""

import pytest
from playwright.sync_api import Browser, Error, expect

from tests.console.browser import settle, window
from tests.console.stage import Stage

SINKS = (
    "document.body.innerHTML = '<b>x</b>'",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x>')",
    "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
    "document.createElement('script').text = 'x'",
    "document.createElement('iframe').srcdoc = '<b>x</b>'",
    "trustedTypes.createPolicy('another', {})",
)


def test_text_is_refused_as_markup_and_no_other_rule_can_be_made(browser: Browser, anywhere: Stage) -> None:
    with window(browser, anywhere.url, token=anywhere.session("operator"), expected="rust") as page:
        page.goto("/app/notes")
        settle(page)
        for sink in SINKS:
            with pytest.raises(Error, match=r"Trusted|Policy"):
                page.evaluate(sink)
        page.evaluate("document.createElement('style').innerHTML = 'a > b { color: red }'")


def test_room_for_files_is_shown_in_units_that_people_read(browser: Browser, stage: Stage) -> None:
    limit = {"dimension": "storage.bytes", "limit": 5 * 1024**3, "window": "lifetime"}
    stage.call("POST", "/api/quota", limit, stage.operator)
    with window(browser, stage.url, token=stage.session("operator")) as page:
        page.goto("/app/settings/team/usage")
        settle(page)
        row = page.get_by_role("table", name="Team usage").get_by_role("row", name="Storage")
        expect(row.get_by_role("cell", name="5 GiB").first).to_be_attached()
