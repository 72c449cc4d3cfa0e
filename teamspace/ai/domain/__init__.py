"""Models, and a turn with one."""
