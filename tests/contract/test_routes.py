"""The served routes against the interface they promise: `routes.csv` lists it row by row, in order."""

import csv
import io
import sys
from pathlib import Path

import pytest

from teamspace import cli, routes

PROMISED = Path(__file__).with_name("routes.csv")

BEYOND = {
    "GET /ready",
    "POST /api/members/:id/transfer",
    "PATCH /api/admin/users/:id",
    "GET /api/openapi.json", "GET /api/docs", "POST /api/logout", "GET /api/sessions", "DELETE /api/sessions/:id",
    "PATCH /api/members/:id", "DELETE /api/members/:id", "GET /api/contacts",
    "GET /app/*page", "GET /assets/*path",
}  # fmt: skip
"""What is served besides, each with a reason: readiness, description of the API, sessions, the end of a membership, whom to ask for access, and the console's screens and files."""


def served(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "argv", ["teamspace", "routes", "--csv"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0
    return capsys.readouterr().out


def test_every_row_is_as_promised_and_in_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    promised = PROMISED.read_text().splitlines()
    printed = served(capsys, monkeypatch).splitlines()
    assert printed[0] == promised[0]
    core = [line for line in printed[1:] if " ".join(line.split(",")[:2]) not in BEYOND]
    assert core == [line for line in promised[1:] if line in set(core)]


def test_what_is_served_besides_comes_last(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(csv.DictReader(io.StringIO(served(capsys, monkeypatch))))
    names = [f"{row['method']} {row['path']}" for row in rows]
    assert set(names[-len(BEYOND) :]) == BEYOND
    assert len(names) == len(routes.ORDER)
