"""The loop of an agent, its steps, and its runs."""
