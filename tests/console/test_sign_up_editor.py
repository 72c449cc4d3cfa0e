"""The editor of the sign-up page: languages, pictures and fonts, and criteria tried on those who signed up before."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance, picture
from tests.console.test_prospects import ADDRESS, NAME, publish
from tests.onboarding.help import document
from tests.onboarding.signing_up import WHY, solve
from tests.support.served import Served
from tests.support.world import PASSWORD

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/signup", "onboarding")]

FONT = Path(__file__).parents[2] / "console/node_modules/katex/dist/fonts/KaTeX_Typewriter-Regular.woff2"
LOADED = "[...document.fonts].filter(({ family }) => family.includes('Sign-up preview')).map(({ status }) => status)"

WIDTH = (
    "(node) => { const text = new Range(); text.selectNodeContents(node); return text.getBoundingClientRect().width; }"
)


def add_file(page: Page, name: str, data: bytes) -> Locator:
    """Upload a file; return its line in the list."""
    page.locator("input[type=file]").set_input_files(FilePayload(name=name, mimeType="", buffer=data))
    line = page.get_by_role("list", name="Pictures and fonts").get_by_role("listitem").filter(has_text=name)
    expect(line).to_be_visible()
    return line


def test_the_preview_has_the_font_of_the_page(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}/page")
        title = page.get_by_role("region", name="Preview").get_by_text("Join us")
        before = title.evaluate(WIDTH)
        add_file(page, "typewriter.woff2", FONT.read_bytes())
        page.get_by_label("Font file").select_option("typewriter.woff2")
        page.wait_for_function(f"() => ({LOADED}).join() === 'loaded'")
        assert title.evaluate(WIDTH) != before, "its letters are wider"
        page.get_by_label("Font file").select_option("None")
        page.wait_for_function(f"() => ({LOADED}).length === 0")


def test_a_file_is_deleted_unless_visitors_see_it(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}/page")
        logo, preview = page.get_by_label("Logo"), page.get_by_role("region", name="Preview")
        line = add_file(page, "ferry.png", picture())
        logo.select_option("ferry.png")
        expect(preview.locator("img")).to_be_visible()
        line.get_by_role("button", name="Delete ferry.png").click()
        dialog = page.get_by_role("dialog", name="Delete ferry.png")
        expect(dialog).to_contain_text("gone for good")
        dialog.get_by_role("button", name="Delete").click()
        expect(line).to_have_count(0)
        expect(logo).to_have_value("")
        expect(preview.locator("img")).to_have_count(0)
        line = add_file(page, "harbour.png", picture())
        logo.select_option("harbour.png")
        page.get_by_role("button", name="Save draft").click()
        page.get_by_role("button", name="Publish").click()
        page.get_by_role("dialog").get_by_role("button", name="Publish").click()
        expect(page.get_by_text("Sign-up page published")).to_be_visible()
        line.get_by_role("button", name="Delete harbour.png").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("The published sign-up page has this")
        expect(line).to_have_count(1)


def test_a_language_is_added_written_previewed_and_removed(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.operator) as page:
        page.goto(f"{ADDRESS}/page")
        preview, languages = (
            page.get_by_role("region", name="Preview"),
            page.get_by_role("group", name="Language").first,
        )
        page.get_by_placeholder("Add language").fill("Icelandic")
        page.get_by_role("option", name=re.compile("Icelandic")).first.click()
        expect(languages.get_by_role("radio", name="Icelandic")).to_be_checked()
        expect(preview, "what is not written comes from another language").to_contain_text("Join us")
        page.get_by_label("Title").fill("Vertu með")
        questions = page.get_by_role("list", name="Questions").get_by_role("listitem")
        questions.first.get_by_label("Question").fill("Netfang")
        expect(preview).to_contain_text("Vertu með")
        expect(preview).to_contain_text("Netfang")
        languages.get_by_text("English", exact=True).click()
        expect(preview).to_contain_text("E-mail")
        page.get_by_role("button", name="Save draft").click()
        expect(page.get_by_text("Draft, not published.")).to_be_visible()
        shown = instance.call("GET", "/api/beta/experience?preview=1&locale=is", token=instance.operator)
        assert (shown["locale"], shown["copy"]["title"], shown["fields"][0]["label"]) == ("is", "Vertu með", "Netfang")
        languages.get_by_text("Icelandic", exact=True).click()
        page.get_by_role("button", name="Remove Icelandic").click()
        page.get_by_role("dialog", name="Remove Icelandic?").get_by_role("button", name="Remove").click()
        expect(languages.get_by_role("radio", name="Icelandic")).to_have_count(0)
        expect(preview).not_to_contain_text("Netfang")


def test_a_team_admin_without_a_company_role_finds_no_closed_door(browser: Browser, instance: Instance) -> None:
    publish(instance)
    with window(browser, instance.url, token=instance.session("admin")) as page:
        page.goto(f"{ADDRESS}/page")
        settle(page)
        company = page.get_by_role("navigation", name="Settings").get_by_role("group", name="Company")
        expect(company.get_by_role("link")).to_have_text(["Sign-up"])
        company.get_by_role("link").click()
        settle(page)
        hrefs = "links => links.map((link) => link.getAttribute('href')).filter((href) => href.startsWith('/app'))"
        addresses = {each for link in ("", "/page") for each in _links(page, f"{ADDRESS}{link}", hrefs)}
        assert f"{ADDRESS}/page" in addresses and ADDRESS in addresses
        for address in addresses:
            page.goto(address)
            settle(page)
            expect(page.get_by_text("You don’t have access")).to_have_count(0)


def _links(page: Page, address: str, script: str) -> list[str]:
    page.goto(address)
    settle(page)
    found: list[str] = page.locator("main a").evaluate_all(script)
    return [each.partition("?")[0] for each in found]


# Replay


@contextmanager
def judging() -> Iterator[str]:
    """A model server that accepts those whose answer has the last word of the criteria; returns its host and port."""

    class Judge(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send({"object": "list", "data": []})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            system, user = (message["content"] for message in body["messages"])
            why, wanted = json.loads(user)["fields"]["why"], system.split()[-1]
            reason = {"criterion": wanted, "field": "why", "quote": wanted if wanted in why else why}
            verdict = {"decision": "accept" if wanted in why else "decline", "score": 50, "reasons": [reason]}
            message = {"role": "assistant", "content": json.dumps(verdict)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
            self.send({"id": "1", "object": "chat.completion", "model": "judge", "choices": [choice], "usage": usage})

        def send(self, answer: object) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Judge) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


WISHES = {"Ida": "We run ferries.", "Ole": "We repair cranes.", "Pia": "We have ferries and cranes."}


def sign_up_all(served: Served, token: str) -> None:
    """Sign up those with wishes, and wait until all are judged."""
    for name, why in WISHES.items():
        fields = {"email": f"{name.lower()}@harbour.example", "name": name, "why": why}
        pow = solve(served.call("GET", "/api/beta/challenge"))
        served.call("POST", "/api/beta/signup", {"fields": fields, "pow": pow, "locale": "en"})
    for _ in range(600):
        if len(advice(served, token)) == len(WISHES):
            return
        time.sleep(0.1)
    raise AssertionError("not judged")


def advice(served: Served, token: str) -> dict[str, str]:
    items = served.call("GET", "/api/beta/prospects", token=token)["items"]
    return {item["fields"]["name"]: item["verdict"]["decision"] for item in items if item["verdict"]}


def test_other_criteria_are_tried_before_they_are_published(
    browser: Browser, serve: Callable[..., AbstractContextManager[Served]]
) -> None:
    with judging() as address:
        model = {"SERVICE_MODEL_URL": f"http://{address}/v1", "SERVICE_MODEL": "judge", "SERVICE_EGRESS_ALLOW": address}
        with serve("sqlite", **model) as served:
            token = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
            body = document("Join us", NAME, WHY, judge_prompt="Accept who writes of ferries")
            served.call("PUT", "/api/beta/experience", body, token=token)
            served.call("POST", "/api/beta/experience/publish", {}, token=token)
            sign_up_all(served, token)
            before = advice(served, token)
            assert before == {"Ida": "accept", "Ole": "decline", "Pia": "accept"}
            with window(browser, served.url, token=token) as page:
                page.goto(f"{ADDRESS}/page")
                page.get_by_label("What to look for").fill("Accept who writes of cranes")
                page.get_by_role("button", name="Try on past sign-ups").click()
                expect(page.get_by_text("The advice would differ for 2 of 3 sign-ups.")).to_be_visible()
                flips = page.get_by_role("status").get_by_role("listitem")
                expect(flips).to_have_text(["Ole Decline → Accept", "Ida Accept → Decline"])
                page.goto(str(flips.last.get_by_role("link").get_attribute("href")))
                expect(page.get_by_role("article", name="Ida")).to_contain_text("We run ferries.")
            assert advice(served, token) == before, "nothing is stored"
