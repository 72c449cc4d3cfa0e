-- The history of usage by day, in UTC. Levels and subjects are those of the counters.

-- What was stored that day, less what was deleted. The counter of today less the sum of all later days
-- is what was stored at the end of a day.
CREATE TABLE quota_stored_days (
    level TEXT NOT NULL,
    day TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    PRIMARY KEY (level, day, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_stored_days_history ON quota_stored_days (subject, day);

-- Bytes of the bodies of requests (received) and responses (sent).
CREATE TABLE quota_traffic_days (
    level TEXT NOT NULL,
    day TEXT NOT NULL,
    subject TEXT NOT NULL,
    org_id TEXT NOT NULL,
    received INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    PRIMARY KEY (level, day, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_traffic_days_history ON quota_traffic_days (subject, day);

-- The first day of both tables: of earlier ones nothing is known. One row, numbered 1.
CREATE TABLE quota_history (
    number INTEGER PRIMARY KEY,
    since TEXT NOT NULL
) STRICT;
-- only sqlite
INSERT INTO quota_history (number, since) VALUES (1, strftime('%Y-%m-%d', 'now'));
-- only postgres
INSERT INTO quota_history (number, since) VALUES (1, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'));
-- on both

-- The activity of a team is read from the audit log. The list is that of `teamspace/activity/store.py`.
CREATE INDEX audit_activity ON audit (team_id, id) WHERE action IN ('note.create', 'note.update', 'note.share',
    'object.create', 'object.update', 'object.share', 'conversation.share', 'run.start');
