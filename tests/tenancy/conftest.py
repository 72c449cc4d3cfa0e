"""Fixtures for tests of companies and teams."""

from tests.identity.help import hands, hasher, no_attempt_limit, patient

__all__ = ["hands", "hasher", "no_attempt_limit", "patient"]
