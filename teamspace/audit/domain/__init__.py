"""Domain functions of the audit log."""
