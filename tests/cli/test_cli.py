"""The command line."""

import argparse
import asyncio
import csv
import getpass
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec
import pytest

from teamspace import __version__, cli, wiring
from teamspace.blobs import SMALL
from teamspace.core.db import Tx, audit, connect
from teamspace.core.db.statements import written_table
from teamspace.core.principal import system
from teamspace.core.routing import Route
from teamspace.settings import SETTINGS, Settings
from teamspace.tenancy.schemas import OrgRole, Role
from tests.branding.help import encoded, picture
from tests.conversations.help import create, say
from tests.identity.help import enrolled, login, signed_in, trail
from tests.jobs.help import claim, complete
from tests.knowledge.help import learn
from tests.localization.help import translate_console
from tests.onboarding.help import document as experience
from tests.onboarding.signing_up import sign_up
from tests.repository.help import put
from tests.support.tampering import tamper
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.triggers.help import add_trigger, publish

NEW_PASSWORD = "staple lantern orbit"
RunCommand = Callable[..., "Result"]
ON_SQLITE = pytest.mark.parametrize("database_url", [pytest.param("", id="sqlite")])


class Result(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> RunCommand:
    """Runs a command in this process, without the .env and settings of the developer."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SERVICE_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str, stdin: str = "", settings: Settings | None = None) -> Result:
        monkeypatch.setattr(sys, "argv", ["teamspace", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        for name, value in environment(settings).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as exited:
            cli.main()
        out, err = capsys.readouterr()
        code = exited.value.code
        return Result(1, out, err + code) if isinstance(code, str) else Result(code or 0, out, err)

    return run


def environment(settings: Settings | None) -> dict[str, str]:
    if settings is None:
        return {}
    return {
        "SERVICE_DATA": str(settings.data),
        "SERVICE_DATABASE_URL": settings.database_url,
        "SERVICE_SECRET_KEY": settings.secret_key,
        "SERVICE_SQLITE_SYNC": settings.sqlite_sync,
    }


def with_world(settings: Settings, action: Callable[[World], Awaitable[Any]]) -> Any:
    """Opens the instance, as a server would between two commands, and returns the result of `action`."""

    async def run() -> Any:
        async with open_world(settings) as world:
            return await action(world)

    return asyncio.run(run())


async def populate(world: World) -> None:
    """Adds a little of everything that an invariant checks, and seals the audit log."""
    ann = await world.bootstrap()
    await translate_console(world, ann)
    joined = (await ann.post("/api/members", {"username": "bob", "role": "member"})).json()
    bob = Caller(world, joined["token"])
    org, team = await world.company("Other")
    await world.person(org, team, Role.OWNER, username="zoe", org_role=OrgRole.OWNER)
    await ann.post("/api/orgs", {"name": "Third", "team": "Third", "owner": {"username": "invited"}})
    await ann.put("/api/org/branding", {"logo": f"data:image/png;base64,{encoded(picture())}"})
    await ann.post("/api/quota", {"dimension": "ai.requests", "limit": 5, "window": "day"})
    codes = (await enrolled(ann))["recovery_codes"]
    await signed_in(world, "ann", totp=codes[0])
    await signed_in(world, "ann", totp=codes[1], stay=True)
    note = (await bob.post("/api/notes", {"title": "Plan"})).json()
    await bob.post("/api/documents", {"title": "Link", "body": f"[Plan](/notes/{note['id']})"})
    await bob.post(f"/api/notes/{note['id']}/share", {"user_id": ann.user_id, "permission": "notes:read"})
    await bob("PUT", f"/api/repo/attachments/{note['id']}/chart.txt", content=b"Chart")
    await bob.post("/api/profile", {"preferences": {"files_as": "tiles", "checklist_dismissed": True}})
    await bob.put(f"/api/favourites/note/{note['id']}", None)
    await bob.put(f"/api/recents/note/{note['id']}", None)
    conversation = await create(world, ann, "Plan")
    await say(world, ann, conversation, "Which plan?")
    grant = {"user_id": joined["member"]["user_id"], "permission": "notes:read"}
    await ann.post(f"/api/conversations/{conversation}/share", grant)
    await learn(ann, "Minutes", "Anna Berg met Bob Stone in Oslo.")
    await publish(ann)
    await add_trigger(ann)
    await ann.put("/api/beta/experience", experience())
    await ann.post("/api/beta/experience/publish")
    await ann.post("/api/beta/assets", {"filename": "a.png", "data": encoded(picture())})
    await sign_up(world)
    plan = (await bob("PUT", "/api/repo/plan.txt", content=b"Plan")).json()
    await bob.post(f"/api/repo-obj/{plan['id']}/share", {"user_id": ann.user_id})
    await bob.post(f"/api/repo-obj/{plan['id']}/links", {})
    await world.worker(ann.org, ann.team)
    await ann.post("/api/executors", {"name": "Far", "mode": "pull", "org_id": ann.org.id})
    await ann.put("/api/model-roles", {"roles": {"utility": "Far"}})
    await ann.post("/api/glossary", {"term": "plan", "target": "de", "translation": "Plan"})
    await ann.post("/api/agent", {"prompt": "Hello"})
    steps = [{"id": "find", "kind": "tool", "tool": "search", "with": {"q": "plan"}}]
    await ann.post("/api/workflows", {"slug": "find", "start": "find", "max_steps": 5, "steps": steps})
    await ann.post("/api/workflows/find/run", {})
    await ann.put("/api/model-roles", {"roles": {"chat": "Far", "utility": None}})
    await ann.post("/api/translate", {"text": "Plan", "target": "de"})
    for _ in range(3):
        await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello", "executor": "local"}})
    ((_, claimed), _) = await claim(world, 2)
    await complete(world, claimed)
    await audit.seal(world.db)


# Help


def commands(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command and its description."""
    yield path, " ".join((parser.description or "").split())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from commands(command, (*path, name))


def test_every_command_has_a_description(run_command: RunCommand) -> None:
    found = list(commands(cli._parser()))
    assert {("serve",), ("routes",), ("openapi",), ("migrate",), ("doctor",), ("user", "reset-2fa")} <= {
        path for path, _ in found
    }
    for path, description in found:
        result = run_command(*path, "--help")
        assert result.status == 0
        assert description and description in " ".join(result.out.split())


def test_serve_lists_every_setting(run_command: RunCommand) -> None:
    shown = run_command("serve", "--help").out
    assert all(setting.name in shown and setting.doc in shown for setting in SETTINGS)


def test_an_unknown_command_is_refused(run_command: RunCommand) -> None:
    for wrong in ((), ("dance",), ("user",), ("user", "dance"), ("routes", "--xml")):
        result = run_command(*wrong)
        assert (result.status, result.out) == (2, "")
        assert "usage: teamspace" in result.err


def test_the_package_runs_as_a_program() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "teamspace", "--version"], capture_output=True, text=True, check=True
    )
    assert completed.stdout == f"teamspace {__version__}\n"


