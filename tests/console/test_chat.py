"""Chat in the console: answers stream, stop and resume; sources, tools, quotas, branches and sharing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Route, expect

from tests.console.browser import settle, window
from tests.console.conftest import Serve
from tests.console.held_model import HeldModel
from tests.console.instance import PEOPLE, WRITTEN, Instance, picture

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about("console/chat", "agents", "ai", "completions", "conversations", "events", "tools"),
]

LONG = " ".join(f"word{number}" for number in range(60))
"""A prompt that models repeat, each word once."""


@pytest.fixture
def model() -> Iterator[HeldModel]:
    with HeldModel(LONG, position=9).serving() as held:
        yield held


@pytest.fixture
def held(serve: Serve, database: str, model: HeldModel) -> Iterator[Instance]:
    """An instance whose answers end when `model` goes on."""
    with serve(database, **model.settings) as served:
        yield Instance(served)


def test_an_answer_streams_and_is_kept(browser: Browser, held: Instance, model: HeldModel) -> None:
    with opened_chat(browser, held) as page:
        ask(page, LONG)
        expect(answer(page)).to_contain_text("word8")
        expect(answer(page)).to_have_attribute("aria-busy", "true")
        expect(page).to_have_url(re.compile(r"/app/chat/[0-9a-f-]{36}$"))
        expect(field(page)).to_be_focused()
        model.go_on()
        expect(answer(page)).to_contain_text("word59")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        assert_each_word_once(answer(page))
        conversation = page.get_by_role("region", name="Conversations").get_by_role("listitem").first
        expect(conversation).to_contain_text("word0 word1")
        page.reload()
        expect(answer(page)).to_contain_text("word59")


def test_a_member_chooses_among_models(browser: Browser, held: Instance, model: HeldModel) -> None:
    model.go_on()
    for name in ("small", "large"):
        executor = {"name": f"The {name}", "mode": "push", "url": model.settings["SERVICE_MODEL_URL"], "model": name}
        held.call("POST", "/api/executors", executor, held.operator)
    with opened_chat(browser, held) as page:
        page.get_by_role("combobox", name="Model", exact=True).click()
        expect(page.get_by_role("option", name="The large"), "only operators name an executor").to_have_count(0)
        page.get_by_role("option", name="large").click()
        ask(page, LONG)
        regenerate = page.get_by_role("button", name="Regenerate")
        expect(regenerate).to_be_visible()
        regenerate.click()
        expect(answer(page)).to_contain_text("2 / 2")
        expect(regenerate).to_be_visible()
        assert [turn["executor"] for turn in stored(held, page)["turns"][1:]] == ["The large", "The large"]


def test_a_reload_resumes_the_answer(browser: Browser, held: Instance, model: HeldModel) -> None:
    with opened_chat(browser, held) as page:
        ask(page, LONG)
        expect(answer(page)).to_contain_text("word8")
        page.reload()
        expect(answer(page)).to_contain_text("word8")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        model.go_on()
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        assert_each_word_once(answer(page))
        assert [turn["state"] for turn in stored(held, page)["turns"]] == ["done", "done"], "it was asked once"


def test_an_answer_goes_on_when_the_browser_is_online_again(browser: Browser, held: Instance, model: HeldModel) -> None:
    with opened_chat(browser, held) as page:
        page.add_init_script(CUT_STREAMS)
        page.reload()
        settle(page)
        ask(page, LONG)
        expect(answer(page)).to_contain_text("word8")
        page.context.set_offline(True)
        page.evaluate("cutStreams()")
        expect(page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
        expect(page.get_by_text("Can’t reach the server. Retrying…")).to_be_visible()
        expect(answer(page), "what was heard stays").to_contain_text("word8")
        page.context.set_offline(False)
        model.go_on()
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        assert_each_word_once(answer(page))
        assert len(stored(held, page)["turns"]) == 2


def test_a_prompt_is_not_lost_with_a_tab_that_cannot_send_it(browser: Browser, sqlite_instance: Instance) -> None:
    def lose(route: Route) -> None:
        if route.request.method == "POST":
            route.abort()
        else:
            route.continue_()

    with opened_chat(browser, sqlite_instance) as page:
        page.route("**/api/conversations", lose)
        with page.expect_event("requestfailed"):
            ask(page, "What is the budget?")
        expect(field(page)).to_have_value("")
        field(page).fill("And the date?")
        page.reload()
        expect(field(page)).to_have_value("What is the budget?\n\nAnd the date?")
        page.unroute("**/api/conversations")
        page.get_by_role("button", name="Send").click()
        expect(answer(page)).to_contain_text("What is the budget?")
        page.goto("/app/chat/new")
        expect(field(page)).to_have_value("")


def test_a_prompt_that_one_tab_still_sends_is_not_a_draft_in_another(
    browser: Browser, sqlite_instance: Instance
) -> None:
    with opened_chat(browser, sqlite_instance) as page:
        ask(page, "Hello")
        expect(answer(page)).to_contain_text("Hello")
        page.route("**/api/ai/chat/stream", lambda route: route.abort())
        with page.expect_request("**/api/ai/chat/stream"):
            ask(page, "What is the budget?")
        other = page.context.new_page()
        other.goto(page.url)
        expect(answer(other)).to_contain_text("Hello")
        expect(field(other)).to_have_value("")
        page.close()
        expect(field(other)).to_have_value("What is the budget?")


def test_stop_keeps_what_was_answered(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        ask(page, f"{LONG} [simulate:slow:60]")
        expect(answer(page)).to_contain_text("simulated")
        page.keyboard.press("Escape")
        expect(answer(page)).to_contain_text("Stopped.")
        expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        page.reload()
        expect(answer(page)).to_contain_text("Stopped.")
        assert stored(instance, page)["turns"][-1]["state"] == "stopped"


def test_a_citation_opens_the_passage_of_its_version(browser: Browser, instance: Instance) -> None:
    file = instance.upload(
        "chat/tariff.txt", b"Berths are rented by the day.\nThe tariff for a berth is nine crowns.\n", "member"
    )
    wait_for_text(instance, file)
    with opened_chat(browser, instance) as page:
        field(page).fill("What is the tariff for a berth? ")
        field(page).press_sequentially("@tariff")
        page.get_by_role("option", name="tariff.txt").click()
        chips = page.get_by_role("form", name="Prompt").get_by_role("list", name="Attachments")
        expect(chips).to_contain_text("tariff.txt")
        page.keyboard.press("Enter")
        mark = answer(page).get_by_role("button", name="Source 1: tariff.txt")
        expect(mark).to_be_visible()
        instance.upload("chat/tariff.txt", b"The tariff for a berth is ten crowns.\n", "member")
        mark.click()
        panel = page.get_by_role("complementary", name="Source")
        expect(panel.locator("mark")).to_have_text("The tariff for a berth is nine crowns.")
        expect(panel.locator("mark")).to_be_in_viewport()
        expect(panel).to_contain_text("Version 1")
        expect(panel).to_contain_text("Changed since")
        page.keyboard.press("Escape")
        expect(panel).to_have_count(0)
        expect(mark).to_be_focused()
        mark.press("Enter")
        panel.get_by_role("link", name="Open").click()
        expect(page).to_have_url(re.compile(rf"/app/files/{file}\?.*version=1"))


def test_a_false_quote_is_marked_and_explained(browser: Browser, instance: Instance) -> None:
    note = instance.note("Moorings", "The moorings are checked every Monday.", "member")
    with opened_chat(browser, instance) as page:
        field(page).fill("[simulate:false-quote] When are the moorings checked? ")
        field(page).press_sequentially("@Moorings")
        page.get_by_role("option", name="Moorings").click()
        page.keyboard.press("Enter")
        answer(page).get_by_role("button", name="Source 1: Moorings. Not verified.").click()
        panel = page.get_by_role("complementary", name="Source")
        expect(panel).to_contain_text("Not verified: these words aren’t in the source.")
        expect(panel.get_by_role("link", name="Open")).to_have_attribute("href", f"/app/notes/{note}")


def test_a_reached_quota_is_explained_and_the_prompt_kept(browser: Browser, instance: Instance) -> None:
    limit = {"dimension": "ai.requests", "window": "day"}
    instance.call("POST", "/api/quota", {**limit, "limit": 0}, instance.operator)
    try:
        with opened_chat(browser, instance) as page:
            ask(page, "How high is the tide?")
            expect(page.get_by_role("alert")).to_contain_text("The team has no AI requests left.")
            expect(page.get_by_role("alert").get_by_role("link", name="View usage")).to_be_visible()
            expect(field(page)).to_have_value("How high is the tide?")
            expect(page.get_by_role("link", name=re.compile("^0 requests left"))).to_be_visible()
            page.reload()
            expect(field(page)).to_have_value("How high is the tide?")
            instance.call("POST", "/api/quota", {**limit, "limit": 1_000_000}, instance.operator)
            page.get_by_role("button", name="Send").click()
            expect(answer(page)).to_contain_text("How high is the tide?")
            expect(field(page)).to_have_value("")
            rows = page.get_by_role("region", name="Conversations").get_by_role("listitem")
            untitled = rows.filter(has_text="New chat")
            expect(untitled, "a refused prompt leaves no empty conversation").to_have_count(0)
    finally:
        instance.call("POST", "/api/quota", {**limit, "limit": 1_000_000}, instance.operator)


def test_with_tools_an_answer_creates_a_note(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        page.get_by_role("button", name="Use tools").click()
        expect(page.get_by_role("button", name="Use tools")).to_have_attribute("aria-pressed", "true")
        ask(page, "Create a note titled Lantern saying It turns once in nine seconds. Read note none [simulate:slow:2]")
        cards = answer(page).locator("details")
        expect(cards.first).to_contain_text("create_note")
        expect(cards.first).to_contain_text("Done")
        expect(cards.nth(1)).to_contain_text("Failed")
        cards.first.locator("summary").press("Enter")
        arguments = cards.first.get_by_role("region", name="Arguments")
        expect(arguments).to_contain_text("It turns once in nine seconds")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        expect(arguments, "what was opened during the answer is open after it").to_be_visible()
        page.reload()
        answer(page).get_by_role("region", name="Lantern").get_by_role("link", name="Open").click()
        expect(page.get_by_role("heading", name="Lantern", level=1)).to_be_visible()
        expect(page.locator("main")).to_contain_text("It turns once in nine seconds")


def test_a_refusal_names_the_attachment_and_keeps_the_images(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        scan = FilePayload(name="scan.bin", mimeType="application/octet-stream", buffer=b"\0\1\2")
        sunset = FilePayload(name="sunset.png", mimeType="image/png", buffer=picture())
        page.set_input_files("form input[type=file]", [scan, sunset])
        chips = page.get_by_role("form", name="Prompt").get_by_role("list", name="Attachments")
        expect(chips.get_by_role("listitem")).to_have_count(2)
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
        ask(page, "What is this?")
        expect(page.get_by_role("alert")).to_contain_text("scan.bin: This version has no extracted text.")
        expect(field(page)).to_have_value("What is this?")
        expect(chips.get_by_role("listitem")).to_have_count(2)


def test_a_prompt_that_is_too_long_is_not_cut(browser: Browser, sqlite_instance: Instance) -> None:
    with opened_chat(browser, sqlite_instance) as page:
        field(page).fill("a" * 200_001)
        expect(page.get_by_text("Too long: a prompt has at most 200,000 characters.")).to_be_visible()
        expect(page.get_by_role("button", name="Send")).to_be_disabled()
        field(page).fill("a" * 200_000)
        expect(page.get_by_role("button", name="Send")).to_be_enabled()


def test_prompts_and_answers_have_branches(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        ask(page, "First wording")
        expect(answer(page)).to_contain_text("First wording")
        page.get_by_role("button", name="Regenerate").click()
        answers = page.get_by_role("group", name="Answers to this prompt")
        expect(answers).to_contain_text("2 / 2")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        page.get_by_role("button", name="Edit prompt").click()
        page.get_by_role("textbox", name="Edit prompt").fill("Second wording")
        page.keyboard.press("Enter")
        expect(answer(page)).to_contain_text("Second wording")
        prompts = page.get_by_role("group", name="Versions of this prompt")
        expect(prompts).to_contain_text("2 / 2")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        prompts.get_by_role("button", name="Previous").click()
        expect(answer(page)).to_contain_text("First wording")
        answers.get_by_role("button", name="Previous").click()
        expect(answers).to_contain_text("1 / 2")
        page.reload()
        expect(answers, "the address names the branch").to_contain_text("1 / 2")
        ask(page, "And then?")
        expect(page.get_by_role("listitem", name="Prompt").nth(1)).to_contain_text("And then?")
        expect(answer(page).nth(1)).to_contain_text("And then?")
        turns = stored(instance, page)["turns"]
        assert turns[-2]["parent_id"] == turns[1]["id"], "it continues the branch that was shown"


def test_a_formula_prices_a_table_and_code(browser: Browser, sqlite_instance: Instance) -> None:
    """A policy violation would fail the window."""
    conversation = sqlite_instance.conversation(WRITTEN, who="member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/chat/{conversation}")
        expect(answer(page).locator("math")).to_have_count(1)
        expect(answer(page)).to_contain_text("costs $5 to $10")
        code = answer(page).get_by_role("region", name="Code")
        expect(code.locator("span").first).to_be_attached()
        expect(answer(page).get_by_role("button", name="Copy Code")).to_be_visible()
        expect(answer(page).get_by_role("table").get_by_role("row").nth(1).get_by_role("cell").first).to_be_visible()


def test_links_name_their_host_and_images_are_not_fetched(browser: Browser, sqlite_instance: Instance) -> None:
    """A request to another origin would fail the window."""
    conversation = sqlite_instance.conversation(
        "[bank](https://evil.example/x) ![chart](https://track.example/p.png)", who="member"
    )
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
        page.goto(f"/app/chat/{conversation}")
        expect(answer(page)).to_contain_text("bank (evil.example)")
        expect(answer(page).get_by_role("link", name="Image: chart")).to_have_attribute("rel", "noopener noreferrer")
        expect(answer(page).locator("img")).to_have_count(0)


GIVE = """([kind, name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, {type: 'text/plain'}));
    const options = {bubbles: true, cancelable: true};
    const field = document.querySelector('form textarea');
    field.dispatchEvent(kind === 'paste'
        ? new ClipboardEvent('paste', {...options, clipboardData: data})
        : new DragEvent('drop', {...options, dataTransfer: data}));
}"""


def test_files_are_attached_by_pasting_and_dropping(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        expect(page.locator("form textarea")).to_be_visible()
        page.evaluate(GIVE, ["paste", "pasted.txt", list(b"Wear the vest.")])
        page.evaluate(GIVE, ["drop", "dropped.txt", list(b"Wear the helmet.")])
        chips = page.get_by_role("form", name="Prompt").get_by_role("list", name="Attachments")
        expect(chips.get_by_role("listitem")).to_have_count(2)
        expect(chips).to_contain_text("pasted.txt")
        expect(chips).to_contain_text("dropped.txt")
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
        ask(page, "What do I wear?")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        parts = stored(instance, page)["turns"][0]["content"]
        assert sorted(part["type"] for part in parts) == ["object", "object", "text"]


def test_files_are_attached_by_choosing(browser: Browser, instance: Instance) -> None:
    with opened_chat(browser, instance) as page:
        page.set_input_files(
            "form input[type=file]",
            [
                FilePayload(name="sunset.png", mimeType="image/png", buffer=picture()),
                FilePayload(name="rules.txt", mimeType="text/plain", buffer=b"Wear the vest."),
            ],
        )
        chips = page.get_by_role("form", name="Prompt").get_by_role("list", name="Attachments")
        expect(chips.get_by_role("listitem")).to_have_count(2)
        expect(chips).to_contain_text("rules.txt")
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
        ask(page, "What do you see?")
        prompt = page.get_by_role("listitem", name="Prompt").first
        expect(prompt.get_by_role("img", name="Image")).to_be_visible()
        expect(prompt.get_by_role("link", name="rules.txt")).to_be_visible()
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        parts = stored(instance, page)["turns"][0]["content"]
        assert sorted(part["type"] for part in parts) == ["image_url", "object", "text"]


def test_a_draft_is_kept_for_each_conversation(browser: Browser, sqlite_instance: Instance) -> None:
    conversation = sqlite_instance.conversation("Hello", who="member")
    with opened_chat(browser, sqlite_instance) as page:
        field(page).fill("Half a thought")
        page.goto(f"/app/chat/{conversation}")
        expect(field(page)).to_have_value("")
        field(page).fill("Another")
        page.goto("/app/chat/new")
        expect(field(page)).to_have_value("Half a thought")
        page.goto(f"/app/chat/{conversation}")
        expect(field(page)).to_have_value("Another")


def test_new_turns_appear_in_other_windows(browser: Browser, instance: Instance) -> None:
    conversation = instance.conversation("Hello", who="member")
    grant = {"user_id": instance.id_of("viewer"), "permission": "notes:read"}
    instance.call("POST", f"/api/conversations/{conversation}/share", grant, instance.session("member"))
    with (
        window(browser, instance.url, token=instance.session("member")) as mine,
        window(browser, instance.url, token=instance.session("viewer")) as theirs,
    ):
        for page in (mine, theirs):
            page.goto(f"/app/chat/{conversation}")
            expect(answer(page)).to_have_count(1)
        expect(theirs.get_by_text("You can read this conversation, but not continue it.")).to_be_visible()
        ask(mine, "Any news?")
        expect(answer(theirs).nth(1)).to_contain_text("Any news?")


def test_the_owner_renames_shares_and_deletes(browser: Browser, instance: Instance) -> None:
    conversation = instance.conversation("Plans", who="member")
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/")
        settle(page)
        page.keyboard.press("g")
        page.keyboard.press("c")
        expect(page).to_have_url(re.compile("/app/chat$"))
        page.goto(f"/app/chat/{conversation}")
        settle(page)
        page.locator("h1").click()
        page.keyboard.press("e")
        page.get_by_role("dialog").get_by_label("Title").fill("Plans for spring")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Plans for spring", level=1)).to_be_visible()
        page.get_by_role("button", name="Share").click()
        dialog = page.get_by_role("dialog", name="Share “Plans for spring”")
        dialog.get_by_label("Person or team").fill(PEOPLE["admin"].name)
        page.get_by_role("option", name=PEOPLE["admin"].name).click()
        dialog.get_by_role("button", name="Share", exact=True).click()
        expect(dialog.get_by_role("list", name="People and teams with access")).to_contain_text(PEOPLE["admin"].name)
        page.keyboard.press("Escape")
        row = page.get_by_role("region", name="Conversations").get_by_role("link", name=re.compile("^Plans for spring"))
        expect(row).to_contain_text("Shared")
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("menuitem", name="Delete conversation").click()
        confirm = page.get_by_role("dialog", name="Delete “Plans for spring”?")
        expect(confirm).to_contain_text("also for everyone it’s shared with")
        confirm.get_by_role("button", name="Delete conversation").click()
        expect(page).to_have_url(re.compile("/app/chat$"))
        expect(row).to_have_count(0)


def test_answers_are_read_out_by_sentence(browser: Browser, sqlite_instance: Instance) -> None:
    with opened_chat(browser, sqlite_instance) as page:
        page.evaluate(RECORD_ANNOUNCEMENTS)
        ask(page, "[simulate:slow:4] Ships wait. Cranes turn. Boats leave.")
        expect(page.get_by_role("button", name="Regenerate")).to_be_visible()
        expect(page.locator("[aria-live=polite][aria-atomic]")).to_contain_text("Answer complete.")
        said = page.evaluate("announced")
        assert 1 < len(said) < 8, said
        assert all(re.search(r"[.:!?…]$", sentence) for sentence in said), said


def test_a_team_without_chat_is_told_so(browser: Browser, sqlite_instance: Instance) -> None:
    sqlite_instance.call("POST", "/api/features/chat", {"enabled": False}, sqlite_instance.operator)
    try:
        with window(browser, sqlite_instance.url, token=sqlite_instance.session("member")) as page:
            page.goto("/app/chat")
            expect(page.get_by_role("alert")).to_contain_text("Chat is off")
            expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Chat")).to_have_count(0)
    finally:
        sqlite_instance.call("POST", "/api/features/chat", {"enabled": True}, sqlite_instance.operator)


@pytest.mark.parametrize("width", [390])
def test_on_a_phone_list_and_conversation_are_separate(browser: Browser, sqlite_instance: Instance, width: int) -> None:
    conversation = sqlite_instance.conversation("Tides", who="member")
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("member"), width=width, height=844) as page:
        page.goto(f"/app/chat/{conversation}")
        expect(answer(page)).to_contain_text("Tides")
        expect(page.get_by_role("region", name="Conversations")).to_be_hidden()
        page.get_by_role("link", name="Back to list").click()
        expect(page.get_by_role("region", name="Conversations")).to_be_visible()
        expect(field(page)).to_be_hidden()
        page.get_by_role("link", name="New chat").click()
        expect(field(page)).to_be_visible()


CUT_STREAMS = """
const send = window.fetch, open = [];
window.cutStreams = () => open.splice(0).forEach((controller) => controller.abort());
window.fetch = (address, options) => {
  if (!String(address?.url ?? address).includes('/api/ai/chat/stream')) return send(address, options);
  const controller = new AbortController();
  open.push(controller);
  return send(address, { ...options, signal: AbortSignal.any([controller.signal, options.signal]) });
};
"""
RECORD_ANNOUNCEMENTS = """
window.announced = [];
new MutationObserver(() => announced.push(document.querySelector('[aria-live=polite][aria-atomic]').textContent))
  .observe(document.querySelector('[aria-live=polite][aria-atomic]'), { childList: true, characterData: true, subtree: true });
