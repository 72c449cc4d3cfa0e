"""Model work as people meet it: a quota that is used up, a job that fails, a worker that comes, and one that does not."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.stage import PASSWORD
from tests.support.served import Served

LEASE_MS = 30_000
"""Long enough for two attempts that fail, with the pauses between them."""


class Office:
    """An instance with one company, and its operator."""

    def __init__(self, served: Served) -> None:
        self.served, self.url = served, served.url
        made = served.call("POST", "/api/bootstrap", {"username": "ann", "display_name": "Ann", "password": PASSWORD})
        self.token: str = made["token"]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.served.call(method, path, body, self.token)

    def ask(self, prompt: str, **more: Any) -> str:
        job_id: str = self.call("POST", "/api/jobs", {"kind": "ai.chat", "input": {"prompt": prompt, **more}})["id"]
        return job_id


@pytest.fixture
def office(fresh: Served) -> Office:
    return Office(fresh)


def test_a_quota_that_is_used_up_is_explained(browser: Browser, office: Office) -> None:
    office.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 2, "window": "month"})
    with window(browser, office.url, token=office.token) as page:
        page.goto("/app/settings/team/usage")
        page.get_by_role("button", name="Test the quota").click()
        dialog = page.get_by_role("dialog", name="Test the quota")
        dialog.get_by_label("Text").fill("Eight ch")
        for _ in range(2):
            dialog.get_by_role("button", name="Send").click()
            expect(dialog.get_by_role("status")).to_contain_text("Used 1 request and 2 tokens.")
        expect(dialog.get_by_role("status")).to_contain_text("2 requests and 4 tokens")
        dialog.get_by_role("button", name="Send").click()
        refused = dialog.get_by_role("alert")
        expect(refused).to_contain_text("The team has no AI requests left. Resets in")
        page.keyboard.press("Escape")
        row = page.get_by_role("table", name="Team usage").get_by_role("row", name=re.compile("^AI requests"))
        expect(row).to_contain_text("Used up")
        asks(page, "One more?")
        expect(page.get_by_role("alert")).to_contain_text("The team has no AI requests left.")
        page.get_by_role("alert").get_by_role("link", name="View usage").click()
        expect(page.get_by_role("heading", name="By person")).to_be_visible()
        spender = page.get_by_role("table", name="By person").get_by_role("row", name=re.compile("Ann"))
        expect(spender.get_by_role("cell").first).to_have_text("2")


def test_what_was_written_is_kept_when_it_could_not_be_asked(browser: Browser, office: Office) -> None:
    office.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 0, "window": "day"})
    with window(browser, office.url, token=office.token) as page:
        page.goto("/app/settings/team/jobs")
        asks(page, "A long question.")
        expect(page.get_by_role("alert")).to_be_visible()
        page.reload()
        settle(page)
        page.keyboard.press("c")
        expect(page.get_by_label("Your question")).to_have_value("A long question.")
        office.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 9, "window": "day"})
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_role("article")).to_contain_text("You said: A long question.")
        page.get_by_role("button", name="Ask a model").first.click()
        expect(page.get_by_label("Your question")).to_have_value("")


def test_a_job_that_fails_once_is_tried_again_by_itself(browser: Browser, office: Office) -> None:
    with window(browser, office.url, token=office.token) as page:
        page.goto("/app/settings/team/jobs")
        asks(page, "Count the boats. [simulate:fail:1]")
        job = page.get_by_role("article", name="Model question")
        expect(job).to_contain_text("Attempt 1 of 3 failed: The simulated model failed")
        expect(job.get_by_role("status")).to_have_text("Done")
        expect(job.get_by_role("region", name="Result")).to_contain_text("You said: Count the boats.")
        expect(job).to_contain_text("1 attempt failed")
        expect(job).to_contain_text("Attempt 2 of 3 started · This server")


def test_a_job_that_fails_for_good_says_what_to_do_and_can_be_tried_again(browser: Browser, office: Office) -> None:
    failed = office.ask("Never. [simulate:fail]")
    with window(browser, office.url, token=office.token) as page:
        page.goto(f"/app/settings/team/jobs/{failed}")
        job = page.get_by_role("article", name="Model question")
        expect(job.get_by_role("status")).to_have_text("Failed", timeout=LEASE_MS)
        alert = job.get_by_role("alert")
        expect(alert).to_contain_text("Failed. Attempt 3 of 3")
        expect(alert).to_contain_text("send the job ID to whoever runs the executor")
        job.get_by_role("button", name="Retry").click()
        page.wait_for_url(lambda url: "/app/settings/team/jobs/" in url and failed not in url)
        expect(job).to_contain_text("Never. [simulate:fail]")
        job.get_by_role("link", name="Retry of this job").click()
        page.wait_for_url(f"**/app/settings/team/jobs/{failed}")
        expect(job.get_by_role("link", name="Retried")).to_be_visible()


def test_a_worker_is_connected_with_the_token_and_does_a_job(browser: Browser, office: Office) -> None:
    with window(browser, office.url, token=office.token) as page:
        page.goto("/app/settings/instance/executors")
        token = sets_up(page, "Basement GPU")
        row = page.get_by_role("row", name=re.compile("Basement GPU"))
        expect(row).to_contain_text("New")
        with working(office.served, token, lambda asked: f"**{asked.upper()}**"):
            page.reload()
            expect(row).to_contain_text("Up")
            page.goto("/app/settings/team/jobs")
            asks(page, "ahoy", "Basement GPU")
            job = page.get_by_role("article", name="Model question")
            expect(job.get_by_text("AHOY", exact=True)).to_be_visible()
            expect(job).to_contain_text("Attempt 1 of 3 started · Basement GPU")
        page.goto("/app/settings/instance/executors")
        page.get_by_role("button", name="Retire Basement GPU").click()
        dialog = page.get_by_role("dialog", name="Retire Basement GPU?")
        expect(dialog).to_contain_text("Its token stops working right away")
        dialog.get_by_role("button", name="Retire Basement GPU").click()
        expect(page.get_by_role("heading", name="No executors yet")).to_be_visible()


def test_a_job_without_a_worker_says_so_and_can_be_cancelled(browser: Browser, office: Office) -> None:
    office.call("POST", "/api/executors", {"name": "Far away", "mode": "pull", "model": "llama"})
    with window(browser, office.url, token=office.token) as page:
        page.goto("/app/settings/team/jobs")
        asks(page, "Anybody there?", "Far away")
        job = page.get_by_role("article", name="Model question")
        expect(job).to_contain_text("No worker for this job is connected.")
        listed = page.get_by_role("region", name="Jobs").get_by_role("listitem")
        expect(listed).to_contain_text("Waiting for a worker")
        activity = page.get_by_role("button", name="Activity")
        expect(activity).to_have_accessible_name("Activity: 1 job in progress")
        activity.click()
        latest = page.get_by_role("dialog", name="Activity")
        expect(latest.get_by_role("listitem")).to_contain_text("Model question")
        expect(latest.get_by_role("listitem")).to_contain_text("Queued")
        latest.get_by_role("link", name="All jobs").click()
        expect(latest).to_have_count(0)
        listed.get_by_role("link").click()
        job.get_by_role("button", name="Cancel job").click()
        page.get_by_role("dialog", name="Cancel this job?").get_by_role("button", name="Cancel job").click()
        expect(job.get_by_role("status")).to_have_text("Cancelled")
        expect(activity).to_have_accessible_name("Activity")


def asks(page: Page, prompt: str, executor: str = "") -> None:
    """By the palette, from wherever one is; of an executor, or of the server itself."""
    settle(page)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search or run a command").fill("ask a model")
    page.get_by_role("option", name=re.compile("^Ask a model")).click()
    page.get_by_label("Your question").fill(prompt)
    if executor:
        page.get_by_role("combobox", name="Executor").click()
        page.get_by_role("option", name=executor).click()
    page.get_by_role("button", name="Ask", exact=True).click()


def sets_up(page: Page, name: str) -> str:
    """A new executor; the token that is shown."""
    page.get_by_role("button", name="New executor").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add executor").click()
    dialog = page.get_by_role("dialog", name=f"Token for {name}")
    command = dialog.get_by_role("region", name="Worker command")
    expect(command).to_contain_text("--token-file basement-gpu.token")
    token = dialog.get_by_role("listitem").inner_text()
    dialog.get_by_label("I’ve saved it somewhere safe").check()
    dialog.get_by_role("button", name="Done").click()
    return token


@contextmanager
def working(served: Served, token: str, answer: Callable[[str], str]) -> Iterator[None]:
    """A worker that knows nothing but HTTP and its token."""
    ending = threading.Event()

    def work() -> None:
        while not ending.is_set():
            handed = served.call("POST", "/api/workers/claim", {"kinds": ["ai.chat"], "max_wait": 1}, token)
            if handed:
                job = handed["job"]
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                result = {"text": answer(job["input"]["prompt"]), "usage": usage, "model": "shouting"}
                done = {"claim_token": handed["claim_token"], "result": result}
                served.call("POST", f"/api/workers/jobs/{job['id']}/complete", done, token)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        ending.set()
        worker.join()
