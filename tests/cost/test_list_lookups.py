"""A statement that takes a list, a page or what is old finds its rows by index; the text is the same for every list."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import product
from typing import Any

import pytest

from teamspace.activity import access as activity_access
from teamspace.activity import store as activity
from teamspace.agents import store as agents
from teamspace.blobs import store as blobs
from teamspace.core import idempotency
from teamspace.core.db import Clause, Fence, Reads, audit
from teamspace.core.db.engine import Params, Row
from teamspace.core.permissions import Permission
from teamspace.core.principal import Call, Principal
from teamspace.events import store as events
from teamspace.executors import store as executors
from teamspace.fulltext import store as fulltext
from teamspace.identity import store as identity
from teamspace.identity.schemas import TokenUse
from teamspace.jobs import store as jobs
from teamspace.links import store as links
from teamspace.localization import store as localization
from teamspace.localization.schemas import EntryFilters, ListPosition, MessageStatus
from teamspace.notes import access as notes_access
from teamspace.notes import store as notes
from teamspace.notes.schemas import TrashedNote
from teamspace.onboarding import store as onboarding
from teamspace.onboarding.schemas.prospects import ProspectKind, ProspectState, VerdictFilter
from teamspace.onboarding.schemas.sign_ups import TrustLevel
from teamspace.presence import store as presence
from teamspace.quota import store as quota
from teamspace.quota.schemas import Level, Settlement, UsedAmount, Window
from teamspace.references import store as references
from teamspace.repository import store as repository
from teamspace.sharing import store as sharing
from teamspace.tenancy import store as tenancy
from teamspace.translation import store as translation
from teamspace.triggers import store as triggers
from teamspace.workflows import store as workflows
from tests.support.rows import insert
from tests.support.world import Caller, World

ROWS = 6000
"""With half of them PostgreSQL can find all of a table as cheap as the hundred rows that it expects of a list."""
_NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers"
    f" WHERE n < {ROWS}) SELECT"
)
_ID, _NOW = "'x' || CAST(n AS TEXT)", "'2026-01-01T00:00:00.000Z'"
FILLINGS = (
    f"INSERT INTO users (id, org_id, username, username_key, display_name, operator, created_at) {_NUMBERS} {_ID}, :org,"
    f" {_ID}, {_ID}, {_ID}, FALSE, {_NOW} FROM numbers",
    f"INSERT INTO teams (id, org_id, slug, name, features, created_at) {_NUMBERS} {_ID}, :org, {_ID}, {_ID}, '{{}}',"
    f" {_NOW} FROM numbers",
    f"INSERT INTO memberships (team_id, user_id, org_id, role, created_at) {_NUMBERS} {_ID}, {_ID}, :org, 'owner',"
    f" {_NOW} FROM numbers",
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, etag, text_state, written_at, created_at, updated_at) {_NUMBERS} {_ID}, :org, :team, :owner, {_ID},"
    f" 'x', 'text/plain', 'private', 1, 1, FALSE, 0, '', 'none', {_NOW}, {_NOW}, {_NOW} FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, text_blob, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {_NUMBERS} {_ID}, {_ID}, :org, 1, FALSE, 0, {_ID}, {_ID}, '',"
    f" 'text/plain', 'x', :owner, 'human', {_NOW} FROM numbers",
    "INSERT INTO object_parts (version_id, number, org_id, start, size, blob, md5)"
    f" {_NUMBERS} {_ID}, 1, :org, 0, 1, {_ID}, '' FROM numbers",
    f"INSERT INTO object_thumbnails (version_id, org_id, blob) {_NUMBERS} {_ID}, :org, {_ID} FROM numbers",
    f"INSERT INTO object_uploads (id, org_id, team_id, owner_id, key, work, created_at, touched_at) {_NUMBERS} {_ID},"
    f" :org, :team, :owner, {_ID}, '{{}}', {_NOW}, {_NOW} FROM numbers",
    "INSERT INTO object_upload_parts (upload_id, number, org_id, size, blob, md5, created_at)"
    f" {_NUMBERS} {_ID}, 1, :org, 1, {_ID}, '', {_NOW} FROM numbers",
    "INSERT INTO translation_memory (team_id, target, digest, org_id, revision, text, created_at)"
    f" {_NUMBERS} :team, 'de', {_ID}, :org, 1, 'x', {_NOW} FROM numbers",
    "INSERT INTO agent_steps (run_id, number, org_id, team_id, user_id, kind, data)"
    f" {_NUMBERS} {_ID}, 1, :org, {_ID}, :owner, 'model', '{{}}' FROM numbers",
    f"INSERT INTO favourites (user_id, team_id, kind, subject_id, org_id, at) {_NUMBERS} {_ID}, {_ID}, 'note', {_ID}, :org,"
    f" {_NOW} FROM numbers",
    f"INSERT INTO recents (user_id, team_id, kind, subject_id, org_id, at) {_NUMBERS} {_ID}, {_ID}, 'note', {_ID}, :org,"
    f" {_NOW} FROM numbers",
    "INSERT INTO doc_triggers (id, org_id, team_id, author_id, workflow_slug, match_prefix, match_types, input,"
    f" fire_on_derived, enabled, created_at, updated_at) {_NUMBERS} {_ID}, :org, {_ID}, :owner, 'x', '', '[]', '{{}}',"
    f" FALSE, TRUE, {_NOW}, {_NOW} FROM numbers",
    "INSERT INTO trigger_fires (trigger_id, id, org_id, object_id, version_id, number, created_at)"
    f" {_NUMBERS} {_ID}, {_ID}, :org, {_ID}, {_ID}, 1, {_NOW} FROM numbers",
    f"INSERT INTO workflow_specs (team_id, digest, org_id, spec) {_NUMBERS} {_ID}, 'd', :org, '{{}}' FROM numbers",
    f"INSERT INTO workflows (team_id, slug, org_id, version, source, created_at) {_NUMBERS} {_ID}, 'x1', :org, 1, 'team',"
    f" {_NOW} FROM numbers",
    "INSERT INTO workflow_versions (team_id, slug, version, org_id, source, digest, title, description, steps, max_steps,"
    f" inputs, created_at) {_NUMBERS} {_ID}, 'x1', 1, :org, 'team', 'd', '', '', 1, 1, '{{}}', {_NOW} FROM numbers",
    "INSERT INTO runs (id, org_id, team_id, owner_id, slug, version, digest, max_steps, state, steps_used, counts, locale,"
    f" objects, requests, tokens, created_at) {_NUMBERS} {_ID}, :org, {_ID}, :owner, 'x1', 1, 'd', 1, 'succeeded', 0, '{{}}',"
    f" 'en', 1, 0, 0, {_NOW} FROM numbers",
    f"INSERT INTO run_objects (run_id, object_id, org_id, team_id) {_NUMBERS} {_ID}, {_ID}, :org, {_ID} FROM numbers",
    f"INSERT INTO trigger_ancestry (object_id, number, org_id, depth, triggers) {_NUMBERS} {_ID}, 1, :org, 1, '[]'"
    " FROM numbers",
    "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, org_id, recipe, latest,"
    f" created_at) {_NUMBERS} {_ID}, 1, {_ID}, 1, 1, :org, '', TRUE, {_NOW} FROM numbers",
    "INSERT INTO text_references (id, org_id, source_kind, source_id, target_kind, target_id, author_id, created_at)"
    f" {_NUMBERS} {_ID}, :org, 'note', {_ID}, 'note', {_ID}, :owner, {_NOW} FROM numbers",
    f"INSERT INTO document_tags (object_id, tag, org_id, position) {_NUMBERS} {_ID}, 'x1', :org, 0 FROM numbers",
    f"INSERT INTO presence (kind, subject_id, user_id, org_id, editing, expires_at) {_NUMBERS} 'note', {_ID}, :owner, :org,"
    f" FALSE, {_ID} FROM numbers",
    f"INSERT INTO team_model_roles (team_id, role, org_id, executor_id, updated_at) {_NUMBERS} {_ID}, 'chat', :org, {_ID},"
    f" {_NOW} FROM numbers",
    f"INSERT INTO glossaries (team_id, target, org_id, revision) {_NUMBERS} {_ID}, 'de', :org, 1 FROM numbers",
    "INSERT INTO glossary_terms (team_id, target, term_key, org_id, term, translation, forbidden, updated_at)"
    f" {_NUMBERS} {_ID}, 'de', 'x', :org, 'x', 'x', '[]', {_NOW} FROM numbers",
    "INSERT INTO translations (id, org_id, team_id, author_id, kind, target, texts, truncated, checks, glossary_hits,"
    f" memory_hits, model, usage, created_at) {_NUMBERS} {_ID}, :org, {_ID}, :owner, 'text', 'de', '[]', FALSE, '[]',"
    f" '[]', 0, '', '{{}}', {_NOW} FROM numbers",
    f"INSERT INTO l10n_messages (id, namespace, key, source, source_hash, words) {_NUMBERS} {_ID}, 'ns', {_ID}, 'x', 'x',"
    " ' x ' FROM numbers",
    "INSERT INTO l10n_entries (id, locale, message_id, namespace, key, current_hash, words, updated_at)"
    f" {_NUMBERS} {_ID}, {_ID}, {_ID}, 'ns', {_ID}, 'x', '', {_NOW} FROM numbers",
    f"INSERT INTO l10n_words (locale, word, namespace, key) {_NUMBERS} '', {_ID}, 'ns', {_ID} FROM numbers",
    f"INSERT INTO l10n_drafting (entry_id, locale, job_id) {_NUMBERS} {_ID}, {_ID}, {_ID} FROM numbers",
    f"INSERT INTO streams (id, org_id, team_id, owner_id, saved, ended, expires_at) {_NUMBERS} {_ID}, :org, :team, :owner,"
    f" 1, FALSE, {_ID} FROM numbers",
    f"INSERT INTO stream_batches (stream_id, first, last, org_id, content) {_NUMBERS} {_ID}, 1, 1, :org, '[]' FROM numbers",
    "INSERT INTO quota_ledger (id, org_id, team_id, user_id, purpose, slots, requests, tokens, charged, job_id, began_at,"
    f" expires_at) {_NUMBERS} {_ID}, :org, :team, :owner, 'x', 0, 0, 0, TRUE, {_ID}, {_NOW}, {_ID} FROM numbers",
    f"INSERT INTO experiences (id, org_id, team_id, draft_version, published, version, published_at) {_NUMBERS} {_ID}, :org,"
    f" {_ID}, 0, '{{}}', 1, {_NOW} FROM numbers",
    "INSERT INTO onboarding_assets (id, org_id, team_id, filename, content_type, size, digest, created_at)"
    f" {_NUMBERS} {_ID}, :org, {_ID}, 'x', 'image/png', 1, {_ID}, {_NOW} FROM numbers",
    "INSERT INTO prospects (id, org_id, team_id, experience_id, version, nonce, email, email_key, answers, signals, level,"
    f" created_at, state, user_id) {_NUMBERS} {_ID}, :org, :team, 'x', 1, {_ID}, {_ID}, {_ID}, '{{}}', '{{}}', 'ok', {_NOW},"
    f" 'captured', {_ID} FROM numbers",
    f"INSERT INTO prospect_bands (team_id, band, prospect_id, org_id, fingerprint) {_NUMBERS} :team, {_ID}, {_ID}, :org, 'x'"
    " FROM numbers",
    f"INSERT INTO pow_spent (nonce, expires_at) {_NUMBERS} {_ID}, {_ID} FROM numbers",
    f"INSERT INTO sign_up_rates (prefix, count, resets_at) {_NUMBERS} {_ID}, 1, {_ID} FROM numbers",
    f"INSERT INTO funnel_days (team_id, day, step, org_id, count) {_NUMBERS} {_ID}, '2026-01-01', 'views', :org, 1 FROM numbers",
    "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at, updated_at,"
    f" trashed_at, trashed_by) {_NUMBERS} {_ID}, :org, {_ID}, :owner, '', '', 'team', '[]', 1, {_NOW}, {_NOW},"
    f" CASE n % 2 WHEN 0 THEN {_NOW} END, CASE n % 2 WHEN 0 THEN :owner END FROM numbers",
    "INSERT INTO note_grants (note_id, principal_type, principal_id, org_id, permission, granted_by, created_at)"
    f" {_NUMBERS} {_ID}, CASE n % 2 WHEN 0 THEN 'user' ELSE 'team' END, {_ID}, :org, 'notes:read', :owner, {_NOW} FROM numbers",
    "INSERT INTO object_links (id, object_id, org_id, team_id, creator_id, creator_team_id, name, token_hash, token, views, downloads,"
    f" created_at) {_NUMBERS} {_ID}, {_ID}, :org, {_ID}, :owner, {_ID}, '', {_ID}, '', 0, 0, {_NOW} FROM numbers",
    "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
    f" {_NUMBERS} n + 1000000, 'note', {_ID}, :org, 0, '', '', '', '', '', '' FROM numbers",
    "INSERT INTO quota_stored_days (level, day, subject, org_id, bytes, objects)"
    f" {_NUMBERS} 'team', '2026-01-01', {_ID}, :org, 1, 1 FROM numbers",
    "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens)"
    f" {_NUMBERS} 'team', 'day', {_NOW}, {_ID}, :org, 1, 1 FROM numbers",
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, run_id, step, item, state, phase, priority, run_at,"
    f" attempt, max_attempts, lease_expiries, input, created_at) {_NUMBERS} {_ID}, :org, :team, :owner, 'k', 'k@local',"
    f" {_ID}, 's', 1, 'succeeded', 'ready', 0, {_NOW}, 1, 1, 0, '{{}}', {_NOW} FROM numbers",
    "INSERT INTO job_archive (id, org_id, team_id, user_id, kind, run_id, step, item, state, priority, run_at, attempt,"
    f" max_attempts, input, created_at) {_NUMBERS} {_ID}, :org, :team, :owner, 'k', {_ID}, 's', 0, 'succeeded', 0, {_NOW},"
    f" 1, 1, '{{}}', {_NOW} FROM numbers",
    f"INSERT INTO idempotency (owner, key, digest, created_at) {_NUMBERS} {_ID}, {_ID}, :blocks, {_ID} FROM numbers",
    "INSERT INTO tokens (id, kind, org_id, team_id, user_id, name, digest, hint, minted, address, agent, created_at,"
    f" expires_at, revoked_at) {_NUMBERS} {_ID}, 'session', :org, :team, {_ID}, '', {_ID}, '', FALSE, '', '', {_NOW}, {_ID},"
    f" {_ID} FROM numbers",
    "INSERT INTO activations (digest, org_id, user_id, created_at, expires_at)"
    f" {_NUMBERS} {_ID}, :org, {_ID}, {_NOW}, {_ID} FROM numbers",
    f"INSERT INTO login_attempts (subject, failures, resets_at) {_NUMBERS} {_ID}, 1, {_ID} FROM numbers",
    f"INSERT INTO known_networks (user_id, org_id, network, last_at) {_NUMBERS} {_ID}, :org, {_ID}, {_ID} FROM numbers",
    f"INSERT INTO blobs (org_id, digest, size, blocks) {_NUMBERS} :org, {_ID}, 1, :blocks FROM numbers",
    "INSERT INTO audit (id, org_id, at, actor_kind, action, detail, request_id, address)"
    f" {_NUMBERS} {_ID} || batch.name, :org, {_NOW}, 'system', 'x', :detail, '', '' FROM numbers CROSS JOIN"
    " (SELECT 'a' AS name UNION SELECT 'b' UNION SELECT 'c' UNION SELECT 'd' UNION SELECT 'e') AS batch",
)
ALL = Fence("objects", (Clause("TRUE"),))
TERMS = Fence("glossary_terms", (Clause("glossary_terms.team_id = 'x1'"),))
TRANSLATIONS = Fence("translations", (Clause("translations.team_id = 'x1' AND translations.author_id = 'x1'"),))
RUNS = Fence("runs", (Clause("runs.team_id = :team_id", key="runs.id || ''"),), {"team_id": "x1"})
WORKFLOWS = Fence("workflows", (Clause("workflows.team_id = 'x1'"),))
TRIGGERS = Fence("doc_triggers", (Clause("doc_triggers.team_id = 'x1'"),))
STREAMS = Fence("streams", (Clause("streams.owner_id = 'x1'"),))
STEPS = Fence("agent_steps", (Clause("agent_steps.user_id = 'x1'"),))
MESSAGES = EntryFilters("x1", MessageStatus.MISSING, "ns", None, None)
PROSPECTS = Fence("prospects", (Clause("prospects.team_id = 'x1'"),))
FUNNEL_DAYS = Fence("funnel_days", (Clause("funnel_days.team_id = 'x1'"),))
LINKS = Fence("object_links", (Clause("object_links.team_id = 'x1'"),))
ASSETS = Fence("onboarding_assets", (Clause("onboarding_assets.team_id = 'x1'"),))
EXPERIENCE = Fence("experiences", (Clause("experiences.team_id = 'x1'"),))
KINDS = [ProspectKind(*kind) for kind in product(ProspectState, TrustLevel, [VerdictFilter.NONE])]
_WHO = Principal("api", Call(), user_id="x1", team_id="x1", org_id="o", permissions=frozenset(Permission))
NOTES, TRASH = notes_access.fence(_WHO, Permission.NOTES_READ, across_org=True), notes_access.trash_fence(_WHO)
NOTE_ACTIVITY = activity_access.readable_kinds(_WHO)[0]
MEMORY = Fence("translation_memory", (Clause("translation_memory.team_id = 't'"),))


class Recorder(Reads):
    """Takes the statements that a store function runs, instead of a database."""

    def __init__(self, world: World) -> None:
        self.dialect = world.db.dialect
        self.statements: list[tuple[str, Params]] = []

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        self.statements.append((sql, params))
        return []

    async def run(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    async def add(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    async def run_offloaded(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    async def defer(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)


Lookup = Callable[[Any, list[str]], Awaitable[object]]
LOOKUPS: dict[str, Lookup] = {
    "objects by id": lambda db, ids: repository.select_by_ids(db, ALL, ids),
    "objects with a public link": repository.select_linked,
    "objects by key": lambda db, ids: repository.select_existing_keys(db, "t", ids),
    "versions": repository.select_versions_of,
    "bytes of versions": repository.select_blobs,
    "used tokens": lambda db, ids: identity.touch(db, [TokenUse(id, "") for id in ids]),
    "parts that were not chosen": lambda db, ids: repository.delete_upload_parts(db, "x1", range(len(ids))),
    "sizes of uploads": repository.select_upload_usage,
    "ended uploads": repository.delete_uploads,
    "blobs": lambda db, ids: blobs.release_references(db, "o", ids, ""),
    "translation memory": lambda db, ids: translation.select_memory(db, MEMORY, "de", 1, ids),
    "messages": localization.select_entries,
    "missing messages": localization.select_missing_sources,
    "sources of messages": lambda db, ids: localization.select_sourced(db, "o", ids),
    "translators": localization.select_people,
    "names": lambda db, ids: tenancy.select_names(db, "o", ids),
    "people": lambda db, ids: tenancy.select_memberships_of(
        db, "o", user_ids=ids, team_ids=ids, with_org_roles=True, after="", limit=5
    ),
    "free streams": events.lock_free_streams,
    "open streams": events.select_open_streams,
    "reservations of jobs": quota.select_open,
    "settled reservations": lambda db, ids: quota.settle_reservations(db, [Settlement(id, "o") for id in ids], ""),
    "reservations of claimed jobs": lambda db, ids: jobs.set_reservations(db, {id: id for id in ids}),
    "renewed reservations": lambda db, ids: quota.extend_reservations(db, ids, 20),
    "inputs of triggers": triggers.lock_inputs,
    "documents of runs": lambda db, ids: workflows.select_documents(db, "o", ids),
    "newest runs": lambda db, slugs: workflows.select_last_runs(db, RUNS, slugs),
    "similar sign-ups": lambda db, bands: onboarding.select_fingerprints(db, "t", bands, "", 100),
    "readable runs": lambda db, ids: workflows.select_admitted(db, RUNS, ids),
    "readable things": lambda db, ids: activity.select_readable(db, NOTE_ACTIVITY, ids),
    "things that subjects admit": lambda db, ids: events.select_admitted(
        db, NOTES, [{"caller": 0, **NOTES.params}], ids
    ),
    "titles": lambda db, refs: fulltext.select_titles(db, "note", refs),
    "seals": lambda db, ids: audit._put_seals(db, [(id, 1, "") for id in ids]),
}
PAGES: dict[str, Lookup] = {
    "steps of a run": lambda db, _: agents.select(db, STEPS, "x1"),
    "old keys of repeated writes": lambda db, _: idempotency.delete_some(db, 500, "x0"),
    "old sessions and tokens": lambda db, _: identity.delete_old_tokens(db, 500, "x0"),
    "old activation links": lambda db, _: identity.delete_old_activations(db, 500, "x0"),
    "networks that nobody signs in from any more": lambda db, _: identity.delete_old_networks(db, 500, "x0"),
    "failed sign-ins of the past": lambda db, _: identity.delete_old_attempts(db, 500, "x0"),
    "expired reservations": lambda db, _: quota.delete_expired_reservations(db, 500, 600),
    "last job of an origin": lambda db, _: jobs.find_last_of(db, "x1", "s"),
    "size of a history": lambda db, _: repository.is_larger_than(db, "x1", versions=500, parts=10_000, derived=500),
    "oldest versions": lambda db, _: repository.select_oldest_versions(db, "x1", 501),
    "sources of the oldest versions": lambda db, _: repository.delete_derivations_up_to(db, "x1", 1),
    "objects made from one": lambda db, _: repository.lock_derived(db, "x1", 500),
    "jobs that wait for an executor": lambda db, _: jobs.move(db, 500, "k@x1", "k@local", []),
    "old steps": lambda db, _: agents.delete_older(db, 5, "x0"),
    "model roles of a team": lambda db, _: executors.select_model_roles(db, "x1"),
    "model roles of an executor": lambda db, _: executors.delete_model_roles_of(db, "x1"),
    "workflows": lambda db, _: workflows.select(db, WORKFLOWS, "", 51),
    "runs": lambda db, _: workflows.select_runs(db, RUNS, {}, "~", 51),
    "runs in a state": lambda db, _: workflows.select_runs(db, RUNS, {"state": "running"}, "~", 51),
    "runs of a workflow": lambda db, _: workflows.select_runs(db, RUNS, {"slug": "x1"}, "~", 51),
    "runs of a document": lambda db, _: workflows.select_naming(db, RUNS, "x1", {}, "~", 51),
    "triggers": lambda db, _: triggers.select(db, TRIGGERS),
    "triggers of an upload": lambda db, _: triggers.select_enabled(db, "x1"),
    "number of triggers": lambda db, _: triggers.count(db, "x1"),
    "history of a trigger": lambda db, _: triggers.select_fires(db, ALL, "x1", "~", 51),
    "length of a history": lambda db, _: triggers.has_more_fires(db, "x1", 1000),
    "old history": lambda db, _: triggers.delete_old_fires(db, 500, "x1", 1000),
    "triggers to tidy": lambda db, _: triggers.select_ids_after(db, "x1", 500),
    "ancestry of sources": lambda db, _: triggers.select_source_ancestry(db, "x1", 1),
    "terms": lambda db, _: translation.select_terms(db, TERMS, None, ("", ""), 51),
    "number of terms": lambda db, _: translation.count_terms(db, TERMS, "de"),
    "translations": lambda db, _: translation.select(db, TRANSLATIONS, "~", 51),
    "old translations": lambda db, _: translation.delete_old(db, TRANSLATIONS, 100),
    "old memory": lambda db, _: translation.forget_some(db, 500, "x1", ""),
    "messages in a status": lambda db, _: localization.scan(db, MESSAGES, ListPosition(), 51),
    "messages with a word": lambda db, _: localization.scan_words(db, MESSAGES, "x1", [], ListPosition(), 51),
    "messages around one": lambda db, _: localization.select_neighbours(db, "x1", "ns", "x1", 5),
    "messages that no job drafts": lambda db, _: localization.select_undrafted(db, "x1", 500),
    "number of those": lambda db, _: localization.count_undrafted(db, "x1"),
    "experience of a company": lambda db, _: onboarding.get_live(db, "x1"),
    "experience of a team": lambda db, _: onboarding.get_published(db, EXPERIENCE),
    "experiences to tidy": lambda db, _: onboarding.select_published(db, "x1", 500),
    "assets": lambda db, _: onboarding.select_assets(db, ASSETS),
    "prospects": lambda db, _: onboarding.select_prospects(db, PROSPECTS, [], "~", 51),
    "prospects of some kinds": lambda db, _: onboarding.select_prospects(db, PROSPECTS, KINDS, "~", 51),
    "prospects by address": lambda db, _: onboarding.find_by_email(db, PROSPECTS, KINDS, "x", "~", 51, 1000),
    "judged prospects": lambda db, _: onboarding.select_judged(db, PROSPECTS, 20),
    "old prospects": lambda db, _: onboarding.delete_old_prospects(db, PROSPECTS, "x1", 500),
    "whether there are any": lambda db, _: onboarding.has_older_prospects(db, PROSPECTS, "x1"),
    "prospects of a person": lambda db, _: onboarding.find_of_user(db, "x1"),
    "sign-ups with an address": lambda db, _: onboarding.count_with_email(db, "x1", "x1", 100),
    "numbers of a funnel": lambda db, _: onboarding.select_days(db, FUNNEL_DAYS, "2026"),
    "used challenges": lambda db, _: onboarding.delete_spent(db, 500, "x0"),
    "past rates": lambda db, _: onboarding.delete_rates(db, 500, "x0"),
    "rows of a stream": lambda db, _: events.select_batches(db, STREAMS, "x1", 0, 1, 5),
    "all rows of a stream": lambda db, _: events.select_all_batches(db, "x1"),
    "old streams": lambda db, _: events.delete_expired_streams(db, 5, "x0"),
    "lost reservations": lambda db, _: quota.select_lost(db, 600, 5),
    "old counters": lambda db, _: quota.delete_used(db, 500, Window.DAY, "2020"),
    "old days": lambda db, _: quota.delete_days(db, 500, "quota_stored_days", "2020"),
    "days of a team": lambda db, _: quota.select_days(db, quota.STORED_DAYS, Level.TEAM, "x1", "2020"),
    "AI usage of a team by day": lambda db, _: quota.select_days(db, quota.USED_DAYS, Level.TEAM, "x1", "2020"),
    "others who are present": lambda db, _: presence.select_others(db, "note", "x1", "o", "u", 50),
    "those who have left": lambda db, _: presence.select_expired(db, 50),
    "received grants": lambda db, _: sharing.select_received(db, "note", _WHO, ("~", "~"), 200),
    "old grants": lambda db, _: sharing.delete_expired_grants(db, 500, kind="note", then="2020"),
    "trash": lambda db, _: sharing.select_trashed(db, TrashedNote, TRASH, ("~", "~"), 51),
    "old trash": lambda db, _: sharing.select_expired(db, TrashedNote, "notes", "2020", 100),
    "links of an object": lambda db, _: links.select_of_object(db, "x1"),
    "number of those links": lambda db, _: links.count_of_object(db, "x1"),
    "newest links of a team": lambda db, _: links.select_newest(db, LINKS, "~", 200),
    "a public link": lambda db, _: links.get_by_hash(db, "x1"),
    "references of a text": lambda db, _: references.select_of_source(db, "note", "x1"),
    "references to a thing": lambda db, _: references.select_of_target(db, "o", "note", "x1", "~", 200),
    "activity": lambda db, _: activity.select_newest(db, "o", "x1", "~", 400),
}
WRITES: dict[str, Lookup] = {
    "tags": lambda db, ids: notes.insert_tags(db, "n", "o", ids),
    "messages being drafted": lambda db, ids: localization.insert_drafting(db, "de", "j", ids),
    "recovery codes": lambda db, ids: identity.insert_codes(db, "u", "o", ids),
    "used quotas": lambda db, ids: quota.add_used(db, [UsedAmount("org", "day", "", id, "o", 1, 1) for id in ids]),
}


async def record(world: World, call: Lookup, ids: list[str]) -> tuple[str, Params]:
    recorder = Recorder(world)
    await call(recorder, ids)
    (statement,) = recorder.statements
    return statement


async def plan(world: World, call: Lookup, ids: list[str]) -> list[str]:
    sql, params = await record(world, call, ids)
    if world.db.dialect.name == "sqlite":
        return [str(row[3]) for row in await world.db.engine.fetch(f"EXPLAIN QUERY PLAN {sql}", params)]
    return [str(row[0]) for row in await world.db.engine.fetch(f"EXPLAIN {sql}", params)]


async def fill(world: World, ann: Caller) -> None:
    values = {"org": ann.org.id, "team": ann.team.id, "owner": ann.user_id, "blocks": b"", "detail": "{}" * 300}
    await insert(world, FILLINGS, values)
    await world.db.engine.script("ANALYZE")


_SCANS = ("SCAN ", "Seq Scan")
_LISTS = (
    "json_each", "CONSTANT ROW", "VALUES CLAUSE", "SCAN page", "SCAN people", "SCAN sealed", "SCAN entries", "SCAN found", "SCAN w",
    "SCAN around", "SCAN branch", "SCAN received", "SCAN callers", "SCAN counted", "SCAN chosen", "org_roles", "l10n_locales",
)  # fmt: skip
"""Scans of the list itself, and of the page that was found; a company has few roles, an instance few locales."""


async def test_rows_are_found_by_index(world: World) -> None:
    await fill(world, await world.bootstrap())
    for name, call in (LOOKUPS | PAGES).items():
        steps = await plan(world, call, ["x1", "x2", "x3"])
        scans = [
            step for step in steps if any(scan in step for scan in _SCANS) and not any(own in step for own in _LISTS)
        ]
        assert not scans, (name, steps)


BY_VALUES = {"settled reservations", "used quotas"}
"""SQLite gets up to 32 of their rows as values (`Dialect.table`): a text for each of these lengths."""


@pytest.mark.parametrize("name", [*LOOKUPS, *WRITES])
async def test_the_text_is_the_same_for_every_length(world: World, name: str) -> None:
    call = (LOOKUPS | WRITES)[name]
    lengths = (40, 41, 47) if name in BY_VALUES and world.db.dialect.name == "sqlite" else (0, 1, 7)
    texts = {(await record(world, call, [f"x{number}" for number in range(length)]))[0] for length in lengths}
    assert len(texts) == 1
