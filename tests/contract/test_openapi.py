"""The API's description is true: an independent fuzzer finds no answer that it does not name."""

import json
import re
import subprocess
import sys

import pytest

from teamspace.core.openapi import document
from teamspace.settings import Settings
from tests.support.served import Served
from tests.support.world import PASSWORD, World

CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "negative_data_rejection", "unsupported_method", "use_after_free",
)  # fmt: skip
EXAMPLES = 6


async def test_the_description_names_every_route(world: World) -> None:
    described = (await world.anonymous.get("/api/openapi.json")).json()
    assert described == json.loads(json.dumps(document(world.app.endpoints)))
    operations = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert len(operations) == len(world.app.endpoints)
    assert described["openapi"] == "3.1.0"


async def test_the_page_for_people_stands_alone(world: World) -> None:
    page = await world.anonymous.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text and "http://" not in page.text and "https://" not in page.text
    for endpoint in world.app.endpoints:
        assert endpoint.route.doc.replace("'", "&#x27;") in page.text


@pytest.mark.parametrize("role", ["nobody", "member", "operator"])
def test_a_fuzzer_finds_no_undocumented_answer(settings: Settings, role: str) -> None:
    environment = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}
    with Served({name: value for name, value in environment.items() if value}) as served:
        found = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/api/openapi.json", "--no-color",
                "--checks", ",".join(CHECKS), "--phases", "coverage,fuzzing,stateful", "--seed", "7",
                "--max-examples", str(EXAMPLES), *_credential(served, role),
            ],
            capture_output=True, text=True, timeout=300, check=False, cwd=settings.data,
        )  # fmt: skip
        assert found.returncode == 0, found.stdout[-8000:] + found.stderr[-2000:]
        assert re.search(r"(\d{3,}) generated, \1 passed", found.stdout), found.stdout[-3000:]
        assert "trace=" not in served.logs


def _credential(served: Served, role: str) -> list[str]:
    operator = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
    if role == "nobody":
        return []
    if role == "operator":
        return ["--header", f"Authorization: Bearer {operator}"]
    added = served.call("POST", "/api/members", {"username": "bob", "role": "member"}, token=operator)
    return ["--header", f"Authorization: Bearer {added['token']}"]
