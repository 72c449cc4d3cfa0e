-- Tables of the core package, and of blobs.

-- One row per property of the instance: when it was bootstrapped or provisioned, since when it is suspended (hosted
-- mode; empty if it is not), the canary that proves the secret key, and the rights epoch, which changes whenever
-- anyone's rights may have changed.
CREATE TABLE instance (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO instance (name, value) VALUES ('rights_epoch', ''), ('suspended_at', '');

-- The audit log. A row is inserted by the write it records; seq and hash are set once, when the row is sealed.
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
-- seq is always NULL here; it makes the planner choose this index. With audit_of_org it would read every sealed row.
CREATE INDEX audit_unsealed ON audit (org_id, seq, id) WHERE seq IS NULL;
CREATE INDEX audit_of_team ON audit (team_id, id);
CREATE INDEX audit_of_org ON audit (org_id, id);
-- Actors that are not people (system, provision, anonymous, worker) are found by kind.
CREATE INDEX audit_by_actor ON audit (org_id, COALESCE(actor_id, actor_kind), id);
CREATE INDEX audit_by_target ON audit (org_id, target, id) WHERE target IS NOT NULL;
CREATE INDEX audit_by_action ON audit (org_id, action, id);

-- Rows cannot be changed, except for sealing, and cannot be deleted.
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

-- Blobs by SHA-256 in a company's namespace ('' is the instance's own).
-- collect_at: when the collector checks whether any row references the blob; NULL once one does. The row is inserted
-- before the file is written, with enough time to be referenced. removing_until: the file is being deleted; until then
-- the blob cannot be referenced. blocks: the CRC-32 of every 256 KiB, so that no part of a damaged file is served.
-- data: the bytes themselves, up to 32 KiB, which saves a file and its sync; larger blobs are in files.
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

-- Idempotency keys of the last day. The answer is encrypted, since it can contain a secret.
-- target: what the request wrote, as in the audit log.
-- status: null until the response is known. With a status and no answer, the response is a stream of the target.
CREATE TABLE idempotency (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_at TEXT NOT NULL,
    status INTEGER,
    answer TEXT,
    target TEXT,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX idempotency_answers ON idempotency (target) WHERE answer IS NOT NULL;
