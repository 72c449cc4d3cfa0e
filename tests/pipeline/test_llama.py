"""The workflow of uploads with llama.cpp as the model server, which writes what a JSON schema allows."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest

from tests.support.llama import Llama
from tests.support.served import Served
from tests.worker.help import Site
from tests.workflows.help import step_of

SECONDS = 180.0
KINDS = {"kind": {"enum": ["invoice", "letter"]}, "paid": {"type": "boolean"}, "copies": {"enum": [1, 2, 3]}}
SCHEMA = {"type": "object", "properties": KINDS, "required": [*KINDS], "additionalProperties": False}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx2.Client]:
    with Llama(tmp_path) as llama:
        settings = {
            "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_EGRESS_ALLOW": llama.address,
            "SERVICE_MODEL_URL": llama.url, "SERVICE_MODEL": "noise",
        }  # fmt: skip
        with Served(settings) as served:
            headers = {"authorization": f"Bearer {Site(served, tmp_path).token}"}
            with httpx2.Client(base_url=served.url, headers=headers, timeout=SECONDS) as client:
                yield client


def ended(client: httpx2.Client, run_id: str) -> dict[str, Any]:
    until = time.monotonic() + SECONDS
    while True:
        run: dict[str, Any] = client.get(f"/api/runs/{run_id}").raise_for_status().json()
        if run["state"] != "running":
            return run
        assert time.monotonic() < until, run
        time.sleep(0.05)


def test_fields_of_an_upload_fit_their_schema(client: httpx2.Client) -> None:
    stored = client.put("/api/repo/in/a.md", content=b"# Invoice\n\nPaid in full.\n").raise_for_status().json()
    input = {"object_id": stored["id"], "schema": SCHEMA, "template": "A {{kind}}.\n", "locales": []}
    started = client.post("/api/workflows/process-upload/run", json={"input": input}).raise_for_status().json()
    run = ended(client, started["id"])
    assert run["state"] == "succeeded", run["error"]
    fields = step_of(run, "fields")["output"]["result"]["fields"]
    jsonschema_rs.validate(SCHEMA, fields)
    form = step_of(run, "form")["output"]["result"]["object_id"]
    assert client.get(f"/api/repo-obj/{form}/content").raise_for_status().text == f"A {fields['kind']}.\n"
    assert run["usage"]["requests"] == 1
