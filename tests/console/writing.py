"""Helpers for editing notes and documents, by one or two people."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import window
from tests.console.instance import Instance

LINES = "Flour\n\nWater\n\nSalt\n"
# The choice in a conflict, and the first line afterwards.
CHOICES = {
    "Keep mine": "Wholemeal",
    "Keep theirs": "White",
    "Merge": "Wholemeal\nWhite",
}


def collide(ann: Page, priya: Page) -> Locator:
    """Both replace the same word; return the conflict dialog of the second one."""
    replace_first_line(ann, "White")
    expect(saved(ann, 2)).to_be_visible()
    replace_first_line(priya, "Wholemeal")
    dialog = priya.get_by_role("dialog", name="Edit conflict in “Bread”")
    for text in ("White", "Wholemeal"):
        expect(dialog.get_by_role("region", name="Changes")).to_contain_text(text)
    for choice in CHOICES:
        expect(dialog.get_by_role("button", name=choice)).to_be_visible()
    return dialog


def choose(dialog: Locator, choice: str) -> None:
    dialog.get_by_role("button", name=choice).click()
    if choice == "Merge":
        dialog.get_by_role("button", name="Save merge").click()
    expect(dialog).to_have_count(0)
    expect(saved(dialog.page, 2 if choice == "Keep theirs" else 3)).to_be_visible()


def lose_events(page: Page) -> None:
    """Keep the page from following the server, from its next load on: without that, two people seldom collide."""
    page.route("**/api/events", lambda route: route.abort())


@contextmanager
def opened_by_both(
    browser: Browser, instance: Instance, address: str, *, live: bool = True
) -> Iterator[tuple[Page, Page]]:
    """The editor of the same text, opened by two people in separate windows; unless `live`, without events."""
    with (
        window(browser, instance.url, token=instance.session("operator")) as first,
        window(browser, instance.url, token=instance.session("member")) as second,
    ):
        for page in (first, second):
            if not live:
                lose_events(page)
            page.goto(f"{address}?edit=true")
            expect(editor(page)).to_contain_text("Flour")
        yield first, second


def editor(page: Page) -> Locator:
    """The text field of the open note or document."""
    return page.get_by_label(re.compile(r"^(Note|Document) text, in Markdown$"))


def write(page: Page, text: str) -> None:
    """Append text to the first line, which may be wrapped, and save."""
    editor(page).click()
    for key in ("Control+Home", "End", "End"):
        editor(page).press(key)
    page.keyboard.type(text)
    page.keyboard.press("Control+s")


def replace_first_line(page: Page, text: str, *, save: bool = True) -> None:
    editor(page).click()
    for key in ("Control+Home", "Shift+End", "Shift+End"):
        editor(page).press(key)
    page.keyboard.type(text)
    if save:
        page.keyboard.press("Control+s")


def saved(page: Page, version: int | str = "") -> Locator:
    """What says that the text is saved, as this version or as any."""
    return page.get_by_role("toolbar").get_by_text(f"Saved · version {version}").first


def replace_text(page: Page, field: Locator, text: str) -> None:
    """Write over everything in a field with its own editor."""
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def leave_without_saving(page: Page) -> None:
    """Leave the console like a browser that crashes. A page that is left saves once more, on a busy machine so late
    that the server has restarted meanwhile."""
    page.evaluate("() => { window.fetch = () => new Promise(() => undefined) }")
    page.goto("about:blank")