def test_a_wrong_setting_is_one_line(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_PROT", "80")
    result = run_command("migrate")
    assert result.status == 1
    assert result.err == "teamspace: SERVICE_PROT is not a setting; `teamspace serve --help` lists them"


# routes, openapi


def test_the_csv_has_a_row_for_each_route(run_command: RunCommand) -> None:
    result = run_command("routes", "--csv")
    assert result.status == 0
    assert result.out.splitlines()[0] == "method,path,auth,permission,feature"
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [f"{row['method']} {row['path']}" for row in rows] == [row.name for row in wiring.SHIPPED.rows(Route)]
    by_name = {f"{row['method']} {row['path']}": row for row in rows}
    assert by_name["POST /api/members"]["permission"] == "members:manage"
    assert by_name["POST /api/login"]["permission"] == ""
    assert by_name["POST /api/login"]["auth"] != by_name["POST /api/members"]["auth"]


def test_the_route_list_describes_each_route(run_command: RunCommand) -> None:
    lines = run_command("routes").out.splitlines()
    assert len(lines) == len(wiring.SHIPPED.rows(Route))
    assert any("/api/login" in line and "a session token" in line for line in lines)


def test_the_openapi_document_has_every_route(run_command: RunCommand) -> None:
    result = run_command("openapi")
    assert result.status == 0
    document = json.loads(result.out)
    assert document["openapi"].startswith("3.1.")
    known = {
        f"{method.upper()} {path}".replace("{", ":").replace("}", "")
        for path, methods in document["paths"].items()
        for method in methods
    }
    under_api = {row.name.replace("*", ":") for row in wiring.SHIPPED.rows(Route) if "/api/" in row.path}
    assert under_api <= known


# migrate


def test_migrate_creates_the_schema_and_lists_the_migrations(run_command: RunCommand, tmp_path: Path) -> None:
    first, second = run_command("migrate"), run_command("migrate")
    assert (first.status, second.status) == (0, 0)
    database = apsw.Connection(str(tmp_path / "data" / "teamspace.sqlite"))
    names = [str(row[0]) for row in database.execute("SELECT name FROM migrations ORDER BY number")]
    database.close()
    assert names[0] == "0001_core.sql"
    assert all(name in first.out for name in names)
    assert second.out == "the schema is up to date\n"


def test_a_newer_schema_is_refused(run_command: RunCommand, settings: Settings) -> None:
    assert run_command("migrate", settings=settings).status == 0
    execute(settings, "INSERT INTO migrations (number, name, digest, applied_at) VALUES (9999, 'x', 'x', 'x')")
    result = run_command("migrate", settings=settings)
    assert result.status == 1
    assert "the database has schema 9999" in result.err


# collect


def test_collect_deletes_unreferenced_blobs_at_once(run_command: RunCommand, settings: Settings) -> None:
    async def prepare(world: World) -> None:
        ann = await world.bootstrap()
        created = await put(ann, "a.bin", b"x" * (SMALL + 1))
        await ann.delete_for_good(f"/api/repo-obj/{created['id']}")

    with_world(settings, prepare)
    for message in ("1 blobs deleted", "0 blobs deleted"):
        result = run_command("collect", settings=settings)
        assert (result.status, result.out.strip()) == (0, message)


# doctor

OTHER = "(SELECT id FROM orgs WHERE slug = 'other')"
LEDGER_ENTRY = (
    "INSERT INTO quota_ledger (id, org_id, team_id, user_id, purpose, slots, requests, tokens, began_at, expires_at,"
    " settled_at) SELECT 'x', org_id, id, '', '',"
)
"""A ledger row of some team, without its figures and times."""
VIOLATIONS = [
    ("objects.attachments", f"UPDATE attachments SET org_id = {OTHER}"),
    ("tenancy.preferences", f"UPDATE preferences SET org_id = {OTHER}"),
    ("tenancy.preferences", f"UPDATE dismissed_checklists SET org_id = {OTHER}"),
    ("links.company", f"UPDATE object_links SET org_id = {OTHER}"),
    ("prospects.company", f"UPDATE prospects SET org_id = {OTHER}"),
    ("prospects.decision", "UPDATE prospects SET state = 'declined'"),
    ("prospects.decision", "UPDATE prospects SET decided_at = 'x'"),
    ("prospects.verdict", "UPDATE prospects SET verdict = 'accept'"),
    ("onboarding.company", f"UPDATE experiences SET org_id = {OTHER}"),
    ("onboarding.published", "UPDATE experiences SET published_at = NULL"),
    ("onboarding.published", "UPDATE experiences SET version = 0"),
    ("onboarding.asset_company", f"UPDATE onboarding_assets SET org_id = {OTHER}"),
    ("references.sources", f"UPDATE text_references SET org_id = {OTHER}"),
    ("references.sources", "UPDATE text_references SET source_id = 'x'"),
    ("favourites.company", f"UPDATE favourites SET org_id = {OTHER}"),
    ("recents.company", f"UPDATE recents SET org_id = {OTHER}"),
    ("triggers.company", f"UPDATE doc_triggers SET org_id = {OTHER}"),
    ("triggers.history", f"UPDATE trigger_fires SET org_id = {OTHER}"),
    ("triggers.history", "UPDATE trigger_fires SET run_id = NULL"),
    ("triggers.history", "UPDATE trigger_fires SET reason = 'loop'"),
    ("knowledge.company", f"UPDATE kg_mentions SET org_id = {OTHER}"),
    ("knowledge.company", f"UPDATE kg_document_names SET org_id = {OTHER}"),
    ("knowledge.entries", "DELETE FROM kg_entries"),
    ("knowledge.entries", "UPDATE kg_entries SET audience = 'own:x'"),
    ("knowledge.mentions", "UPDATE kg_document_names SET mentions = mentions + 1"),
    ("knowledge.mentions", "DELETE FROM kg_mentions"),
    ("knowledge.roots", "INSERT INTO kg_merges (team_id, name_id, root_id, org_id, merged_by, created_at)"
                        " SELECT (SELECT id FROM teams LIMIT 1), id, id, org_id, '', 'x' FROM kg_names"),
    ("knowledge.text", "DELETE FROM texts WHERE kind = 'entity'"),
    ("knowledge.text", "UPDATE texts SET ref = ref || 'x' WHERE kind = 'entity'"),
    ("agents.company", f"UPDATE agent_steps SET org_id = {OTHER}"),
    ("ai.answers", f"INSERT INTO model_answers (team_id, digest, org_id, answer, created_at)"
                   f" SELECT id, 'x', {OTHER}, 'x', 'x' FROM teams"),
    ("executors.roles", f"UPDATE team_model_roles SET org_id = {OTHER}"),
    ("executors.roles", f"UPDATE executors SET org_id = {OTHER}"),
    ("executors.roles", "UPDATE executors SET retired_at = 'x'"),
    ("translation.company", f"UPDATE translations SET org_id = {OTHER}"),
    ("translation.glossary", f"UPDATE glossaries SET org_id = {OTHER}"),
    ("translation.glossary", f"UPDATE glossary_terms SET org_id = {OTHER}"),
    ("translation.audit", "UPDATE translations SET id = 'x'"),
    ("audit.secrets", "INSERT INTO audit (id, org_id, at, actor_kind, action, detail, request_id, address)"
                      " VALUES ('x', 'x', 'x', 'x', 'x', '{\"token\":\"ts_a_4Zb\"}', 'x', 'x')"),
    ("audit.secrets", "INSERT INTO audit (id, org_id, at, actor_kind, action, detail, request_id, address)"
                      " VALUES ('x', 'x', 'x', 'x', 'x', '{\"token\":\"ts_s_4Zb\"}', 'x', 'x')"),
    ("audit.secrets", "INSERT INTO audit (id, org_id, at, actor_kind, action, detail, request_id, address)"
                      " VALUES ('x', 'x', 'x', 'x', 'x', '{\"token\":\"ts_w_4Zb\"}', 'x', 'x')"),
    ("audit.chain", "UPDATE audit SET target = 'somebody else' WHERE seq = 2"),
    ("audit.chain", "UPDATE audit SET hash = 'x' WHERE seq = 2"),
    ("audit.chain", "DELETE FROM audit WHERE seq = 1"),
    ("audit.chain", "DELETE FROM audit WHERE seq = 2"),
    ("identity.digests", "UPDATE tokens SET digest = 'short' WHERE kind = 'stay'"),
    ("identity.digests", "UPDATE tokens SET digest = 'ts_s_' || SUBSTR(digest, 6) WHERE kind = 'session'"),
    ("identity.sessions", "UPDATE tokens SET expires_at = NULL WHERE kind = 'session'"),
    ("identity.sessions", "UPDATE tokens SET user_id = NULL WHERE kind = 'session'"),
    ("identity.sessions", f"UPDATE tokens SET org_id = {OTHER} WHERE kind = 'session'"),
    ("identity.sessions", "UPDATE tokens SET expires_at = NULL WHERE kind = 'stay'"),
    ("identity.stays", "UPDATE tokens SET revoked_at = '9999' WHERE kind = 'stay'"),
    ("identity.stays", "UPDATE tokens SET expires_at = '9999' WHERE stay_id IS NOT NULL"),
    ("identity.stays", "UPDATE tokens SET stay_id = 'none' WHERE stay_id IS NOT NULL"),
    ("identity.disabled", "UPDATE users SET disabled_at = 'x' WHERE username <> 'invited'"),
    ("identity.disabled", "UPDATE users SET disabled_at = 'x' WHERE username = 'invited'"),
    ("identity.use", "UPDATE tokens SET last_used_at = '9999' WHERE kind = 'session'"),
    ("identity.use", "UPDATE tokens SET revoked_at = '0001' WHERE kind = 'session'"),
    ("identity.activation", "UPDATE users SET password = 'x' WHERE username = 'invited'"),
    ("identity.recovery", "UPDATE totp SET armed_at = NULL"),
    ("identity.recovery", "DELETE FROM totp"),
    ("identity.recovery", "INSERT INTO recovery_codes (user_id, org_id, digest)"
                          " SELECT user_id, org_id, 'x' || digest FROM recovery_codes"),
    ("tenancy.company", f"UPDATE memberships SET org_id = {OTHER} WHERE role = 'member'"),
    ("tenancy.company", f"UPDATE teams SET org_id = {OTHER} WHERE slug = 'general'"),
    ("tenancy.company", f"UPDATE org_roles SET org_id = {OTHER}"),
    ("tenancy.bootstrap", "DELETE FROM instance WHERE name = 'bootstrapped'"),
    ("tenancy.company_owners", "UPDATE org_roles SET role = 'org_admin'"),
    ("quota.windows", "UPDATE quota_limits SET per = NULL WHERE dimension = 'ai.requests'"),
    ("quota.windows", "UPDATE quota_limits SET per = 'day' WHERE dimension = 'ai.concurrency'"),
    ("quota.windows", "UPDATE quota_limits SET per = 'day' WHERE dimension = 'storage.bytes'"),
    ("quota.subjects", f"UPDATE quota_limits SET org_id = {OTHER} WHERE level = 'team'"),
    ("quota.subjects", "UPDATE quota_limits SET org_id = 'x' WHERE level = 'org'"),
    ("quota.subjects", "UPDATE quota_limits SET level = 'tenant' WHERE level = 'team'"),
    ("quota.ledger", "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens)"
                     " VALUES ('team', 'lifetime', 'x', 'x', 'x', 0, 1)"),
    ("quota.ledger", f"{LEDGER_ENTRY} 0, 1, 0, '', '', 'x' FROM teams LIMIT 1"),
    ("quota.tenant", "UPDATE quota_stored SET bytes = bytes + 1 WHERE level = 'tenant'"),
    ("quota.tenant", "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens)"
                     " VALUES ('tenant', 'lifetime', 'x', '1', '', 1, 0)"),
    ("quota.settled", f"{LEDGER_ENTRY} 1, 0, 0, '', '', 'x' FROM teams LIMIT 1"),
    ("quota.settled", f"{LEDGER_ENTRY} 0, -1, 0, '', '', NULL FROM teams LIMIT 1"),
    ("quota.company", f"{LEDGER_ENTRY.replace('org_id, id,', f'{OTHER}, id,')} 0, 0, 0, '', '', NULL FROM teams"
                      " WHERE slug = 'general' LIMIT 1"),
    ("jobs.held", "UPDATE jobs SET lease_until = NULL WHERE state = 'running'"),
    ("jobs.held", "UPDATE jobs SET claim_hash = NULL WHERE state = 'running'"),
    ("jobs.held", "UPDATE jobs SET lease_until = 'x' WHERE state = 'queued'"),
    ("jobs.ended", "UPDATE jobs SET result = NULL WHERE state = 'succeeded'"),
    ("jobs.ended", "UPDATE jobs SET rank = 1 WHERE state = 'succeeded'"),
    ("jobs.ended", "UPDATE jobs SET finished_at = NULL WHERE state = 'succeeded'"),
    ("jobs.parked", "UPDATE jobs SET phase = 'parked', rank = NULL WHERE state = 'queued'"),
    ("jobs.parked", "UPDATE jobs SET phase = 'scheduled', rank = 1 WHERE state = 'queued'"),
    ("jobs.company", f"UPDATE jobs SET org_id = {OTHER}"),
    ("jobs.holds", "UPDATE quota_ledger SET team_id = (SELECT id FROM teams WHERE slug = 'first')"),
    ("jobs.once", "INSERT INTO job_archive (id, org_id, team_id, user_id, kind, state, priority, run_at, attempt, max_attempts,"
                  " input, created_at) SELECT id, org_id, team_id, user_id, kind, state, priority, run_at, attempt,"
                  " max_attempts, input, created_at FROM jobs"),
    ("workflows.newest", "UPDATE workflows SET version = 7"),
    ("workflows.company", f"UPDATE runs SET org_id = {OTHER}"),
    ("workflows.ended", "UPDATE runs SET finished_at = 'x'"),
    ("workflows.ended", "UPDATE runs SET state = 'failed', finished_at = 'x'"),
    ("workflows.steps", "UPDATE runs SET state = 'cancelled', finished_at = 'x'"),
    ("workflows.items", "DELETE FROM run_items"),
    ("workflows.used", "UPDATE runs SET steps_used = 7"),
    ("executors.tokens", "UPDATE executors SET retired_at = 'x'"),
    ("executors.tokens", "UPDATE tokens SET kind = 'api' WHERE kind = 'worker'"),
    ("executors.retired", "INSERT INTO executors (id, org_id, name, name_key, mode, capabilities, reach, created_by,"
                          " created_at, retired_at) VALUES ('local', '', 'x', 'x', 'pull', '[]', 'public', '', '', 'x')"),
    ("executors.company", "INSERT INTO executors (id, org_id, name, name_key, mode, capabilities, reach, created_by,"
                          f" created_at) SELECT 'local', {OTHER}, 'x', 'x', 'pull', '[]', 'public', '', ''"),
    ("executors.modes", "UPDATE executors SET mode = 'push'"),
    ("executors.modes", "UPDATE executors SET token_id = NULL"),
    ("blobs.small", f"UPDATE blobs SET size = {SMALL + 1}"),
    ("blobs.small", "UPDATE blobs SET size = size - 1"),
    ("blobs.unused", "UPDATE blobs SET collect_at = NULL, org_id = 'nobody'"),
    ("branding.company", "UPDATE branding SET org_id = 'x'"),
    ("branding.logo", "DELETE FROM blobs"),
    ("branding.logo_type", "UPDATE branding SET logo_type = 'text/html'"),
    ("branding.logo_type", "UPDATE branding SET logo_type = NULL"),
    ("localization.sources", "UPDATE l10n_entries SET current_hash = 'x'"),
    ("localization.sources", "UPDATE l10n_messages SET key = 'x' WHERE key = 'title'"),
    ("localization.complete", "DELETE FROM l10n_entries WHERE key = 'title' AND locale = 'de'"),
    ("localization.complete", "DELETE FROM l10n_locales WHERE locale = 'is'"),
    ("localization.texts", "UPDATE l10n_entries SET origin = NULL WHERE text IS NOT NULL"),
    ("localization.texts", "UPDATE l10n_entries SET review = 'submitted'"),
    ("localization.reviewed", "UPDATE l10n_entries SET translated_by = approved_by"),
    ("localization.counts", "UPDATE l10n_locales SET missing = missing + 1"),
    ("localization.counts", "UPDATE l10n_namespaces SET submitted = submitted + 1"),
    ("localization.counts", "UPDATE l10n_entries SET review = NULL, proposal = NULL, author_id = NULL"),
    ("tenancy.owners", "UPDATE memberships SET role = 'admin' WHERE role = 'owner'"),
    ("tenancy.credentials", "DELETE FROM memberships WHERE role = 'member'"),
    ("notes.company", f"UPDATE notes SET org_id = {OTHER}"),
    ("notes.company", f"UPDATE note_grants SET org_id = {OTHER}"),
    ("notes.company", "UPDATE note_grants SET principal_id = (SELECT id FROM users WHERE username = 'zoe')"),
    ("notes.company", "UPDATE note_grants SET principal_type = 'team'"),
    ("conversations.company", f"UPDATE conversations SET org_id = {OTHER}"),
    ("conversations.turns", f"UPDATE conversation_turns SET org_id = {OTHER}"),
    ("conversations.company", f"UPDATE conversation_grants SET org_id = {OTHER}"),
    ("conversations.company", "UPDATE conversation_grants SET principal_id = (SELECT id FROM users WHERE username = 'zoe')"),
    ("conversations.audit", "INSERT INTO conversations (id, org_id, team_id, owner_id, title, excerpt, turns, ended, size,"
                            " characters, created_at, updated_at) SELECT 'x', org_id, team_id, owner_id, title, excerpt, turns,"
                            " ended, size, characters, created_at, updated_at FROM conversations"),
    ("conversations.text", "DELETE FROM texts"),
    ("conversations.text", f"UPDATE texts SET org_id = {OTHER}"),
    ("conversations.text", "DELETE FROM conversations"),
    ("conversations.counts", "UPDATE conversations SET turns = turns + 1"),
    ("conversations.counts", "UPDATE conversations SET ended = 0"),
    ("conversations.counts", "UPDATE conversations SET characters = characters + 1"),
    ("conversations.counts", "UPDATE conversation_turns SET size = size + 1"),
    ("conversations.counts", "UPDATE conversation_turns SET number = number + 7"),
    ("conversations.counts", "DELETE FROM conversation_turns"),
    ("conversations.tree", "UPDATE conversation_turns SET parent_id = NULL"),
    ("conversations.tree", "UPDATE conversation_turns SET parent_id = 'x'"),
    ("conversations.tree", "UPDATE conversation_turns SET role = 'user'"),
    ("conversations.running", "UPDATE conversation_turns SET state = 'running' WHERE role = 'assistant'"),
    ("conversations.activity", "UPDATE conversation_grants SET updated_at = 'x'"),
    ("tools.company", f"INSERT INTO team_tools (team_id, tool, org_id, enabled, updated_at)"
                      f" SELECT id, 'search', {OTHER}, TRUE, 'x' FROM teams WHERE slug = 'general'"),
    ("notes.audit", "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at,"
                    " updated_at) SELECT 'x', org_id, team_id, owner_id, title, body, visibility, tags, version, created_at,"
                    " updated_at FROM notes"),
    ("objects.company", f"UPDATE objects SET org_id = {OTHER}"),
    ("objects.company", f"UPDATE object_versions SET org_id = {OTHER}"),
    ("objects.company", f"UPDATE object_grants SET org_id = {OTHER}"),
    ("objects.company", "UPDATE object_grants SET principal_id = (SELECT id FROM users WHERE username = 'zoe')"),
    ("objects.company", "UPDATE object_grants SET principal_type = 'team'"),
    ("objects.grants", "UPDATE object_grants SET key = 'elsewhere'"),
    ("objects.grants", "UPDATE object_grants SET removed = TRUE"),
    ("objects.newest", "DELETE FROM object_versions"),
    ("objects.newest", "UPDATE objects SET size = 7"),
    ("objects.newest", "INSERT INTO object_versions SELECT 'x', object_id, org_id, 2, removal, size, blob, sha256, etag,"
                       " content_type, filename, title, carried, tags, author_id, actor_kind, run_id, created_at, text_blob,"
                       " text_length, name FROM object_versions WHERE filename = 'plan.txt'"),
    ("objects.newest", "UPDATE objects SET removed = TRUE"),
    ("objects.newest", "UPDATE objects SET etag = 'x'"),
    ("objects.newest", "UPDATE objects SET sha256 = NULL"),
    ("objects.newest", "UPDATE objects SET numbered = 0"),
    ("objects.bytes", "UPDATE object_versions SET blob = NULL"),
    ("objects.bytes", "UPDATE object_versions SET removal = TRUE"),
    ("objects.bytes", "INSERT INTO object_parts (version_id, number, org_id, start, size, blob, md5)"
                      " SELECT id, 1, org_id, 0, size, blob, etag FROM object_versions"),
    ("objects.stored", "UPDATE quota_stored SET bytes = bytes + 1 WHERE level = 'team'"),
    ("objects.stored", "UPDATE quota_stored SET objects = 0 WHERE level = 'org'"),
    ("objects.stored", "DELETE FROM quota_stored"),
    ("objects.stored", "UPDATE object_versions SET size = size + 1"),
    ("objects.stored", "DELETE FROM objects"),
    ("objects.audit", "INSERT INTO objects SELECT 'x', org_id, team_id, owner_id, 'x', filename, title, content_type,"
                      " visibility, version, numbered, removed, size, sha256, etag, text_state, text_fault,"
                      " text_tries, known_version, written_at, created_at, updated_at, NULL, NULL, NULL FROM objects WHERE key = 'plan.txt'"),
    ("objects.derivations", "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number,"
                            " org_id, recipe, latest, created_at) SELECT id, 99, id, 1, 1, org_id, '', TRUE, 'x' FROM objects"),
    ("objects.text", "DELETE FROM texts"),
    ("objects.text", "UPDATE objects SET removed = TRUE"),
    ("objects.text", "UPDATE texts SET ref = ref || 'x' WHERE kind = 'object'"),
    ("objects.text", f"UPDATE texts SET org_id = {OTHER}"),
    ("notes.text", "DELETE FROM texts"),
    ("notes.text", "UPDATE texts SET ref = ref || 'x'"),
    ("notes.text", f"UPDATE texts SET org_id = {OTHER}"),
    ("notes.text", "DELETE FROM notes"),
    ("notes.trash", "UPDATE notes SET trashed_by = 'x'"),
    ("notes.trash", "UPDATE note_grants SET trashed_at = 'x'"),
    ("notes.trash", "UPDATE texts SET kind = 'trashed' || kind WHERE kind = 'note'"),
    ("notes.trash", "UPDATE notes SET trashed_at = 'x', trashed_by = 'x'"),
    ("objects.trash", "UPDATE objects SET trashed_by = 'x'"),
    ("objects.trash", "UPDATE texts SET kind = 'trashed' || kind WHERE kind = 'object'"),
    ("objects.trash", "UPDATE objects SET removed = TRUE, trashed_at = 'x', trashed_by = 'x'"),
    ("objects.grants", "UPDATE object_grants SET trashed_at = 'x'"),
]  # fmt: skip


def check_results(result: Result) -> dict[str, str]:
    """The status of each check of the doctor."""
    lines = [line.split() for line in result.out.splitlines() if not line.startswith(" ")]
    return {name: status for status, name, *_ in lines}


def execute(settings: Settings, sql: str) -> None:
    """Runs SQL directly on the database, bypassing all checks."""

    async def run() -> None:
        engine = await connect(settings.database, pool=1)
        triggers = (
            "DROP TRIGGER audit_unchanged; DROP TRIGGER audit_undeleted;" if written_table(sql) == "audit" else ""
        )
        await engine.script(triggers + sql)
        await engine.close()

    asyncio.run(run())


def test_the_doctor_finds_nothing_in_a_new_instance(run_command: RunCommand, settings: Settings) -> None:
    with_world(settings, World.counts)
    result = run_command("doctor", settings=settings)
    assert (result.status, set(check_results(result).values())) == (0, {"ok"})
    assert {row.name for row in wiring.INVARIANTS} | {"audit.chain", "setup", "database"} == set(check_results(result))


def test_the_doctor_finds_nothing_in_an_instance_in_use(run_command: RunCommand, settings: Settings) -> None:
    with_world(settings, populate)
    result = run_command("doctor", settings=settings)
    assert (result.status, set(check_results(result).values())) == (0, {"ok"})


@ON_SQLITE
def test_the_doctor_finds_every_violation(run_command: RunCommand, settings: Settings, thorough: bool) -> None:
    """A normal run tries one violation of each invariant; the next test tries the queries of all."""
    with_world(settings, populate)
    missed = []
    for number, (name, sql) in enumerate(VIOLATIONS if thorough else dict(VIOLATIONS).items()):
        copy = msgspec.structs.replace(settings, data=settings.data.with_name(f"copy{number}"))
        shutil.copytree(settings.data, copy.data)
        execute(copy, sql)
        result = run_command("doctor", settings=copy)
        if (result.status, check_results(result)[name]) != (1, "BROKEN"):
            missed.append((name, sql))
    assert missed == []


class RolledBack(Exception):
    """Rolls a transaction back."""


async def test_every_invariant_can_fail_on_either_database(world: World) -> None:
    await populate(world)
    missed = []
    queries = {row.name: row.sql for row in wiring.INVARIANTS}
    for name, sql in VIOLATIONS:
        with pytest.raises(RolledBack):
            async with world.db.maintenance(system()) as tx:
                await (tamper if name == "audit.chain" else Tx.run)(tx, sql)
                found = await audit.verify_chains(tx) if name == "audit.chain" else await tx.all(str, queries[name])
                missed += [] if found else [(name, sql)]
                raise RolledBack
    assert missed == []


@pytest.mark.parametrize(
    ("parts", "complete"),
    [
        ([(0, 4)], True), ([(0, 1), (1, 3)], True), ([(0, 3)], False), ([(1, 4)], False), ([(0, 2), (1, 3)], False),
        ([(0, 1), (2, 2)], False), ([(0, 4), (4, 1)], False),
    ],
)  # fmt: skip
async def test_parts_with_gaps_or_overlaps_are_found(
    world: World, parts: list[tuple[int, int]], complete: bool
) -> None:
    await populate(world)
    (query,) = [row.sql for row in wiring.INVARIANTS if row.name == "objects.bytes"]
    with pytest.raises(RolledBack):
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE object_versions SET blob = NULL WHERE filename = 'plan.txt'")
            for number, (start, size) in enumerate(parts):
                await tx.run(
                    "INSERT INTO object_parts (version_id, number, org_id, start, size, blob, md5)"
                    " SELECT id, :number, org_id, :start, :size, 'x', 'x' FROM object_versions WHERE filename = 'plan.txt'",
                    number=number, start=start, size=size,
                )  # fmt: skip
            found = await tx.all(str, query)
            raise RolledBack
    assert bool(found) is not complete


def test_every_invariant_has_a_violation_here() -> None:
    assert {name for name, _ in VIOLATIONS} == {row.name for row in wiring.INVARIANTS} | {"audit.chain"}


def test_the_doctor_names_the_rows_that_violate_an_invariant(run_command: RunCommand, settings: Settings) -> None:
    with_world(settings, populate)
    execute(settings, "UPDATE memberships SET role = 'admin' WHERE role = 'owner'")
    team_id = with_world(settings, lambda world: world.db.one(str, "SELECT id FROM teams WHERE slug = 'general'"))
    result = run_command("doctor", settings=settings)
    assert f"        {team_id}\n" in result.out


@ON_SQLITE
def test_the_doctor_finds_a_foreign_key_violation(run_command: RunCommand, settings: Settings) -> None:
    with_world(settings, bootstrap)
    database = apsw.Connection(str(settings.data / "teamspace.sqlite"))
    database.execute("INSERT INTO memberships VALUES ('no team', 'nobody', 'no company', 'owner', '')")
    database.close()
    result = run_command("doctor", settings=settings)
    assert (result.status, check_results(result)["database"]) == (1, "BROKEN")


@ON_SQLITE
def test_the_doctor_changes_nothing(run_command: RunCommand, settings: Settings) -> None:
    assert run_command("doctor", settings=settings).status == 2
    assert not settings.data.exists()
    run_command("migrate", settings=settings)
    before = {file.name for file in settings.data.iterdir()}
    run_command("doctor", settings=settings)
    assert {file.name for file in settings.data.iterdir()} - {"teamspace.sqlite-wal", "teamspace.sqlite-shm"} == before


def no_database(settings: Settings) -> Settings:
    (settings.data / "teamspace.sqlite").write_text("this is not a database, but long enough to be read " * 20)
    return settings


def another_key(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, secret_key="ab" * 32)


def no_server(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, database_url="postgresql://postgres@127.0.0.1:1/none")


@ON_SQLITE
@pytest.mark.parametrize("change", [another_key, no_server, no_database])
def test_the_doctor_exits_with_2_when_it_cannot_open_the_instance(
    run_command: RunCommand, settings: Settings, change: Callable[[Settings], Settings]
) -> None:
    with_world(settings, bootstrap)
    result = run_command("doctor", settings=change(settings))
    assert result.status == 2
    assert result.err.startswith("teamspace: ") and result.err.count("\n") <= 1


# user


async def bootstrap(world: World) -> None:
    await world.bootstrap()


def test_a_created_operator_can_sign_in(run_command: RunCommand, settings: Settings) -> None:
    with_world(settings, bootstrap)
    arguments = ("user", "create-operator", "Max", "--display-name", "Max Moor", "--password-stdin")
    result = run_command(*arguments, stdin=f"{NEW_PASSWORD}\n", settings=settings)
    assert (result.status, result.out) == (0, "Max is now an operator\n")

    async def check(world: World) -> None:
        me = (await (await signed_in(world, "max", NEW_PASSWORD)).get("/api/whoami")).json()
        assert (me["operator"], me["role"], me["user"]["display_name"]) == (True, "owner", "Max Moor")
        (row,) = [row for row in await trail(world) if row.action == "user.create_operator"]
        assert (row.actor_kind, row.target, row.request_id) == ("system", me["user"]["id"], "command-line")

    with_world(settings, check)


def test_a_password_reset_ends_the_sessions(run_command: RunCommand, settings: Settings) -> None:
    async def sign_in(world: World) -> str:
        await world.bootstrap()
        return (await signed_in(world, "ann")).token or ""

    token: str = with_world(settings, sign_in)
    result = run_command("user", "reset-password", "ANN", "--password-stdin", stdin=NEW_PASSWORD, settings=settings)
    assert result.status == 0

    async def check(world: World) -> None:
        assert (await Caller(world, token).get("/api/whoami")).status_code == 401
        assert (await login(world, "ann")).status_code == 401
        assert (await login(world, "ann", NEW_PASSWORD)).status_code == 200
        assert [row.action for row in await trail(world)].count("user.reset_password") == 1

    with_world(settings, check)


def test_a_second_factor_can_be_reset(run_command: RunCommand, settings: Settings) -> None:
    async def enroll(world: World) -> None:
        await enrolled(await world.bootstrap())
        assert (await login(world, "ann")).status_code == 401

    async def check(world: World) -> None:
        assert (await login(world, "ann")).status_code == 200
        assert [row.action for row in await trail(world)].count("user.reset_second_factor") == 1

    with_world(settings, enroll)
    assert run_command("user", "reset-2fa", "ann", settings=settings).status == 0
    with_world(settings, check)


def test_a_refused_command_prints_one_line(run_command: RunCommand, settings: Settings) -> None:
    def refused(*arguments: str, stdin: str = f"{NEW_PASSWORD}\n") -> str:
        result = run_command("user", *arguments, stdin=stdin, settings=settings)
        assert (result.status, result.out) == (1, "")
        assert result.err.startswith("teamspace: ") and "\n" not in result.err
        return result.err

    assert "has not been set up yet" in refused("create-operator", "max", "--password-stdin")
    with_world(settings, bootstrap)
    assert "taken" in refused("create-operator", "Ann", "--password-stdin")
    assert "must be 2 to 64" in refused("create-operator", "not a name", "--password-stdin")
    assert "no user max" in refused("reset-password", "max", "--password-stdin")
    assert "no user max" in refused("reset-2fa", "max")
    assert "easy to guess" in refused("reset-password", "ann", "--password-stdin", stdin="password1234\n")
    assert "at least 12" in refused("reset-password", "ann", "--password-stdin", stdin="")


def test_a_typed_password_must_be_repeated(
    run_command: RunCommand, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_world(settings, bootstrap)
    typed = iter([NEW_PASSWORD, "something else", NEW_PASSWORD, NEW_PASSWORD])
    monkeypatch.setattr(getpass, "getpass", lambda prompt: next(typed))
    differing = run_command("user", "reset-password", "ann", settings=settings)
    assert (differing.status, differing.err) == (1, "teamspace: the passwords do not match")
    assert run_command("user", "reset-password", "ann", settings=settings).status == 0
    with_world(settings, lambda world: signed_in(world, "ann", NEW_PASSWORD))


async def test_a_running_server_respects_a_reset_at_its_next_write(settings: Settings, tmp_path: Path) -> None:
    async with open_world(settings) as world:
        await world.bootstrap()
        ann = await signed_in(world, "ann")
        assert (await ann.post("/api/notes", {"title": "Before"})).status_code == 201
        command = [sys.executable, "-m", "teamspace", "user", "reset-password", "ann", "--password-stdin"]
        paths = os.pathsep.join(path for path in sys.path if path)
        process = await asyncio.create_subprocess_exec(
            *command, cwd=tmp_path, env={**environment(settings), "PYTHONPATH": paths}, stdin=asyncio.subprocess.PIPE
        )
        await process.communicate(f"{NEW_PASSWORD}\n".encode())
        assert process.returncode == 0
        assert (await ann.post("/api/notes", {"title": "After"})).status_code == 401
        assert (await login(world, "ann", NEW_PASSWORD)).status_code == 200
