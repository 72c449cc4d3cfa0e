"""Activity: what colleagues did with things that the caller can read, from the audit log, and what others shared with the caller."""
