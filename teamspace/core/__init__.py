"""The kernel: HTTP, SQL and principals. It knows no feature package."""
