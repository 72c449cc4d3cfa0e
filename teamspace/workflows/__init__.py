"""Workflows: specs that run as durable jobs, step by step."""

__all__: list[str] = []