"""


@contextmanager
def opened_chat(browser: Browser, instance: Instance) -> Iterator[Page]:
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/chat/new")
        expect(field(page)).to_be_focused()
        yield page


def field(page: Page) -> Locator:
    return page.get_by_label("Your prompt")


def ask(page: Page, prompt: str) -> None:
    field(page).fill(prompt)
    field(page).press("Enter")


def answer(page: Page) -> Locator:
    return page.get_by_role("listitem", name="Answer")


def assert_each_word_once(shown: Locator) -> None:
    expect(shown, "drawn when the browser has time").to_contain_text(LONG.split()[-1])
    words = re.findall(r"word\d+", shown.inner_text())
    assert words == LONG.split(), "no part of an answer is lost or shown twice"


def stored(instance: Instance, page: Page) -> Any:
    conversation = page.url.partition("/chat/")[2].partition("?")[0]
    return instance.call("GET", f"/api/conversations/{conversation}", token=instance.session("member"))


def wait_for_text(instance: Instance, file: str) -> None:
    """Wait until the text of a file is extracted: without it, there is nothing to cite."""
    for _ in range(200):
        if instance.call("GET", f"/api/repo-obj/{file}", token=instance.operator)["text_state"] == "ready":
            return
    raise AssertionError("the text was not extracted")
