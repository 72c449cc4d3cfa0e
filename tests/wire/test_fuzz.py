"""A moment of the fuzzer."""

from tests.wire import fuzz


async def test_mutated_requests_in_any_pieces() -> None:
    assert await fuzz.run(seed=1, seconds=60, cases=400) > 0
