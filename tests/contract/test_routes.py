"""The served routes against the contract in `routes.csv`, row by row, and matched in its order."""

import csv
import io
import sys
from pathlib import Path

import pytest

from teamspace import cli, wiring
from teamspace.app import list_endpoints
from teamspace.core.routing import Route, Router, find_hiding

CONTRACT = Path(__file__).with_name("routes.csv")

ADDITIONAL = {
    "GET /ready",
    "POST /api/members/:id/transfer",
    "PATCH /api/admin/users/:id",
    "GET /api/notes/:id/grants", "GET /api/conversations/:id/grants",
    "GET /api/repo-obj/:id/links", "POST /api/repo-obj/:id/links", "DELETE /api/repo-obj/:id/links/:link",
    "PATCH /api/repo-obj/:id/links/:link", "GET /api/links", "DELETE /api/links/:id", "GET /api/org/links", "DELETE /api/org/links/:id",
    "POST /api/repo-zip", "GET /s/:token", "POST /s/:token", "GET /s/:token/content",
    "GET /api/repo-obj/:id/thumbnail", "GET /api/repo-obj/:id/address", "GET /api/repo-media/:address", "POST /api/repo-zip/list", "POST /api/repo-zip/form",
    "POST /api/repo-obj/:id/move", "POST /api/repo-obj/:id/copy",
    "POST /api/repo-uploads", "GET /api/repo-uploads/:id/parts", "PUT /api/repo-uploads/:id/parts",
    "POST /api/repo-uploads/:id/complete", "DELETE /api/repo-uploads/:id",
    "GET /api/openapi.json", "GET /api/docs", "POST /api/logout", "POST /api/login/resume", "GET /api/sessions", "DELETE /api/sessions/:id",
    "PATCH /api/members/:id", "DELETE /api/members/:id", "GET /api/contacts", "GET /api/events",
    "GET /api/conversations", "POST /api/conversations", "GET /api/conversations/:id", "PATCH /api/conversations/:id",
    "DELETE /api/conversations/:id", "POST /api/conversations/:id/share",
    "DELETE /api/ai/chat/stream/:id", "POST /v1/chat/completions", "GET /v1/models",
    "POST /api/kg/entities/:id/merge", "POST /api/kg/entities/:id/split",
    "GET /api/favourites", "PUT /api/favourites/:kind/:id", "DELETE /api/favourites/:kind/:id",
    "GET /api/recents", "PUT /api/recents/:kind/:id", "GET /api/usage/history", "GET /api/activity", "GET /api/shared",
    "POST /mcp", "PUT /api/oop/:id/grants",
    "DELETE /api/beta/prospects/:id", "POST /api/beta/experience/replay",
    "PATCH /api/repo-obj/:id/versions/:number", "GET /api/references", "GET /api/mentions",
    "PUT /api/presence/:kind/:id", "DELETE /api/presence/:kind/:id",
    "GET /api/trash", "POST /api/trash/:id/restore", "DELETE /api/trash/:id", "DELETE /api/trash",
    "GET /app/*page", "GET /assets/*path", "GET /frame",
}  # fmt: skip
"""Routes beyond the contract: readiness, API description, sessions, end of a membership, moving and copying files, addresses
of content for elements of a page, uploads by parts, public links, the trash, contacts, events, conversations, stopping a turn, the OpenAI protocol, the Model Context Protocol, what
sandboxed plugins may use, merging and splitting entities, names of versions, backlinks and mentions, presence, favourites
and recents, the console's screens and files, and the frame of bundles."""

STRICTER = {
    "GET /api/beta/experience", "PUT /api/beta/experience", "POST /api/beta/experience/publish",
    "POST /api/beta/assets", "GET /api/beta/assets", "DELETE /api/beta/asset/:id",
    "GET /api/beta/prospects", "POST /api/beta/prospects/:id/decide",
}  # fmt: skip
"""Routes for which the contract names no permission: they hold people's data and a public page, and need
`settings:manage`."""


def routes_csv(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["teamspace", "routes", "--csv"])
    with pytest.raises(SystemExit) as exited:
        cli.main()
    assert exited.value.code == 0
    return capsys.readouterr().out.splitlines()


def in_order_of_the_contract() -> list[Route]:
    """All routes: those of the contract in its order, then the additional ones."""
    rows = csv.DictReader(io.StringIO(CONTRACT.read_text()))
    position = {f"{row['method']} {row['path']}": number for number, row in enumerate(rows)}
    return sorted(wiring.SHIPPED.rows(Route), key=lambda route: position.get(route.name, len(position)))


@pytest.mark.sampled(1)
def test_every_row_matches_the_contract(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    contract, printed = CONTRACT.read_text().splitlines(), routes_csv(capsys, monkeypatch)
    assert printed[0] == contract[0]
    assert {" ".join(line.split(",")[:2]) for line in set(printed) - set(contract)} == ADDITIONAL | STRICTER
    assert all(f"{name.replace(' ', ',')},B,," in contract for name in STRICTER)
    assert len(set(printed)) == len(printed)


@pytest.mark.sampled(1)
def test_no_route_is_hidden_by_one_that_the_contract_matches_before_it() -> None:
    routes = in_order_of_the_contract()
    hidden = {route.name: list(find_hiding(route, routes[:position])) for position, route in enumerate(routes)}
    assert not any(hidden.values())


def test_requests_match_as_in_the_order_of_the_contract() -> None:
    """Every row is tried with its own path, and with paths that could be a parameter or the rest of another row."""
    routes, router = in_order_of_the_contract(), Router(list_endpoints())
    parts = {part for route in routes for part in route.path.split("/") if part.isalpha()}
    for route in routes:
        for value in ["7", *parts]:
            path = "/".join(value if part[:1] in (":", "*") else part for part in route.path.split("/"))
            first = next(row for row in routes if row.method == route.method and matches(row.path, path))
            endpoint, _, _ = router.match(route.method, path)
            assert endpoint is not None and endpoint.route == first, path


def matches(pattern: str, path: str) -> bool:
    expected, parts = pattern.split("/"), path.split("/")
    if expected[-1].startswith("*"):
        parts[len(expected) - 1 :] = ["/".join(parts[len(expected) - 1 :])]
    return len(expected) == len(parts) and all(
        each[:1] in (":", "*") or each == part for each, part in zip(expected, parts, strict=True)
    )
