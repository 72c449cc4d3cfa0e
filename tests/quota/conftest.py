"""Fixtures of the tests of quotas."""

from tests.identity.help import hands

__all__ = ["hands"]
