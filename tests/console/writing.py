"""Writing in the console, alone and two at a time: in notes and documents alike."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import window
from tests.console.stage import Stage

LINES = "Flour\n\nWater\n\nSalt\n"
# The way out of a conflict, and what is in the first line afterwards.
CHOICES = {
    "Keep mine": "Flour, wholemeal",
    "Keep theirs": "Flour, white",
    "Merge": "Flour, wholemeal\nFlour, white",
}


def collide(ann: Page, priya: Page) -> Locator:
    """Both write into the first line of what both have open: the dialog in which whoever came second is asked."""
    write(ann, ", white")
    expect(saved(ann, 2)).to_be_visible()
    write(priya, ", wholemeal")
    dialog = priya.get_by_role("dialog", name="Edit conflict in “Bread”")
    for words in ("Flour, white", "Flour, wholemeal"):
        expect(dialog.get_by_role("region", name="Changes")).to_contain_text(words)
    for way in CHOICES:
        expect(dialog.get_by_role("button", name=way)).to_be_visible()
    return dialog


def choose(dialog: Locator, choice: str) -> None:
    dialog.get_by_role("button", name=choice).click()
    if choice == "Merge":
        dialog.get_by_role("button", name="Save merge").click()
    expect(dialog).to_have_count(0)
    expect(saved(dialog.page, 2 if choice == "Keep theirs" else 3)).to_be_visible()


@contextmanager
def opened_by_both(browser: Browser, stage: Stage, address: str) -> Iterator[tuple[Page, Page]]:
    """The same text, which begins with flour, under the hands of two people, each in a window of their own."""
    with (
        window(browser, stage.url, token=stage.session("operator")) as one,
        window(browser, stage.url, token=stage.session("member")) as other,
    ):
        for page in (one, other):
            page.goto(f"{address}?edit=true")
            expect(editor(page)).to_contain_text("Flour")
        yield one, other


def editor(page: Page) -> Locator:
    """The text of the note or document that is being written."""
    return page.get_by_label(re.compile(r"^(Note|Document) text, in Markdown$"))


def write(page: Page, words: str) -> None:
    """Add words to the end of the first line, which may be wrapped, and save them."""
    editor(page).click()
    for key in ("Control+Home", "End", "End"):
        editor(page).press(key)
    page.keyboard.type(words)
    page.keyboard.press("Control+s")


def saved(page: Page, version: int) -> Locator:
    return page.get_by_role("toolbar").get_by_text(f"Saved · version {version}").first
