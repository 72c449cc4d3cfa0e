"""Upload triggers: runs that begin when a version is written."""

__all__: list[str] = []
