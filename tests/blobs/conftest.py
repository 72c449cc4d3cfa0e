"""Fixtures of the tests of blobs."""

from tests.identity.help import hands

__all__ = ["hands"]
