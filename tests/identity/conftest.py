"""Fixtures of the tests of people and their proofs."""

from tests.identity.help import hands, hasher, no_attempt_limit

__all__ = ["hands", "hasher", "no_attempt_limit"]
