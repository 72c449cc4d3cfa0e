"""Search over everything that has text, limited to what the caller may read."""

__all__: list[str] = []
