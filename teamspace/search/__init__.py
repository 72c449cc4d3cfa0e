"""Search: one question to everything that has text, answered with what the asker may read."""

__all__: list[str] = []
