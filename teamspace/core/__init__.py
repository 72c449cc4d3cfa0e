"""The kernel: it knows HTTP, SQL and callers, and no capability."""
