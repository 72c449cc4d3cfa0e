"""Fixtures of the identity tests."""

from tests.identity.help import hands, hasher, no_attempt_limit, patient

__all__ = ["hands", "hasher", "no_attempt_limit", "patient"]
