"""Usage over time: charts with limit and forecast, read with pointer and keyboard, and the start of a history."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.instance import PASSWORD
from tests.console.past import invent_usage
from tests.support.served import Served

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/usage", "quota")]
USAGE = "/app/settings/team/usage"


@pytest.fixture(scope="module")
def team(serve: Serve) -> Iterator[tuple[Served, str]]:
    with serve("sqlite") as served:
        account = {"username": "ann", "display_name": "Ann", "password": PASSWORD}
        yield served, served.call("POST", "/api/bootstrap", account)["token"]


def test_a_new_team_sees_when_its_history_begins(browser: Browser, team: tuple[Served, str]) -> None:
    served, token = team
    with window(browser, served.url, token=token) as page:
        page.goto(USAGE)
        expect(page.get_by_role("heading", name="Your history starts today")).to_be_visible()
        page.get_by_text("48 hours").click()
        expect(page.get_by_role("img", name=re.compile("^AI requests"))).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_history_shows_its_limit_and_when_it_is_reached(
    browser: Browser, team: tuple[Served, str], width: int
) -> None:
    served, token = team
    invent_usage(served)
    served.call("POST", "/api/quota", {"dimension": "storage.bytes", "limit": 4 * 2**30, "window": "lifetime"}, token)
    with window(browser, served.url, token=token, width=width) as page:
        page.goto(USAGE)
        chart = page.get_by_role("figure", name="Storage")
        expect(chart).to_contain_text("Limit 4 GiB")
        expect(chart).to_contain_text(re.compile(r"At this pace, the limit is reached on \w+ \d+, \d{4}\."))
        assert page.get_by_role("figure").count() == 6
        read_days(page)
        chart.get_by_text("View as table").click()
        assert chart.get_by_role("row").count() == 31, "30 days and the head"
        page.get_by_text("90 days").click()
        expect(chart.get_by_role("row")).to_have_count(91)
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out"


def read_days(page: Page) -> None:
    """The arrow keys and the pointer read one day each."""
    slider = page.get_by_role("slider", name="Traffic out")
    slider.focus()
    newest = slider.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    before = slider.get_attribute("aria-valuetext")
    assert newest != before
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", newest or "")
    box = slider.bounding_box()
    assert box
    page.mouse.move(box["x"] + 2, box["y"] + 50)
    expect(slider).to_have_attribute("aria-valuenow", "0")
    page.mouse.move(0, 0)
    expect(slider).to_have_attribute("aria-valuenow", "29")
