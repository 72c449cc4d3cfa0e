"""Fixtures of the blob tests."""

from tests.identity.help import hands

__all__ = ["hands"]
