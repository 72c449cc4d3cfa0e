"""The verbs of the audit trail, one subject a module."""
