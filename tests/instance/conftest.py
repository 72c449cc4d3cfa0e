"""Fixtures of the instance tests."""

from tests.identity.help import hands

__all__ = ["hands"]
