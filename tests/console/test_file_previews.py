"""Previews of files: tables, code, sound and moving pictures."""

import io
import re
import wave

import pytest
from playwright.sync_api import Browser, Page, Response, expect

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


def test_versions_of_a_table_are_compared_by_words(browser: Browser, sqlite_instance: Instance) -> None:
    file = sqlite_instance.upload("shown/tides.csv", b"day;time\nMonday;11:50\nTuesday;12:40\n", "member")
    sqlite_instance.upload("shown/tides.csv", b"day;time\nMonday;12:10\nTuesday;12:40\n", "member")
    picture = sqlite_instance.upload("shown/two.png", b"not compared", "member")
    sqlite_instance.upload("shown/two.png", b"neither", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), width=390) as page:
        page.goto(f"/app/files/{file}?version=1")
        expect(page.get_by_role("region", name="Table")).to_contain_text("11:50")
        page.get_by_role("radiogroup", name="View").get_by_text("Changes").click()
        changes = page.get_by_role("region", name="Changes")
        expect(changes.locator("del")).to_have_text("removed: 11:50")
        expect(changes.locator("ins")).to_have_text("added: 12:10")
        page.reload()
        expect(changes.locator("ins")).to_have_text("added: 12:10")
        page.goto(f"/app/files/{picture}?version=1")
        expect(page.get_by_role("button", name="Restore version 1")).to_be_visible()
        expect(page.get_by_role("radiogroup", name="View")).to_have_count(0)


RECORD = """async () => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 48 });
  const pen = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm;codecs=vp8" });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  for (let frame = 0; frame < 30; frame++) {
    pen.fillStyle = `hsl(${frame * 12} 80% 50%)`;
    pen.fillRect(0, 0, 64, 48);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  recorder.stop();
  await ended;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}"""
"""Films some colours."""


PLAY = """(player, from) => new Promise((resolve, reject) => {
  player.muted = true;
  player.currentTime = from;
  player.addEventListener("timeupdate", () => player.currentTime > from + 0.2 && resolve());
  player.play().catch(reject);
})"""


def sound(seconds: int) -> bytes:
    written = io.BytesIO()
    with wave.open(written, "wb") as out:
        out.setparams((1, 2, 44_100, 0, "NONE", ""))
        out.writeframes(bytes(88_200 * seconds))
    return written.getvalue()


def follow_ranges(page: Page) -> list[str]:
    """Collect which ranges of content are asked for and sent."""
    seen: list[str] = []

    def note(response: Response) -> None:
        if "/api/repo-media/" in response.url:
            seen.append(f"{response.request.headers.get('range')} {response.status}")

    page.on("response", note)
    return seen


def test_a_long_sound_is_played_from_anywhere_without_being_loaded_whole(
    browser: Browser, sqlite_instance: Instance
) -> None:
    size = len(content := sound(600))
    tone = sqlite_instance.upload("shown/tone.wav", content, "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        ranges = follow_ranges(page)
        page.goto(f"/app/files/{tone}")
        player = page.locator("audio[aria-label='Preview of tone.wav']")
        expect(player).to_have_js_property("duration", 600)
        player.evaluate(PLAY, 500)
        assert ranges[0] == "bytes=0- 206"
        starts = [int(asked.partition("=")[2].partition("-")[0]) for asked in ranges]
        assert max(starts) > size // 2, ranges


def test_a_film_is_played_and_goes_on_when_its_address_has_ended(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto("/app/files")
        film = sqlite_instance.upload("shown/colours.webm", bytes(page.evaluate(RECORD)), "member")
        ranges = follow_ranges(page)
        page.goto(f"/app/files/{film}")
        player = page.locator("video[aria-label='Preview of colours.webm']")
        expect(player).to_have_js_property("videoWidth", 64)
        player.evaluate(PLAY, 0)
        assert ranges[0] == "bytes=0- 206"
        first = player.evaluate("player => { player.pause(); return player.src }")
        # As if the server no longer took the address.
        player.evaluate("player => { player.src = player.src.slice(0, -2) + 'AA' }")
        expect(player).not_to_have_js_property("src", first)
        expect(player).to_have_js_property("videoWidth", 64)
        player.evaluate(PLAY, 0)


def test_a_broken_film_says_so(browser: Browser, sqlite_instance: Instance) -> None:
    film = sqlite_instance.upload("shown/broken.mp4", b"No film at all", "member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/files/{film}")
        expect(page.get_by_role("heading", name="Your browser can’t play this file")).to_be_visible()
