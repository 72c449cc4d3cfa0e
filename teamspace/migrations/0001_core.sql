-- What the kernel itself keeps.

-- One row for each fact about the instance: that it was set up or provisioned, since when it is suspended
-- (hosted mode; empty while it is not), the canary that proves the secret key, and a value that changes
-- whenever anybody's rights may have.
CREATE TABLE instance (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO instance (name, value) VALUES ('rights_epoch', ''), ('suspended_at', '');

-- The audit trail. A row is inserted with the write it records; seq and hash are set once, by the sealer.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL,
    team_id TEXT,
    at TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    token_id TEXT,
    action TEXT NOT NULL,
    target TEXT,
    detail TEXT NOT NULL,
    request_id TEXT NOT NULL,
    address TEXT NOT NULL,
    seq INTEGER,
    hash TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX audit_chain ON audit (org_id, seq) WHERE seq IS NOT NULL;
-- seq is always null in it, and is there to be preferred: by audit_of_org the sealer would pass every sealed row.
CREATE INDEX audit_unsealed ON audit (org_id, seq, id) WHERE seq IS NULL;
CREATE INDEX audit_of_team ON audit (team_id, id);
CREATE INDEX audit_of_org ON audit (org_id, id);
-- Who is no person (system, provision, anonymous, worker) is found by kind.
CREATE INDEX audit_by_actor ON audit (org_id, COALESCE(actor_id, actor_kind), id);
CREATE INDEX audit_by_target ON audit (org_id, target, id) WHERE target IS NOT NULL;
CREATE INDEX audit_by_action ON audit (org_id, action, id);

-- A row is written once: only the sealer adds to it, and nobody takes it away.
-- only sqlite
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
    WHEN OLD.seq IS NOT NULL OR NEW.seq IS NULL
        OR (OLD.org_id, OLD.id, OLD.at, OLD.team_id, OLD.actor_kind, OLD.actor_id, OLD.token_id, OLD.action, OLD.target, OLD.detail, OLD.request_id, OLD.address)
        IS NOT (NEW.org_id, NEW.id, NEW.at, NEW.team_id, NEW.actor_kind, NEW.actor_id, NEW.token_id, NEW.action, NEW.target, NEW.detail, NEW.request_id, NEW.address)
    BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;
CREATE TRIGGER audit_undeleted BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;
-- only postgres
CREATE OR REPLACE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit trail cannot be changed'; END
$$;
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW
    WHEN (OLD.seq IS NOT NULL OR NEW.seq IS NULL
        OR (OLD.org_id, OLD.id, OLD.at, OLD.team_id, OLD.actor_kind, OLD.actor_id, OLD.token_id, OLD.action, OLD.target, OLD.detail, OLD.request_id, OLD.address)
        IS DISTINCT FROM (NEW.org_id, NEW.id, NEW.at, NEW.team_id, NEW.actor_kind, NEW.actor_id, NEW.token_id, NEW.action, NEW.target, NEW.detail, NEW.request_id, NEW.address))
    EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audit_undeleted BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audit_untruncated BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change_of_audit();
-- on both

-- Bytes by their SHA-256, in a company's namespace ('' is the instance's own): in files, or small ones right here.
-- collect_at: when the collector looks whether any row names it; NULL once one does. A row is there before its file
-- is written, with time enough until it is named. removing_until: its file is being deleted, and nobody may use it.
-- blocks: a CRC-32 of every 256 KiB, so that no part of a damaged file is ever served.
-- data: the bytes themselves, of up to 32 KiB: they cost no file, and no sync besides the commit.
CREATE TABLE blobs (
    org_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    blocks BLOB NOT NULL,
    data BLOB,
    collect_at TEXT,
    removing_until TEXT,
    PRIMARY KEY (org_id, digest)
) STRICT;
CREATE INDEX blobs_to_collect ON blobs (collect_at) WHERE collect_at IS NOT NULL;

-- Idempotency keys of the last day; the answer is sealed, since it may hold a secret.
CREATE TABLE idempotency (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_at TEXT NOT NULL,
    status INTEGER,
    answer TEXT,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
