-- Kept sign-ins: tokens of the kind stay. Their secret is in a cookie, and only its exchange for a session reads it.

-- stay_id: of a session, the kept sign-in that it belongs to and ends with.
ALTER TABLE tokens ADD COLUMN stay_id TEXT;
-- previous_digest, rotated_at: of a kept sign-in, the secret before the present one, and since when it is replaced.
ALTER TABLE tokens ADD COLUMN previous_digest TEXT;
ALTER TABLE tokens ADD COLUMN rotated_at TEXT;
CREATE INDEX tokens_of_stay ON tokens (stay_id, id) WHERE stay_id IS NOT NULL;
