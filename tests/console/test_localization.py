"""Languages in the console: a translator and a reviewer, the keys of the grid, and the review queue."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import settle, sign_in, window
from tests.console.instance import PASSWORD, Instance, Person

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/localization", "localization")]

TRANSLATOR, REVIEWER = Person("amara", "Amara Okafor", "translator"), Person("jonas", "Jonas Lind", "reviewer")
SECOND = Person("oona", "Oona Salmi", "translator")
LOCALE = "fi"


@pytest.fixture
def pair(instance: Instance) -> Iterator[Instance]:
    """An instance with two translators, a reviewer, and a language in which everything is missing."""
    members = instance.call("GET", "/api/members", token=instance.operator)["items"]
    for person in (TRANSLATOR, SECOND, REVIEWER):
        if person.username not in {member["username"] for member in members}:
            draft = {"username": person.username, "display_name": person.name, "password": PASSWORD}
            body = {**draft, "role": person.team_role, "team_id": instance.team["id"]}
            instance.call("POST", "/api/org/members", body, instance.operator)
    instance.call("POST", "/api/l10n/draft", {"locale": LOCALE}, instance.operator)
    yield instance


def find(instance: Instance, words: str) -> dict[str, Any]:
    """The first text with these words."""
    path = f"/api/l10n/messages?locale={LOCALE}&q={quote(words)}"
    message: dict[str, Any] = instance.call("GET", path, token=instance.operator)["items"][0]
    return message


def submit(instance: Instance, words: str, text: str) -> dict[str, Any]:
    """Propose a translation as the translator."""
    message = find(instance, words)
    token = instance.sign_in(TRANSLATOR.username)
    proposed: dict[str, Any] = instance.call("PUT", f"/api/l10n/messages/{message['id']}", {"text": text}, token)
    return proposed


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Finnish", exact=True)


def test_a_translator_and_a_reviewer_bring_a_text_to_everyone(browser: Browser, pair: Instance) -> None:
    with window(browser, pair.url) as page:
        sign_in(page, TRANSLATOR.username, PASSWORD)
        expect(page.get_by_role("heading", name="Hello, Amara Okafor")).to_be_visible()
        page.keyboard.press("g")
        page.keyboard.press("l")
        page.get_by_role("link", name="Finnish", exact=True).click()
        page.get_by_label("Find words or keys").fill("scheme.dark")
        row = page.get_by_role("button", name=re.compile("^scheme.dark"))
        row.click()
        field(page).fill("Tumma tila")
        page.keyboard.press("Enter")
        expect(row).to_contain_text("In review")
        expect(page.get_by_role("link", name="Review")).to_have_count(0)
        assert served(pair) != "Tumma tila"
    with window(browser, pair.url) as page:
        sign_in(page, REVIEWER.username, PASSWORD)
        expect(page.get_by_role("heading", name="Hello, Jonas Lind")).to_be_visible()
        page.goto("/app/settings/instance/languages")
        page.get_by_role("link", name=re.compile("to review in Finnish")).click()
        card = page.get_by_role("listitem", name="scheme.dark")
        expect(card).to_contain_text("Amara Okafor")
        expect(card).to_contain_text("Tumma tila")
        page.keyboard.press("a")
        expect(page.get_by_role("status").filter(has_text="dark approved")).to_be_attached()
        expect(card).to_have_count(0)
    assert served(pair) == "Tumma tila"


def served(instance: Instance) -> str:
    messages = instance.call("GET", f"/api/i18n/catalog?locale={LOCALE}")["messages"]
    text: str = messages["scheme"]["dark"]
    return text


def test_keys_take_a_translator_through_the_texts(browser: Browser, pair: Instance) -> None:
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        page.goto(f"/app/settings/instance/languages/{LOCALE}?ns=role")
        rows = page.get_by_role("list", name="Texts in Finnish").get_by_role("listitem")
        expect(rows.first).to_be_visible()
        page.get_by_label("Find words or keys").press("ArrowDown")
        page.keyboard.press("Enter")
        expect(field(page)).to_be_focused()
        page.keyboard.type("Yksi")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("kaksi")
        page.keyboard.press("Alt+ArrowDown")
        expect(rows.nth(0)).to_contain_text("Not saved")
        expect(rows.nth(1).get_by_role("textbox")).to_be_focused()
        page.reload()
        expect(rows.nth(0)).to_contain_text("Not saved")
        rows.nth(1).get_by_role("button").click()
        page.keyboard.press("Alt+ArrowUp")
        expect(field(page)).to_have_value("Yksi\nkaksi")
        page.keyboard.press("Enter")
        expect(rows.nth(0)).to_contain_text("In review")
        expect(rows.nth(1).get_by_role("textbox")).to_be_focused()
        page.keyboard.press("Escape")
        expect(rows.nth(1).get_by_role("button")).to_be_focused()


def test_a_refused_text_names_the_placeholder_and_stays(browser: Browser, pair: Instance) -> None:
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        page.goto(f"/app/settings/instance/languages/{LOCALE}?ns=glossary&q=added")
        page.get_by_role("button", name=re.compile("^glossary.added")).click()
        field(page).fill("lisätty ")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Missing: {term}")).to_be_visible()
        expect(field(page)).to_have_value("lisätty ")
        field(page).press("End")
        page.get_by_role("button", name="Insert {term}").click()
        expect(field(page)).to_have_value("lisätty {term}")
        page.route("**/api/l10n/messages/*", lambda route: route.abort())
        field(page).press("Enter")
        expect(field(page)).to_have_value("lisätty {term}")
        page.unroute("**/api/l10n/messages/*")


def test_a_text_that_is_sent_back_comes_to_its_author_with_the_note(browser: Browser, pair: Instance) -> None:
    message = submit(pair, "palette.placeholder", "Hae")
    name = f"{message['namespace']}.{message['key']}"
    with window(browser, pair.url, token=pair.sign_in(REVIEWER.username)) as page:
        page.goto(f"/app/settings/instance/languages/{LOCALE}/review")
        card = page.get_by_role("list", name="Waiting for review").locator("[aria-current=true]")
        expect(card).to_be_visible()
        for _ in range(20):
            if card.get_attribute("aria-label") == name:
                break
            page.keyboard.press("j")
        expect(card).to_have_attribute("aria-label", name)
        page.keyboard.press("r")
        page.get_by_label("Note for Amara Okafor").fill("Too short.")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("status").filter(has_text="sent back")).to_be_attached()
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        page.goto(f"/app/settings/instance/languages/{LOCALE}?review=returned")
        page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).click()
        expect(page.get_by_text("Too short.")).to_be_visible()
        expect(field(page)).to_have_value("Hae")


def test_nobody_reviews_their_own_words(browser: Browser, pair: Instance) -> None:
    message = find(pair, "scheme.light")
    token = pair.sign_in(REVIEWER.username)
    pair.call("PUT", f"/api/l10n/messages/{message['id']}", {"text": "Vaalea"}, token)
    with window(browser, pair.url, token=token) as page:
        page.goto(f"/app/settings/instance/languages/{LOCALE}/review")
        settle(page)
        expect(page.get_by_role("main")).not_to_contain_text("Vaalea")


def open_text(page: Page, name: str) -> None:
    page.goto(f"/app/settings/instance/languages/{LOCALE}?q={name}")
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)}(?![.\\w])")).click()
    expect(field(page)).to_be_focused()


def test_two_translators_of_one_text_see_each_others_words(browser: Browser, pair: Instance) -> None:
    """Whoever is later sees what was written meanwhile, and loses nothing of their own."""
    name = "scheme.auto"
    with (
        window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as first,
        window(browser, pair.url, token=pair.sign_in(SECOND.username)) as second,
    ):
        open_text(first, name)
        open_text(second, name)
        field(first).fill("Laitteen")
        field(second).fill("Sama kuin laite")
        field(second).press("Enter")
        expect(second.get_by_role("button", name=re.compile(f"^{name}"))).to_contain_text("In review")
        field(first).press("Enter")
        expect(first.get_by_text("Someone else changed this translation")).to_be_visible()
        expect(first.get_by_role("insertion")).to_contain_text("Sama kuin laite")
        expect(field(first)).to_have_value("Laitteen")
        first.get_by_role("button", name="Use theirs").click()
        expect(field(first)).to_have_value("Sama kuin laite")
        field(first).fill("Sama kuin laitteessa")
        field(first).press("Enter")
        expect(first.get_by_role("button", name=re.compile(f"^{name}"))).to_contain_text("In review")
    assert find(pair, name)["proposal"]["text"] == "Sama kuin laitteessa"


def test_a_text_is_shown_in_its_place_as_it_is_written(browser: Browser, pair: Instance) -> None:
    pair.note("Tide table", "Home offers a new note only as long as there is nothing else.")
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        open_text(page, "notes.new")
        page.get_by_text("Show it in its place").click()
        expect(page.get_by_text("Not visible right now")).to_be_visible()
        page.get_by_role("combobox", name="Screen").click()
        page.get_by_role("option", name="Notes", exact=True).click()
        screen = page.frame_locator("iframe")
        outlined = screen.locator("[data-previewed]").first
        expect(outlined).to_have_text(re.compile("New note"))
        expect(page.get_by_text("Outlined")).to_be_visible()
        assert "solid" in outlined.evaluate("one => getComputedStyle(one).outline")
        field(page).fill("Uusi muistiinpano")
        expect(outlined).to_have_text(re.compile("Uusi muistiinpano"))
        field(page).fill("Uusi {n")
        expect(outlined).to_have_text(re.compile("New note"))
        expect(field(page)).to_be_focused()
        assert page.evaluate("document.querySelector('iframe').inert"), "a picture unless the translator wants to click"
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        page.goto("/app/notes")
        settle(page)
        expect(page.locator("[data-previewed]")).to_have_count(0)


def test_a_translator_sees_the_words_of_screens_they_cannot_use(browser: Browser, pair: Instance) -> None:
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        open_text(page, "glossary.intro")
        page.get_by_text("Show it in its place").click()
        expect(page.frame_locator("iframe").locator("[data-previewed]").first).to_be_visible()
        open_text(page, "entrance.sign_in")
        page.get_by_text("Show it in its place").click()
        expect(page.frame_locator("iframe").locator("[data-previewed]").first).to_be_visible()


def test_a_refusal_is_shown_with_made_up_values(browser: Browser, pair: Instance) -> None:
    with window(browser, pair.url, token=pair.sign_in(TRANSLATOR.username)) as page:
        open_text(page, "refusals.executors.limit")
        field(page).fill("Enintään {limit} suorittajaa")
        expect(page.get_by_text("Enintään ‹limit› suorittajaa")).to_be_visible()
        expect(page.locator("iframe")).to_have_count(0)


def test_languages_that_are_switched_off_are_gone_for_everyone_at_once(browser: Browser, pair: Instance) -> None:
    token = pair.sign_in(SECOND.username)
    pair.call("POST", "/api/profile", {"locale": "de"}, token)
    with window(browser, pair.url, token=pair.operator) as operator, window(browser, pair.url, token=token) as other:
        other.goto("/app/settings/me/account")
        expect(other.locator("html")).to_have_attribute("lang", "de")
        expect(other.get_by_role("combobox", name="Sprache")).to_be_visible()
        operator.goto("/app/settings/instance/languages")
        set_switching(operator, on=False)
        other.reload()
        expect(other.locator("html")).to_have_attribute("lang", "en")
        settle(other)
        expect(other.get_by_role("combobox", name="Language")).to_have_count(0)
        set_switching(operator, on=True)
        other.reload()
        expect(other.locator("html")).to_have_attribute("lang", "de")
        expect(other.get_by_role("combobox", name="Sprache")).to_be_visible()
    pair.call("POST", "/api/profile", {"locale": None}, token)


def set_switching(page: Page, *, on: bool) -> None:
    page.get_by_label("People can choose their language").set_checked(on)
    with page.expect_response("**/api/i18n") as answer:
        page.get_by_role("button", name="Save").click()
    assert answer.value.ok
