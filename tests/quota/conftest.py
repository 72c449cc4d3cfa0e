"""Fixtures of the quota tests."""

from tests.identity.help import hands

__all__ = ["hands"]
