"""The Connect screen: S3 keys are created, used by a real client with the copied settings, and revoked; other programs
get settings for MCP and for the OpenAI protocol."""

import json
import re
import time
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.browser import settle, window
from tests.console.instance import Instance

pytestmark = [pytest.mark.sampled(8), pytest.mark.about("console/connect", "console/repository", "repository", "s3")]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
PLACEHOLDER = "YOUR_SECRET_ACCESS_KEY"
TIMEOUT = 30.0
# The permissions that each role can choose for a key.
CHOICES = {
    "guest": ["All my permissions"],
    "viewer": ["All my permissions", "Read only"],
    "member": ["All my permissions", "Read only", "Read and write"],
}


def test_a_key_is_created_used_and_revoked(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("member"), permissions=CLIPBOARD) as page:
        page.goto("/app/settings/team/connect")
        expect(page.get_by_role("heading", name="No keys yet")).to_be_visible()
        create_key(page, "Notebook", "Read and write", folder="tidebook", workflows=True)
        dialog = page.get_by_role("dialog", name="Secret for Notebook")
        secret = dialog.get_by_role("list", name="Secret for Notebook").inner_text()
        assert secret in downloaded_secret(page, dialog)
        s3, bucket = copied_client(page, dialog)
        confirm_saved(page, dialog)
        expect(page.locator("body")).not_to_contain_text(secret)
        row = page.get_by_role("row", name="Notebook")
        expect(row).to_contain_text("read, write, and start workflows in tidebook/")
        expect(row).to_contain_text("Never used")

        s3.put_object(Bucket=bucket, Key="tidebook/tides.csv", Body=b"hour,level\n")
        assert "tidebook/tides.csv" in [item["Key"] for item in s3.list_objects_v2(Bucket=bucket)["Contents"]]
        assert refusal(lambda: s3.put_object(Bucket=bucket, Key="elsewhere.csv", Body=b"")) == "AccessDenied"
        reload_until_used(page, row)

        page.get_by_role("button", name="Revoke Notebook").click()
        dialog = page.get_by_role("dialog", name="Revoke Notebook?")
        expect(dialog).to_contain_text("public links that use this key stop working right away")
        dialog.get_by_role("button", name="Revoke Notebook").click()
        expect(page.get_by_role("heading", name="No keys yet")).to_be_visible()
    assert refusal(lambda: s3.list_objects_v2(Bucket=bucket)) == "InvalidAccessKeyId"


def test_the_secret_stays_until_it_is_confirmed_as_saved(browser: Browser, sqlite_instance: Instance) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session("owner")) as page:
        page.goto("/app/settings/team/connect")
        create_key(page, "Careful", "Read only")
        dialog = page.get_by_role("dialog", name="Secret for Careful")
        expect(dialog.get_by_role("button", name="Done")).to_be_disabled()
        page.keyboard.press("Escape")
        page.mouse.click(2, 2)
        for program in ("AWS CLI", "rclone", "boto3", "DuckDB"):
            dialog.get_by_role("tab", name=program).click()
            expect(dialog.get_by_role("tabpanel", name=program)).not_to_contain_text(PLACEHOLDER)
        confirm_saved(page, dialog)
        settings = page.get_by_role("tabpanel", name="AWS CLI")
        expect(settings).to_contain_text(PLACEHOLDER)
        expect(settings).to_contain_text(re.compile(r"aws_access_key_id = TS\w{18}\b"))


