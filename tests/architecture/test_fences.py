"""Every read of tenant rows takes a fence, or is listed here with the reason why it needs none.

A new statement without either fails. The tables are found in the migrations, the statements in the stores.
"""

import pytest

from tests.architecture.statements import Statement, statements, tenant_tables

UNFENCED = {
    "the fence is inside the search that it takes": (
        "audit.select", "audit.select_lines", "knowledge.select_documents", "knowledge.select_names",
    ),
    "ids, numbers or action names only, in the company of the fence": (
        "audit.seq_below", "audit.seq_from", "audit.next_action", "audit.walk_end",
    ),
    "seals and verifies all chains, for the server and its operators": (
        "db.audit.seal", "db.audit._seal_batch", "db.audit.chain_head", "db.audit.chain_heads", "db.audit.check_heads",
        "db.audit.count_unsealed", "db.audit.verify_chains", "db.audit._verify_chain",
    ),
    "reads the bytes of a row that a fence has admitted, in that row's company": ("blobs.get_checksums",),
    "maintenance of the blob store by the server": (
        "blobs.select_untracked", "blobs.select", "blobs.select_in_files", "blobs.is_known", "blobs.is_referenced",
        "blobs.select_unknown",
    ),
    "branding is public, also before the sign-in": (
        "branding.get", "branding.get_by_host", "branding.select_logo_locations",
    ),
    "counts, and fingerprints without a name: a sign-up is compared with those of its own team": (
        "onboarding.count_with_email", "onboarding.select_fingerprints",
    ),
    "the server deletes old prospects, and counts the activations of those who were accepted": (
        "onboarding.select_published", "onboarding.find_of_user",
    ),
    "what a company has published is public": (
        "onboarding.get_owner_by_host", "onboarding.get_first_owner", "onboarding.get_owner", "onboarding.get_live",
        "onboarding.get_public_asset",
    ),
    "each kind of row with its own fence, which the caller passes with it": ("favourites.select", "activity.select_readable"),
    "counts only": (
        "executors.count", "executors.count_running", "identity.count_codes", "identity.count_operators",
        "jobs.count_taken", "tenancy.count_org_owners", "tenancy.count_owners", "triggers.count", "favourites.count", "onboarding.count_assets",
    ),
    "the server runs and routes the jobs of all companies": (
        "executors.select_push", "executors.select_pull", "executors.get_push", "executors.select_served",
        "executors.select_unserved_channels", "executors.is_active", "jobs.select_lanes", "jobs.select_channels",
        "jobs.next_lane", "jobs.has_changed", "jobs.select_expired", "jobs.lock_expired", "jobs.lock_running_of",
        "jobs.select_running_executors", "jobs.select_parked_orgs",
    ),
    "the worker's token selects the executor": ("executors.get_by_token", "executors.may_claim"),
    "only the jobs of the executor's company, which the caller passes": ("jobs.select_admitted",),
    "the secret of the claim selects the job": (
        "jobs.get_claimed", "jobs.lock_claimed", "jobs.get_succeeded", "jobs.get_kind",
    ),
    "belongs to a job that a fence has admitted": ("jobs.get_bodies", "jobs.get_run_id", "jobs.lock_queued"),
    "belongs to a job that this process runs": ("jobs.lock_running",),
    "only whether there are jobs for subjects that a fence has admitted": ("jobs.select_live_subjects",),
    "the id or state of a job that the caller has created": (
        "jobs.find_by_origin", "jobs.find_last_of", "jobs.find_by_key", "jobs.find_end", "jobs.get_end",
    ),
    "the server writes and ends the streams of its own work": (
        "events.lock_stream", "events.lock_free_streams", "events.select_open_streams", "events.select_all_batches",
    ),
    "ids of things and nothing else; fences then decide who is told": (
        "events.select_between", "events.select_of_org", "activity.select_newest", "sharing.select_received",
    ),
    "positions in the log, and its retention by the server": (
        "events.get_newest", "events.has_unsettled", "events.get_floor", "events.select_oldest",
        "events.select_oldest_of_org", "events.count_by_org",
    ),
    "the server charges what dead servers reserved": ("quota.select_lost", "quota.select_open"),
    "of the team of the caller, whose request it is": ("quota.is_asked",),
    "of documents that a fence has admitted": (
        "knowledge.select_sizes", "knowledge.select_mentions", "knowledge.select_relations", "knowledge.get_extracted",
        "knowledge.lock_version", "knowledge.select_splits",
    ),
    "names in the caller's company; the documents that a fence admits decide which of them the caller sees": (
        "knowledge.select_names_by_id",
    ),
    "what the caller's own team has decided; shown only for documents that a fence admits": (
        "knowledge.select_merges_of", "knowledge.count_merges", "knowledge.select_foreign_documents",
    ),
    "the server deletes names that no document has": ("knowledge.select_unused",),
    "the server completes an index that fences are applied to": (
        "knowledge.select_unlisted", "knowledge.lock_unlisted", "knowledge.select_audiences",
        "knowledge.select_listed_audiences",
    ),
    "the server rebuilds the index": ("fulltext.select_outdated",),
    "the server saves when credentials were used": ("identity.lock_used",),
    "the secret in the browser's cookie, or the caller's own credential, selects the kept sign-in": (
        "identity.get_stay", "identity.get_stay_id",
    ),
    "of the caller, of the person who signs in or is invited, or for an operator": ("identity.get_account", "identity.get_totp"),
    "before the sign-in: a username or a secret link selects the row": (
        "identity.get_account_by_name", "identity.get_activation", "identity.is_known_network",
    ),
    "belongs to a row that a fence has admitted": ("sharing.select_grants",),
    "belongs to a conversation that a fence has admitted": (
        "conversations.is_shared", "conversations.select_turns", "conversations.get_turn",
        "conversations.get_numbered_turn", "conversations.is_being_answered", "conversations.select_running",
    ),
    "the server deletes what is kept of deleted turns, and empties their jobs": (
        "conversations.select_deleted_turns", "jobs.is_open", "jobs.select_queued", "jobs.select_texts",
    ),
    "the server stores the answer of its own job, and indexes it": (
        "conversations.lock_of_turn", "conversations.get_for_index", "conversations.lock_for_index",
    ),
    "of the caller's own team and company, or of one that an operator or its admin has named": (
        "quota.select_limits", "quota.select_account_limits", "quota.select_spending_limits",
        "quota.select_storage_limits", "quota.select_history", "quota.select_spenders", "quota.select_days",
        "quota.get_stored", "quota.get_first_days",
    ),
    "a writer learns only that a key of their team is in use": (
        "repository.get_at_key", "repository.get_key", "repository.select_existing_keys",
    ),
    "belongs to an object that a fence has admitted": (
        "repository.get_version", "repository.get_version_by_id", "repository.get_newest_version",
        "repository.select_versions", "repository.select_all_versions", "repository.select_versions_of",
        "repository.is_larger_than", "repository.select_oldest_versions", "repository.select_blobs",
        "repository.select_readers", "repository.lock_derived",
        "repository.get_latest_derivation", "repository.find_derived_number", "repository.select_wider",
        "repository.select_parts", "repository.get_thumbnail", "repository.select_grants", "repository.select_linked",
    ),
    "the secret of a public link selects the row; what it shows takes the fence of its creator": ("links.get_by_hash",),
    "belongs to an object that a fence has admitted, or only counts its rows": (
        "links.select_of_object", "links.get_of_object", "links.count_of_object",
    ),
    "of the caller's own team, which the caller passes": (
        "workflows.count", "workflows.get_source", "workflows.select_sources",
    ),
    "belongs to a workflow or a run that a fence has admitted, or whose step this process executes": (
        "workflows.get_spec", "workflows.get_input", "workflows.select_steps", "workflows.select_items",
        "workflows.select_step_items", "workflows.select_objects", "workflows.select_job_states",
        "workflows.get_result", "workflows.select_active", "workflows.select_ends",
    ),
    "the server advances and ends runs": (
        "jobs.lock_queued_of_run", "workflows.lock", "workflows.get_stored", "workflows.append_steps",
        "workflows.is_unfinished", "workflows.select_documents", "workflows.select_idle", "workflows.last_underway",
    ),
    "belongs to an upload that a fence has admitted": (
        "repository.get_upload_part", "repository.select_upload_parts",
    ),
    "the server empties the trash of all companies": (
        "sharing.select_expired", "repository.is_in_trash_since",
    ),
    "the server ends old uploads": ("repository.select_stale_uploads", "repository.select_upload_usage"),
    "ids and scores of the company's texts; a fence then selects the rows": ("search.rank",),
    "ids only; a fence then selects the objects": ("repository.select_sources", "repository.select_derived"),
    "the credential decides what its holder may do: this read makes the principal": (
        "tenancy.get_credential", "tenancy.select_credentials", "tenancy.get_member_credential", "tenancy.get_team_state", "tenancy.check_writer",
    ),
    "the caller's own team, or compared with the caller's company": ("tenancy.get_team",),
    "of the caller's own team or company, or of a row that a fence has admitted": (
        "executors.select_model_roles", "tools.find", "tools.select", "tenancy.get_features", "tenancy.select_memberships", "tenancy.lock_membership",
        "tenancy.get_preferences",
        "tenancy.get_org_role", "tenancy.is_member", "tenancy.is_colleague", "tenancy.select_people_like",
        "tenancy.select_teams_like", "tenancy.has_team_slug",
    ),
    "whether a person is protected from admins; says nothing else": ("tenancy.is_operator",),
    "messages of the instance, with the names of people in the caller's own company": ("localization.select_sourced",),
    "which people of a catalog file exist; the file's reader is an operator": ("localization.select_people",),
    "a number, which grows with every change of the caller's own glossary": ("translation.get_revision",),
    "of the caller's own company, and of the plugin that asks": (
        "oop.get_value", "oop.select_keys", "oop.get_size",
    ),
    "for the command line": ("tenancy.get_first_team",),
    "the triggers and the ancestry of a version that the caller has just written": (
        "triggers.select_enabled", "triggers.lock_inputs", "triggers.select_source_ancestry", "triggers.get_run_ancestry",
    ),
    "the server deletes old history": ("triggers.select_ids_after", "triggers.has_more_fires"),
    "of a text that the caller has just written, or ids of texts, which fences then admit": (
        "references.select_of_source", "references.select_of_target",
    ),
    "of things that fences have admitted": (
        "fulltext.select_titles", "presence.select_others", "repository.select_labels", "repository.select_labels_of",
    ),
    "of the caller, or the server deletes what has expired": ("presence.get", "presence.select_expired"),
    "names in the company of an object that a fence has admitted": (
        "tenancy.select_names", "tenancy.select_memberships_of",
    ),
}  # fmt: skip
"""Reads of tenant rows without a fence, by reason."""
EXEMPT = {name for names in UNFENCED.values() for name in names}
TENANT_TABLES = tenant_tables()


