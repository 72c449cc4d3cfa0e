"""The served routes against the contract in `routes.csv`, row by row and in order."""

import csv
import io
import sys
from pathlib import Path

import pytest

from teamspace import cli, routes

CONTRACT = Path(__file__).with_name("routes.csv")

ADDITIONAL = {
    "GET /ready",
    "POST /api/members/:id/transfer",
    "PATCH /api/admin/users/:id",
    "GET /api/openapi.json", "GET /api/docs", "POST /api/logout", "GET /api/sessions", "DELETE /api/sessions/:id",
    "PATCH /api/members/:id", "DELETE /api/members/:id", "GET /api/contacts", "GET /api/events",
    "GET /app/*page", "GET /assets/*path",
}  # fmt: skip
"""Routes beyond the contract: readiness, API description, sessions, end of a membership, contacts, events, and the console's screens and files."""


def routes_csv(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "argv", ["teamspace", "routes", "--csv"])
    with pytest.raises(SystemExit) as exited:
        cli.main()
    assert exited.value.code == 0
    return capsys.readouterr().out


def test_every_row_matches_the_contract_in_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = CONTRACT.read_text().splitlines()
    printed = routes_csv(capsys, monkeypatch).splitlines()
    assert printed[0] == contract[0]
    core = [line for line in printed[1:] if " ".join(line.split(",")[:2]) not in ADDITIONAL]
    assert core == [line for line in contract[1:] if line in set(core)]


def test_additional_routes_come_last(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(csv.DictReader(io.StringIO(routes_csv(capsys, monkeypatch))))
    names = [f"{row['method']} {row['path']}" for row in rows]
    assert set(names[-len(ADDITIONAL) :]) == ADDITIONAL
    assert len(names) == len(routes.ORDER)
