"""Take the pictures of README.md: what a newcomer sees after five minutes.

python -m tests.console.readme_pictures [--out DIR]
"""

import argparse
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.console.browser import launch, settle, window
from tests.support.served import Served

WIDE, PHONE = (1440, 900), (390, 844)
COLOURS = 128
"""Of a picture; more are not seen, and cost bytes."""
PASSWORD = "a long phrase of your own"
NOTE = """The first ship of the season docks on Monday at **seven**. Whoever opens the gate also calls the pilot.

## Before it docks

- [x] Crane inspected
- [x] Berth 4 cleared
- [ ] Ask the customs office for a second officer

| Hour | Ship | Berth |
|------|------|-------|
| 7:00 | Aurora | 4 |
| 9:30 | Sea Otter | 2 |
| 14:00 | Northern Light | 4 |

> High water is at 6:42. The tide table is in [the files](/files).
"""
TEXTS = {
    "Harbour/Tide table 2026.csv": "day,high,low\n"
    + "\n".join(f"2026-06-{day:02},6:{day:02},12:{day:02}" for day in range(1, 30)),
    "Harbour/Crane manual.md": "# Crane manual\n\nCheck the brakes before every lift.\n" * 40,
    "Harbour/Letter to the port authority.txt": "Dear colleagues,\n\nthe new berth is ready.\n" * 30,
    "Harbour/Contracts/Pilot service.txt": "Contract\n" * 100,
    "Harbour/Contracts/Tugboats.txt": "Contract\n" * 120,
    "Harbour/Photos/Quay.txt": "Photo\n",
    "Accounts/Budget.csv": "item,amount\nfuel,1200\n",
}
TYPES = {"csv": "text/csv", "md": "text/markdown", "txt": "text/plain"}
PICTURES: dict[str, tuple[str, tuple[int, int, int], tuple[int, int, int]]] = {
    "Harbour/Quay at dawn.png": ("image/png", (238, 178, 128), (250, 226, 160)),
    "Harbour/Quay at night.png": ("image/png", (34, 46, 84), (236, 234, 208)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"))
    out: Path = parser.parse_args().out
    with (
        tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, launch(playwright) as browser,
        Served({"SERVICE_DATA": f"{folder}/data", "SERVICE_SQLITE_SYNC": "normal"}) as server,
    ):  # fmt: skip
        token, note = fill(server)
        take(browser, server.url, token, out / "home.png", home)
        take(browser, server.url, token, out / "notes.png", lambda page: write(page, note))
        take(browser, server.url, token, out / "files-dark.png", files, scheme="dark")
        take(browser, server.url, token, out / "phone.png", lambda page: write(page, note), size=PHONE)


def take(
    browser: Browser, url: str, token: str, path: Path, show: Callable[[Page], None], *,
    size: tuple[int, int] = WIDE, scheme: str = "light",
) -> None:  # fmt: skip
    width, height = size
    with window(browser, url, token=token, width=width, height=height, scheme=scheme) as page:
        show(page)
        taken = page.screenshot(animations="disabled")
    few = Image.open(io.BytesIO(taken)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size} bytes")


def home(page: Page) -> None:
    page.goto("/app/")
    settle(page)
    expect(page.get_by_role("region", name="Team activity")).to_contain_text("Bob Reed")


def write(page: Page, note: str) -> None:
    page.goto(f"/app/notes/{note}")
    expect(page.get_by_role("article")).to_contain_text("Before it docks")
    page.keyboard.press("e")
    expect(page.locator(".cm-content")).to_contain_text("Sea Otter")
    settle(page)


def files(page: Page) -> None:
    page.goto("/app/files?in=Harbour/")
    expect(page.get_by_role("grid").locator("img")).to_have_count(2)
    settle(page)


def fill(server: Served) -> tuple[str, str]:
    """Return the token of a person who has a team, a colleague, notes and files, and the id of a note."""
    first = {
        "username": "ann",
        "display_name": "Ann Brook",
        "password": PASSWORD,
        "org": "Acme Shipping",
        "team": "Harbour",
    }
    made = server.call("POST", "/api/bootstrap", first)
    token: str = made["token"]
    colleague = {
        "username": "bob", "display_name": "Bob Reed", "password": PASSWORD, "role": "member", "team_id": made["team"]["id"],
    }  # fmt: skip
    server.call("POST", "/api/org/members", colleague, token)
    bob: str = server.call("POST", "/api/login", {"username": "bob", "password": PASSWORD})["token"]
    note: str = _note(server, token, "First ship of the season", NOTE)
    _note(server, token, "Minutes of Thursday", "- The second crane is late.\n")
    _note(server, bob, "Who opens the gate", f"[@Ann Brook](/people/{made['user']['id']}) on Monday.\n")
    server.call(
        "POST", "/api/documents", {"title": "Safety on the quay", "body": "Wear a vest.", "visibility": "team"}, bob
    )
    for key, text in TEXTS.items():
        _upload(server, token, key, text.encode(), TYPES[key.rpartition(".")[2]])
    for key, (kind, sky, sun) in PICTURES.items():
        _upload(server, token, key, _landscape(sky, sun), kind)
    return token, note


def _note(server: Served, token: str, title: str, body: str) -> str:
    draft = {"title": title, "body": body, "visibility": "team"}
    made: str = server.call("POST", "/api/notes", draft, token)["id"]
    return made


def _upload(server: Served, token: str, key: str, body: bytes, content_type: str) -> None:
    headers = {"authorization": f"Bearer {token}", "content-type": content_type}
    path = f"/api/repo/{key.replace(' ', '%20')}?visibility=team"
    status, answer = server._request("PUT", path, body, headers)
    assert status == 201, answer


def _landscape(sky: tuple[int, int, int], sun: tuple[int, int, int]) -> bytes:
    image = Image.new("RGB", (640, 420), sky)
    draw = ImageDraw.Draw(image)
    draw.ellipse([380, 90, 520, 230], fill=sun)
    draw.rectangle([0, 280, 640, 420], fill=tuple(part * 2 // 3 for part in sky))
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


if __name__ == "__main__":
    main()
