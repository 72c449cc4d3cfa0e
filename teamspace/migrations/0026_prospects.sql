-- People who signed up in a funnel, and the numbers of the funnel.

-- nonce: of the solved challenge. email_key: one form of all spellings of an address. answers, signals, judged: JSON.
-- verdict repeats the decision of judged, or is 'none'. user_id: the account of an accepted prospect.
CREATE TABLE prospects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    team_id TEXT NOT NULL REFERENCES teams (id),
    experience_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    nonce TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    answers TEXT NOT NULL,
    locale TEXT,
    signals TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('ok', 'suspicious', 'blocked')),
    created_at TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'captured' CHECK (state IN ('captured', 'accepted', 'declined')),
    verdict TEXT NOT NULL DEFAULT 'none' CHECK (verdict IN ('accept', 'review', 'decline', 'none')),
    judged TEXT,
    note TEXT NOT NULL DEFAULT '',
    decided_by TEXT,
    decided_at TEXT,
    user_id TEXT REFERENCES users (id)
) STRICT;
CREATE INDEX prospects_of_team ON prospects (team_id, id);
CREATE INDEX prospects_by_kind ON prospects (team_id, state, level, verdict, id);
CREATE INDEX prospects_by_email ON prospects (team_id, email_key, id);
CREATE INDEX prospects_by_user ON prospects (user_id) WHERE user_id IS NOT NULL;

-- Almost equal texts have at least one band in common.
CREATE TABLE prospect_bands (
    team_id TEXT NOT NULL,
    band TEXT NOT NULL,
    prospect_id TEXT NOT NULL REFERENCES prospects (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (team_id, band, prospect_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX prospect_bands_of_prospect ON prospect_bands (prospect_id);

-- Challenges that were used, until they expire: also when their prospect is deleted.
CREATE TABLE pow_spent (
    nonce TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pow_spent_expiry ON pow_spent (expires_at);

-- Sign-ups of an hour by network; prefix is a keyed hash that changes every day.
CREATE TABLE sign_up_rates (
    prefix TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    resets_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_up_rates_end ON sign_up_rates (resets_at);

-- How many visitors reached a step of a team's funnel on a day.
CREATE TABLE funnel_days (
    team_id TEXT NOT NULL REFERENCES teams (id),
    day TEXT NOT NULL,
    step TEXT NOT NULL,
    org_id TEXT NOT NULL REFERENCES orgs (id),
    count INTEGER NOT NULL,
    PRIMARY KEY (team_id, day, step)
) STRICT, WITHOUT ROWID;
