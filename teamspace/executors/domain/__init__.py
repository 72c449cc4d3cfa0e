"""Who runs model work, where a job goes, and the protocol of remote workers."""
