"""Uploads of large files go on after a lost server, a pause and a reload."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.console.browser import settle, window
from tests.console.instance import PASSWORD
from tests.support.served import Served

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/repository", "repository")]

MIB = 1024 * 1024
SIZE = 26 * MIB
"""Four parts."""


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A large file in which no two parts are equal."""
    path = tmp_path / "film.bin"
    path.write_bytes(b"".join(bytes([number]) * MIB for number in range(SIZE // MIB)))
    return path


def test_an_upload_goes_on_when_a_killed_server_is_back(browser: Browser, fresh_server: Served, film: Path) -> None:
    token = signed_up(fresh_server)
    sent: list[str] = []

    def kill_instead(route: Route) -> None:
        fresh_server.kill()
        route.abort()

    with window(browser, fresh_server.url, token=token, expected="ERR_") as page:
        page.on(
            "requestfinished", lambda request: sent.append(request.url) if "/parts?number=" in request.url else None
        )
        page.goto("/app/files?in=films/")
        settle(page)
        page.route("**/parts?number=3", kill_instead)
        page.set_input_files("input[data-what=files]", film)
        expect(tray(page).get_by_text("Connection lost")).to_be_visible()
        page.unroute("**/parts?number=3")
        fresh_server.start()
        expect(tray(page).get_by_role("status")).to_have_text("1 file uploaded")
        expect(page.get_by_role("grid").get_by_role("link", name="film.bin")).to_be_visible()
    numbers = [url[-1] for url in sent]
    assert sorted(set(numbers)) == ["1", "2", "3", "4"] and numbers.count("1") == 1, "only what was lost is sent again"
    assert content(fresh_server, token) == film.read_bytes()


def test_an_upload_is_paused_and_resumed(browser: Browser, fresh_server: Served, film: Path) -> None:
    token = signed_up(fresh_server)
    with window(browser, fresh_server.url, token=token) as page:
        page.goto("/app/files?in=films/")
        settle(page)
        page.route("**/parts?number=2", lambda route: None)
        page.set_input_files("input[data-what=files]", film)
        tray(page).get_by_role("button", name="Pause film.bin").click()
        expect(tray(page).get_by_text("Paused")).to_be_visible()
        page.unroute("**/parts?number=2")
        tray(page).get_by_role("button", name="Resume film.bin").click()
        expect(tray(page).get_by_role("status")).to_have_text("1 file uploaded")
    assert content(fresh_server, token) == film.read_bytes()


def test_a_reload_needs_only_the_file_again(browser: Browser, fresh_server: Served, film: Path, tmp_path: Path) -> None:
    token = signed_up(fresh_server)
    other = tmp_path / "other" / "film.bin"
    other.parent.mkdir()
    other.write_bytes(b"Another film")
    with window(browser, fresh_server.url, token=token) as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto("/app/files?in=films/")
        settle(page)
        page.route("**/parts?number=3", lambda route: None)
        with page.expect_request("**/parts?number=3"):
            page.set_input_files("input[data-what=files]", film)
        page.reload()
        page.unroute("**/parts?number=3")
        expect(tray(page).get_by_text("Interrupted. Choose the file again to continue.")).to_be_visible()
        page.set_input_files("input[data-what=again]", other)
        expect(page.get_by_text("That isn’t the same file as film.bin.")).to_be_visible()
        page.set_input_files("input[data-what=again]", film)
        expect(tray(page).get_by_role("status")).to_have_text("1 file uploaded")
        assert page.evaluate("() => sessionStorage.getItem('teamspace.uploads')") is None
    assert content(fresh_server, token) == film.read_bytes()


def signed_up(server: Served) -> str:
    token: str = server.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    return token


def tray(page: Page) -> Locator:
    return page.get_by_role("region", name="Uploads")


def content(server: Served, token: str) -> bytes:
    (found,) = server.call("GET", "/api/repo?prefix=films/", token=token)["items"]
    status, body = server._request(
        "GET", f"/api/repo-obj/{found['id']}/content", None, {"authorization": f"Bearer {token}"}
    )
    assert status == 200
    return body
