"""Everything there is to look at: every screen, the main dialogs, the states a screen can be in, and the entrance."""

from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Page, expect

from tests.console.browser import settle, sign_in, write
from tests.console.screens import SCREENS
from tests.console.stage import GUARDED, PASSWORD, Stage

WIDTHS = {1440: 900, 390: 844}
SCHEMES = ("light", "dark")


class Sight(NamedTuple):
    name: str
    address: str
    who: str = "operator"
    """Nobody is signed in where it is empty."""
    act: Callable[[Page, Stage], None] | None = None
    """What it takes to see it, once the address is open."""

    def show(self, page: Page, stage: Stage) -> None:
        if self.act is fails:
            page.route("**/api/audit*", lambda route: route.fulfill(status=500, json=FAILURE))
        page.goto(self.address.replace("NOTE", stage.handover))
        settle(page)
        if self.act:
            self.act(page, stage)


FAILURE = {
    "type": "urn:teamspace:problem:internal", "title": "Something failed here", "status": 500, "code": "internal",
    "detail": "It is not your fault. The server has kept what it needs to find the cause.",
    "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347782",
}  # fmt: skip


def presses(name: str, dialog: str = "") -> Callable[[Page, Stage], None]:
    """A button that opens a dialog."""

    def act(page: Page, _: Stage) -> None:
        page.get_by_role("button", name=name).first.click()
        expect(page.get_by_role("dialog", name=dialog or name)).to_be_visible()

    return act


def types(key: str) -> Callable[[Page, Stage], None]:
    def act(page: Page, _: Stage) -> None:
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()

    return act


def collides(page: Page, stage: Stage) -> None:
    """Somebody else saves while one writes."""
    body = page.get_by_label("Text of the note, in Markdown")
    expect(body).to_be_visible()
    old = stage.read(stage.handover)
    stage.rewrite(stage.handover, old.replace("**Tuesday**", "**Wednesday**"))
    write(page, " Or on Thursday.")
    expect(page.get_by_role("dialog")).to_be_visible()
    stage.rewrite(stage.handover, old)


def edits(page: Page, _: Stage) -> None:
    expect(page.get_by_label("Text of the note, in Markdown")).to_be_visible()


def asks_for_code(page: Page, stage: Stage) -> None:
    sign_in(page, GUARDED.username, PASSWORD)
    expect(page.get_by_label("Code")).to_be_visible()


def fails(page: Page, _: Stage) -> None:
    expect(page.get_by_role("alert")).to_be_visible()


def opens_more(page: Page, _: Stage) -> None:
    """The rail of a phone; where there is room it is there already."""
    more = page.get_by_role("button", name="More", exact=True)
    if more.is_visible():
        more.click()
        expect(page.get_by_role("dialog", name="More")).to_be_visible()


def _name(path: str) -> str:
    return path.strip("/").replace("/", "-").replace("$", "one-") or "home"


# fmt: off
FIRST_RUN = Sight("entrance-first-run", "/", "")
SIGHTS = (
    *(Sight(_name(screen.path), "/app" + screen.address("NOTE")) for screen in SCREENS),
    Sight("note-editor",         "/app/notes/NOTE?edit=true", act=edits),
    Sight("note-conflict",       "/app/notes/NOTE?edit=true", act=collides),
    Sight("note-share",          "/app/notes/NOTE",           act=presses("Share", "Share “Harbour handover”")),
    Sight("members-invite",      "/app/members",              act=presses("Invite somebody")),
    Sight("tokens-new",          "/app/tokens",               act=presses("New token")),
    Sight("account-factor",      "/app/account",              act=presses("Set up", "Second factor")),
    Sight("companies-new",       "/app/instance/companies",   act=presses("New company")),
    Sight("jobs-new",            "/app/jobs",                 act=presses("Try a model")),
    Sight("executors-new",       "/app/instance/executors",   act=presses("New executor")),
    Sight("usage-try",           "/app/usage",                act=presses("Try the quota")),
    Sight("palette",             "/app/",                     act=types("Control+k")),
    Sight("keys",                "/app/",                     act=types("?")),
    Sight("more",                "/app/",                     act=opens_more),
    Sight("state-empty",         "/app/",                     "org_admin"),
    Sight("state-refused",       "/app/audit",                "guest"),
    Sight("state-missing",       "/app/notes/01890000-0000-7000-8000-000000000000"),
    Sight("state-nowhere",       "/app/nowhere"),
    Sight("state-failed",        "/app/audit",                act=fails),
    Sight("entrance-sign-in",    "/login",                    ""),
    Sight("entrance-code",       "/login",                    "", asks_for_code),
    Sight("entrance-activate",   "/activate#ts_x_0000",       ""),
)
# fmt: on
