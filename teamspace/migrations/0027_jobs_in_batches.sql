-- Every change of a job's state is a new version of its row on PostgreSQL, with a new entry in each index that has it.
-- No statement used this one.
DROP INDEX jobs_person;
-- One index for the clock of the queue and for admitted jobs, instead of two.
DROP INDEX jobs_rank;
DROP INDEX jobs_running;
CREATE INDEX jobs_ranked ON jobs (state, rank) WHERE rank >= 0;
-- Only executors of a company use it, and they do not claim what the server itself does.
DROP INDEX jobs_claim_org;
CREATE INDEX jobs_claim_org ON jobs (org_id, channel, rank)
    WHERE state = 'queued' AND phase = 'ready' AND rank IS NOT NULL AND channel NOT LIKE '%@local';
