"""Model jobs in the console: exhausted quotas, failures, retries, workers, and the runs of the agent."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import PASSWORD
from tests.support.served import Served

pytestmark = [
    pytest.mark.sampled(8),
    pytest.mark.about(
        "console/executors", "console/jobs", "console/usage", "agents", "executors", "jobs", "quota", "worker"
    ),
]

FAILURE_TIMEOUT_MS = 30_000
"""Long enough for all attempts and the pauses between them."""


class OperatorClient:
    """Sets up an instance and calls it as its operator."""

    def __init__(self, served: Served) -> None:
        self.served, self.url = served, served.url
        created = served.call(
            "POST", "/api/bootstrap", {"username": "ann", "display_name": "Ann", "password": PASSWORD}
        )
        self.token: str = created["token"]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.served.call(method, path, body, self.token)

    def ask(self, prompt: str, **more: Any) -> str:
        job_id: str = self.call("POST", "/api/jobs", {"kind": "ai.chat", "input": {"prompt": prompt, **more}})["id"]
        return job_id


@pytest.fixture
def operator(fresh_server: Served) -> OperatorClient:
    return OperatorClient(fresh_server)


def test_an_exhausted_quota_is_explained(browser: Browser, operator: OperatorClient) -> None:
    operator.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 2, "window": "month"})
    with window(browser, operator.url, token=operator.token) as page:
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
        ask(page, "One more?")
        expect(page.get_by_role("alert")).to_contain_text("The team has no AI requests left.")
        page.get_by_role("alert").get_by_role("link", name="View usage").click()
        expect(page.get_by_role("heading", name="By person")).to_be_visible()
        spender = page.get_by_role("table", name="By person").get_by_role("row", name=re.compile("Ann"))
        expect(spender.get_by_role("cell").first).to_have_text("2")


def test_a_refused_question_is_kept_as_a_draft(browser: Browser, operator: OperatorClient) -> None:
    operator.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 0, "window": "day"})
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/team/jobs")
        ask(page, "A long question.")
        expect(page.get_by_role("alert")).to_be_visible()
        page.reload()
        settle(page)
        page.keyboard.press("c")
        expect(page.get_by_label("Your question")).to_have_value("A long question.")
        operator.call("POST", "/api/quota", {"dimension": "ai.requests", "limit": 9, "window": "day"})
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_role("article")).to_contain_text("You said: A long question.")
        page.get_by_role("button", name="Ask a model").first.click()
        expect(page.get_by_label("Your question")).to_have_value("")


def test_a_failed_attempt_is_retried_automatically(browser: Browser, operator: OperatorClient) -> None:
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/team/jobs")
        ask(page, "Count the boats. [simulate:fail:1]")
        job = page.get_by_role("article", name="Model question")
        expect(job).to_contain_text("Attempt 1 of 3 failed: The simulated model failed")
        expect(job.get_by_role("status")).to_have_text("Done")
        expect(job.get_by_role("region", name="Result")).to_contain_text("You said: Count the boats.")
        expect(job).to_contain_text("1 attempt failed")
        expect(job).to_contain_text("Attempt 2 of 3 started · This server")


def test_a_failed_job_explains_what_to_do_and_can_be_retried(browser: Browser, operator: OperatorClient) -> None:
    failed = operator.ask("Never. [simulate:fail]")
    with window(browser, operator.url, token=operator.token) as page:
        page.goto(f"/app/settings/team/jobs/{failed}")
        job = page.get_by_role("article", name="Model question")
        expect(job.get_by_role("status")).to_have_text("Failed", timeout=FAILURE_TIMEOUT_MS)
        alert = job.get_by_role("alert")
        expect(alert).to_contain_text("Failed. Attempt 3 of 3")
        expect(alert).to_contain_text("send the job ID to whoever runs the executor")
        job.get_by_role("button", name="Retry").click()
        page.wait_for_url(lambda url: "/app/settings/team/jobs/" in url and failed not in url)
        expect(job).to_contain_text("Never. [simulate:fail]")
        job.get_by_role("link", name="Retry of this job").click()
        page.wait_for_url(f"**/app/settings/team/jobs/{failed}")
        expect(job.get_by_role("link", name="Retried")).to_be_visible()


def test_a_worker_connects_with_its_token_and_completes_a_job(browser: Browser, operator: OperatorClient) -> None:
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/instance/executors")
        token = add_executor(page, "Basement GPU")
        row = page.get_by_role("row", name=re.compile("Basement GPU"))
        expect(row).to_contain_text("New")
        with running_worker(operator.served, token, lambda prompt: f"**{prompt.upper()}**"):
            page.reload()
            expect(row).to_contain_text("Up")
            page.goto("/app/settings/team/jobs")
            ask(page, "ahoy", "Basement GPU")
            job = page.get_by_role("article", name="Model question")
            expect(job.get_by_text("AHOY", exact=True)).to_be_visible()
            expect(job).to_contain_text("Attempt 1 of 3 started · Basement GPU")
        page.goto("/app/settings/instance/executors")
        page.get_by_role("button", name="Retire Basement GPU").click()
        dialog = page.get_by_role("dialog", name="Retire Basement GPU?")
        expect(dialog).to_contain_text("Its token stops working right away")
        dialog.get_by_role("button", name="Retire Basement GPU").click()
        expect(page.get_by_role("heading", name="No executors yet")).to_be_visible()


def test_a_job_without_a_worker_is_explained_and_can_be_cancelled(browser: Browser, operator: OperatorClient) -> None:
    operator.call("POST", "/api/executors", {"name": "Far away", "mode": "pull", "model": "llama"})
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/team/jobs")
        ask(page, "Anybody there?", "Far away")
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


def test_a_job_names_the_file_it_is_about_and_links_to_it(browser: Browser, operator: OperatorClient) -> None:
    operator.served.put("/api/repo/survey/quay-survey.txt", b"Three cracks.", operator.token)
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/team/jobs")
        page.get_by_role("link", name="Index quay-survey.txt").click()
        expect(page.get_by_role("heading", name="Index quay-survey.txt", level=1)).to_be_visible()
        page.get_by_role("link", name="Open quay-survey.txt").click()
        expect(page.get_by_role("heading", name="quay-survey.txt", level=1)).to_be_visible()


def test_a_job_about_a_document_opens_it_as_a_document(browser: Browser, operator: OperatorClient) -> None:
    document = operator.call("POST", "/api/documents", {"title": "Survey", "body": "Three **cracks**."})
    operator.call("POST", "/api/jobs", {"kind": "repo.extract_text", "input": {"object_id": document["id"]}})
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/settings/team/jobs")
        page.get_by_role("link", name=re.compile("^Index ")).first.click()
        page.get_by_role("link", name=re.compile("^Open ")).click()
        expect(page).to_have_url(re.compile(f"/app/documents/{document['id']}"))
        expect(page.get_by_role("article").locator("strong")).to_have_text("cracks")


def test_a_run_of_the_agent_shows_its_steps_and_links_to_what_it_made(
    browser: Browser, operator: OperatorClient
) -> None:
    run = operator.call("POST", "/api/agent", {"prompt": "Create a note titled Lunch saying Meet at noon."})
    with window(browser, operator.url, token=operator.token) as page:
        page.goto(f"/app/settings/team/jobs/{run['job_id']}")
        job = page.get_by_role("article")
        expect(job.get_by_role("region", name="Prompt")).to_contain_text("Create a note titled Lunch")
        steps = job.get_by_role("region", name="Steps")
        steps.locator("summary").filter(has_text="create_note").click()
        expect(steps.get_by_role("region", name="Arguments")).to_contain_text("Meet at noon")
        answer = job.get_by_role("region", name="Answer")
        expect(answer).to_contain_text("Complete.")
        expect(answer).to_contain_text("tokens")
        expect(job.get_by_role("button", name="Retry")).to_have_count(0)
        steps.get_by_role("link", name="Open").click()
        expect(page.get_by_role("heading", name="Lunch", level=1)).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text("Meet at noon")


def test_a_failed_run_is_continued_as_a_new_job(browser: Browser, operator: OperatorClient) -> None:
    with pytest.raises(RuntimeError, match="502"):
        operator.call("POST", "/api/agent", {"prompt": "Never. [simulate:fail]"})
    failed = operator.call("GET", "/api/jobs?kind=ai.agent")["items"][0]["id"]
    with window(browser, operator.url, token=operator.token) as page:
        page.goto(f"/app/settings/team/jobs/{failed}")
        job = page.get_by_role("article")
        expect(job.get_by_role("alert")).to_contain_text("Continue goes on after the last step.")
        with page.expect_response(lambda answer: answer.url.endswith("/api/agent") and answer.status == 404):
            job.get_by_role("button", name="Continue").click()  # it has no step to continue after, and begins again
        page.wait_for_url(lambda url: "/app/settings/team/jobs/" in url and failed not in url)
        expect(job.get_by_role("region", name="Prompt")).to_contain_text("Never.")


def test_a_running_answer_is_stopped(browser: Browser, operator: OperatorClient) -> None:
    with window(browser, operator.url, token=operator.token) as page:
        page.goto("/app/chat/new")
        page.get_by_label("Your prompt").fill("**Ahoy** [simulate:slow:60] " + "and so on " * 60)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/app/chat/[0-9a-f-]{36}$"))
        page.goto(f"/app/settings/team/jobs/{operator.call('GET', '/api/jobs?kind=ai.turn')['items'][0]['id']}")
        job = page.get_by_role("article")
        expect(job.get_by_role("region", name="Prompt").get_by_text("Ahoy", exact=True)).to_be_visible()
        job.get_by_role("button", name="Stop").click()
        expect(job.get_by_role("region", name="Answer")).to_contain_text("Stopped by a person.")
        expect(job.get_by_role("link", name="Open conversation")).to_be_visible()


def ask(page: Page, prompt: str, executor: str = "") -> None:
    """Ask a model with the palette: an executor, or the server itself."""
    settle(page)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search or run a command").fill("ask a model")
    page.get_by_role("option", name=re.compile("^Ask a model")).click()
    page.get_by_label("Your question").fill(prompt)
    if executor:
        page.get_by_role("combobox", name="Executor").click()
        page.get_by_role("option", name=executor).click()
    page.get_by_role("button", name="Ask", exact=True).click()


def add_executor(page: Page, name: str) -> str:
    """Add an executor; return its token."""
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
def running_worker(served: Served, token: str, answer: Callable[[str], str]) -> Iterator[None]:
    """Run a worker that answers every job."""
    stopping = threading.Event()

    def work() -> None:
        while not stopping.is_set():
            claimed = served.call("POST", "/api/workers/claim", {"kinds": ["ai.chat"], "max_wait": 1}, token)
            if claimed:
                job = claimed["job"]
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                result = {"text": answer(job["input"]["prompt"]), "usage": usage, "model": "shouting"}
                completion = {"claim_token": claimed["claim_token"], "result": result}
                served.call("POST", f"/api/workers/jobs/{job['id']}/complete", completion, token)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stopping.set()
        worker.join()