def reads_tenant_rows(statement: Statement) -> bool:
    return not statement.is_write and any(
        source in TENANT_TABLES or source.startswith("{") for source in statement.sources
    )


READS = {statement.name: statement for statement in statements() if reads_tenant_rows(statement)}


def takes_fence(statement: Statement) -> bool:
    return any("Fence" in kind for kind in statement.arguments)


def test_a_read_of_tenant_rows_takes_a_fence() -> None:
    unfenced = {name for name, statement in READS.items() if not takes_fence(statement)}
    assert unfenced - EXEMPT == set(), "pass a fence, or give the reason"
    assert EXEMPT - unfenced == set(), "these take a fence and need no reason, or do not exist"


def test_every_read_has_one_reason() -> None:
    assert len(EXEMPT) == sum(len(names) for names in UNFENCED.values())


def test_the_search_finds_tables_and_statements() -> None:
    assert {"notes", "objects", "jobs", "job_archive", "tokens", "audit"} <= TENANT_TABLES
    assert {
        "notes.get",
        "repository.select_by_folder",
        "jobs.select",
        "search._select",
        "tenancy.get_member",
    } <= READS.keys()
    assert "notes.update" not in READS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('async def f(db: Reads) -> None:\n    await db.all(str, "SELECT id FROM notes")', True),
        ('_ALL = "SELECT id FROM notes"\nasync def f(db: Reads) -> None:\n    await db.all(str, _ALL)', True),
        ('def _sql() -> str:\n    return "SELECT 1 FROM orgs JOIN notes"\nasync def f(db: Reads) -> None:\n    await db.all(str, _sql())', True),
        ('async def f(db: Reads, table: str) -> None:\n    await db.all(str, f"SELECT id FROM {table}")', True),
        ('async def f(db: Reads) -> None:\n    await db.all(str, "SELECT id FROM orgs")', False),
        ('async def f(tx: Tx) -> None:\n    await tx.run("DELETE FROM notes")', False),
    ],
)  # fmt: skip
def test_a_read_is_found_however_its_text_is_built(source: str, found: bool) -> None:
    (statement,) = statements({"example": source})
    assert reads_tenant_rows(statement) is found