def test_an_mcp_client_gets_settings_with_a_new_token(browser: Browser, instance: Instance) -> None:
    with window(browser, instance.url, token=instance.session("admin"), permissions=CLIPBOARD) as page:
        page.goto("/app/settings/team/connect")
        page.get_by_text("Agents (MCP)").click()
        expect(page.get_by_role("tabpanel", name="Claude Code")).to_contain_text("YOUR_API_TOKEN")
        page.get_by_role("button", name="New token").click()
        page.get_by_role("dialog", name="New token").get_by_label("Name").fill("Agent")
        page.get_by_role("button", name="Create token").click()
        dialog = page.get_by_role("dialog", name="Token Agent")
        dialog.get_by_role("tab", name="JSON").click()
        dialog.get_by_role("button", name="Copy JSON: For any other client").click()
        server = json.loads(clipboard(page))["mcpServers"]["teamspace"]
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answer = page.request.post(server["url"], headers=server["headers"], data=request).json()
        assert "search" in [tool["name"] for tool in answer["result"]["tools"]]
        confirm_saved(page, dialog)
        expect(page.locator("body")).not_to_contain_text(server["headers"]["Authorization"])
        page.reload()
        expect(page.get_by_text("http", exact=False).filter(has_text="/mcp").first).to_be_visible()
    with window(browser, instance.url, token=instance.session("member")) as page:
        page.goto("/app/settings/team/connect?way=openai")
        expect(page.get_by_role("tabpanel", name="Any program")).to_contain_text(f"OPENAI_BASE_URL={instance.url}/v1")
        expect(page.get_by_text("Only team admins can create API tokens.")).to_be_visible()
        expect(page.get_by_role("button", name="New token")).to_have_count(0)


@pytest.mark.parametrize("role", CHOICES)
def test_a_role_can_only_choose_its_own_permissions(browser: Browser, sqlite_instance: Instance, role: str) -> None:
    with window(browser, sqlite_instance.url, token=sqlite_instance.session(role)) as page:
        page.goto("/app/settings/team/connect")
        page.get_by_role("button", name="New key").click()
        choices = page.get_by_role("radiogroup", name="Permissions")
        expect(choices.locator("label")).to_have_text(CHOICES[role])


def test_a_scoped_token_cannot_manage_keys(browser: Browser, sqlite_instance: Instance) -> None:
    draft = {"name": "Reader", "scope": ["files:read"], "ttl": 3600}
    token = sqlite_instance.call("POST", "/api/tokens", draft, sqlite_instance.operator)["token"]
    with window(browser, sqlite_instance.url, token=token) as page:
        page.goto("/app/settings/team/connect")
        expect(page.get_by_role("alert")).to_contain_text("A scoped token cannot access its person's account.")
        expect(page.get_by_role("button", name="New key")).to_have_count(0)


def create_key(page: Page, name: str, permission: str, folder: str = "", workflows: bool = False) -> None:
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New S3 key")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label(permission).check()
    dialog.get_by_label("Limit to folder").fill(folder)
    if workflows:
        dialog.get_by_label("Uploads can start workflows").check()
    dialog.get_by_role("button", name="Create key").click()


def confirm_saved(page: Page, dialog: Locator) -> None:
    dialog.get_by_label("I’ve saved it somewhere safe").check()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def downloaded_secret(page: Page, dialog: Locator) -> str:
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "notebook.txt"
    return Path(download.value.path()).read_text()


def copied_client(page: Page, dialog: Locator) -> tuple[Any, str]:
    """Run the copied lines for boto3; return the client and the bucket."""
    dialog.get_by_role("tab", name="boto3").click()
    dialog.get_by_role("button", name="Copy boto3: In Python").click()
    names: dict[str, Any] = {"boto3": boto3}
    exec(clipboard(page), names)
    dialog.get_by_role("button", name="Copy boto3: Check that it works").click()
    found = re.search(r'Bucket="([^"]+)"', clipboard(page))
    assert found is not None
    return names["s3"], found[1]


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def refusal(call: Any) -> str:
    with pytest.raises(ClientError) as refused:
        call()
    code: str = refused.value.response["Error"]["Code"]
    return code


def reload_until_used(page: Page, row: Locator) -> None:
    """The last use of a key is recorded with a delay."""
    end = time.monotonic() + TIMEOUT
    while "Never used" in row.inner_text() and time.monotonic() < end:
        page.reload()
        settle(page)
    expect(row).not_to_contain_text("Never used")
