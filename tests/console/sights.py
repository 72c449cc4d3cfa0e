"""Everything there is to look at: every screen, the main dialogs, the states a screen can be in, and the entrance."""

from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import FilePayload, Page, Route, expect

from tests.console import screens
from tests.console.browser import settle, sign_in, visit
from tests.console.stage import GUARDED, PASSWORD, Stage
from tests.console.writing import editor, write

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
        if self.act is loses_the_server:
            page.route("**/api/audit*", lambda route: route.abort())
            page.route("**/health", lambda route: route.abort())
        address = stage.placed(self.address)
        if self.act is None and address.startswith("/app/") and is_at_rest(page):
            visit(page, address.removeprefix("/app"))
        else:
            page.goto(address)
            settle(page)
        if self.act:
            self.act(page, stage)


def is_at_rest(page: Page) -> bool:
    """A screen without a dialog and without an editor: another can take its place without a page being loaded."""
    return "/app/" in page.url and "edit=" not in page.url and not page.locator("[role=dialog]").count()


FAILURE = {
    "type": "urn:teamspace:problem:internal", "title": "Something failed here", "status": 500, "code": "internal",
    "detail": "It is not your fault. The server has kept what it needs to find the cause.",
    "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347782",
}  # fmt: skip

FULL = {
    "type": "urn:teamspace:problem:storage_full", "title": "No room", "status": 507, "code": "storage_full",
    "detail": "The company has no room left.", "request_id": "01a1de2d-91ef-7000-81db-fdd3b7347783",
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
    edits(page, stage)
    old = stage.read(stage.handover)
    stage.rewrite(stage.handover, old.replace("**Tuesday**", "**Wednesday**"))
    write(page, " Or on Thursday.")
    expect(page.get_by_role("dialog")).to_be_visible()
    stage.rewrite(stage.handover, old)


def edits(page: Page, _: Stage) -> None:
    expect(editor(page)).to_be_visible()


def sets_side_by_side(page: Page, _: Stage) -> None:
    """On a phone there is one text all the same."""
    expect(page.get_by_role("region", name="Changes")).to_be_visible()
    choice = page.get_by_text("Side by side")
    if choice.is_visible():
        choice.click()


def uploads(page: Page, _: Stage) -> None:
    """One file comes up, one is there already, and one is too much."""
    page.route("**/api/repo/**/plan.bin*", lambda route: route.fulfill(status=507, json=FULL))
    page.set_input_files(
        "input[data-what=files]",
        [
            FilePayload(name="tides.csv", mimeType="text/csv", buffer=b"hour,level\n06:00,1.2\n"),
            FilePayload(name="plan.bin", mimeType="", buffer=b"0123456789"),
            FilePayload(name="pier-2.md", mimeType="text/markdown", buffer=b"# Pier 2, once more\n"),
        ],
    )
    expect(page.get_by_role("button", name="Keep both")).to_be_visible()
    expect(page.get_by_text("The company has no room left.")).to_be_visible()


def shares(page: Page, _: Stage) -> None:
    presses("Share", "Share “pier-2.md”")(page, _)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Who has access").click()
    expect(dialog.get_by_text("Owner")).to_be_visible()


def asks_for_code(page: Page, stage: Stage) -> None:
    sign_in(page, GUARDED.username, PASSWORD)
    expect(page.get_by_label("Code")).to_be_visible()


def fails(page: Page, _: Stage) -> None:
    expect(page.get_by_role("alert")).to_be_visible()


def loses_the_server(page: Page, _: Stage) -> None:
    expect(page.get_by_role("status").filter(has_text="Can’t reach the server. Retrying…")).to_be_visible()


def makes_a_key(page: Page, _: Stage) -> None:
    """Down to the secret."""
    limits_a_key(page, _)
    page.get_by_role("dialog").get_by_role("button", name="Create key").click()
    expect(page.get_by_role("dialog", name="Secret for Nightly backup")).to_be_visible()


def limits_a_key(page: Page, _: Stage) -> None:
    presses("New key", "New S3 key")(page, _)
    page.get_by_label("Name", exact=False).fill("Nightly backup")
    page.get_by_label("Read and write").check()
    page.get_by_label("Limit to folder").fill("backups/")


def asks_for_a_link(page: Page, _: Stage) -> None:
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Public link").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def looks_for(words: str) -> Callable[[Page, Stage], None]:
    """By the box in the frame; on a phone the key leads to the screen."""

    def act(page: Page, _: Stage) -> None:
        page.keyboard.press("/")
        expect(page.locator("input:focus")).to_be_visible()
        page.keyboard.type(words)
        expect(page.locator("mark").first).to_be_visible()

    return act


def at_work(route: Route) -> None:
    """One job that runs, one that waits, and one that is done."""
    states = ("running", "queued", "succeeded")
    since = "2026-11-16T09:00:00Z"
    times = {"created_at": since, "started_at": since, "finished_at": since}
    jobs = [{"view": "outline", "id": f"job-{state}", "kind": "ai.chat", "state": state, **times} for state in states]
    wanted = [job for job in jobs if f"state={job['state']}" in route.request.url or "state=" not in route.request.url]
    route.fulfill(json={"items": wanted, "next_cursor": None})


def opens_activity(page: Page, _: Stage) -> None:
    """On a phone it is behind More."""
    page.route("**/api/jobs?*", at_work)
    page.reload()
    settle(page)
    opens_more(page, _)
    page.get_by_role("button", name="Activity").last.click()
    expect(page.get_by_role("link", name="All jobs")).to_be_visible()


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
SCREENS = tuple(Sight(_name(screen.path), "/app" + screen.address(screen.of.upper())) for screen in screens.SCREENS)
SIGHTS = (
    *SCREENS,
    Sight("note-editor",         "/app/notes/NOTE?edit=true", act=edits),
    Sight("note-conflict",       "/app/notes/NOTE?edit=true", act=collides),
    Sight("note-share",          "/app/notes/NOTE",           act=presses("Share", "Share “Harbour handover”")),
    Sight("document-editor",     "/app/documents/DOCUMENT?edit=true", act=edits),
    Sight("document-sides",      "/app/documents/DOCUMENT/versions?version=1", act=sets_side_by_side),
    Sight("document-share",      "/app/documents/DOCUMENT",   act=presses("Share", "Share “Winter timetable”")),
    Sight("documents-empty",     "/app/documents",            "org_admin"),
    Sight("files-folder",        "/app/files?in=reports/"),
    Sight("files-nothing",       "/app/files?in=new/"),
    Sight("home-guest",          "/app/",                     "guest"),
    Sight("files-shared",        "/app/files?show=shared",    "guest"),
    Sight("files-new-folder",    "/app/files",                act=presses("New folder")),
    Sight("files-tray",          "/app/files?in=reports/",    act=uploads),
    Sight("file-image",          "/app/files/PICTURE"),
    Sight("file-old-version",    "/app/files/FILE?version=1"),
    Sight("file-share",          "/app/files/FILE",           act=shares),
    Sight("members-invite",      "/app/settings/team/people",          act=presses("Invite person")),
    Sight("connect-empty",       "/app/settings/team/connect",         "org_admin"),
    Sight("connect-new",         "/app/settings/team/connect",         act=limits_a_key),
    Sight("connect-secret",      "/app/settings/team/connect",         "admin", makes_a_key),
    Sight("connect-revoke",      "/app/settings/team/connect",         act=presses("Revoke Scanner at pier 2", "Revoke Scanner at pier 2?")),
    Sight("file-link",           "/app/files/FILE",                    act=asks_for_a_link),
    Sight("file-link-unkeyed",   "/app/files/FILE",                    "viewer", asks_for_a_link),
    Sight("tokens-new",          "/app/settings/team/tokens",          act=presses("New token")),
    Sight("account-factor",      "/app/settings/me/account",           act=presses("Set up", "Two-factor authentication")),
    Sight("companies-new",       "/app/settings/instance/companies",   act=presses("New company")),
    Sight("jobs-new",            "/app/settings/team/jobs",            act=presses("Ask a model")),
    Sight("executors-new",       "/app/settings/instance/executors",   act=presses("New executor")),
    Sight("usage-try",           "/app/settings/team/usage",           act=presses("Test the quota")),
    Sight("search-results",      "/app/search?q=pier"),
    Sight("search-nothing",      "/app/search?q=zeppelin"),
    Sight("search-box",          "/app/",                     act=looks_for("pier")),
    Sight("palette",             "/app/",                     act=types("Control+k")),
    Sight("keys",                "/app/",                     act=types("?")),
    Sight("more",                "/app/",                     act=opens_more),
    Sight("activity",            "/app/",                     act=opens_activity),
    Sight("settings-member",     "/app/settings",             "member"),
    Sight("state-empty",         "/app/",                     "org_admin"),
    Sight("state-refused",       "/app/settings/team/audit",                "guest"),
    Sight("state-missing",       "/app/notes/01890000-0000-7000-8000-000000000000"),
    Sight("state-nowhere",       "/app/nowhere"),
    Sight("state-unreachable",   "/app/settings/team/audit",                act=loses_the_server),
    Sight("state-failed",        "/app/settings/team/audit",                act=fails),
    Sight("entrance-sign-in",    "/login",                    ""),
    Sight("entrance-code",       "/login",                    "", asks_for_code),
    Sight("entrance-activate",   "/activate#ts_x_0000",       ""),
)
# fmt: on
