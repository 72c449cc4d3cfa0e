"""Previews of files: tables, code, sound and moving pictures."""

import io
import re
import wave

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser import window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/repository", "repository")]


def test_a_table_shows_its_first_rows_below_its_head(browser: Browser, sqlite_instance: Instance) -> None:
    lines = ["name;ships", '"Pier; old";3', *(f"pier {number};{number}" for number in range(2_000))]
    file = sqlite_instance.upload("shown/piers.csv", "\n".join(lines).encode(), "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{file}")
        table = page.get_by_role("region", name="Table")
        expect(table.get_by_role("columnheader")).to_have_text(["name", "ships"])
        expect(table.get_by_role("cell").first).to_have_text("Pier; old")
        expect(table.get_by_role("row")).to_have_count(1_001)
        expect(page.get_by_text("The first 1,000 rows are shown.")).to_be_visible()


def test_code_is_coloured_and_a_long_text_is_cut(browser: Browser, sqlite_instance: Instance) -> None:
    code = sqlite_instance.upload(
        "shown/wait.py", b"def wait(ships: int) -> int:\n    return ships  # hours\n", "member"
    )
    log = sqlite_instance.upload("shown/long.txt", b"A line of a log.\n" * 40_000, "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{code}")
        text = page.get_by_role("region", name="File text")
        expect(text).to_contain_text("def wait(ships: int)")
        expect(text.locator("span", has_text=re.compile("^def$"))).to_be_visible()
        page.goto(f"/app/files/{log}")
        expect(page.get_by_text("The first 500 kB are shown.")).to_be_visible()


def test_sound_is_played_and_a_broken_film_says_so(browser: Browser, sqlite_instance: Instance) -> None:
    sound = io.BytesIO()
    with wave.open(sound, "wb") as out:
        out.setparams((1, 2, 8_000, 0, "NONE", ""))
        out.writeframes(bytes(16_000))
    tone = sqlite_instance.upload("shown/tone.wav", sound.getvalue(), "member")
    film = sqlite_instance.upload("shown/broken.mp4", b"No film at all", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{tone}")
        player = page.locator("audio[aria-label='Preview of tone.wav']")
        expect(player).to_be_visible()
        expect(player).to_have_js_property("duration", 1)
        page.goto(f"/app/files/{film}")
        expect(page.get_by_role("heading", name="Your browser can’t play this file")).to_be_visible()
