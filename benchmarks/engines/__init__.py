"""Engines of durable workflows, each with the same commands."""
