"""Fixtures of the tests of the instance as a whole."""

from tests.identity.help import hands

__all__ = ["hands"]
