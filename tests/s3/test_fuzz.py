"""Random valid and modified requests are accepted or refused correctly."""

from tests.s3.fuzz import HARMFUL, HARMLESS, SIGNERS, run

REQUESTS = 300


async def test_random_requests_are_verified_correctly() -> None:
    report = await run(REQUESTS, seed=1)
    changes = {name.partition(", ")[2] for name in report.counts}
    expected = {change.__name__ for change in (*HARMLESS, *HARMFUL)}
    assert changes >= expected, "some kinds of changes were not tried"
    assert {f"{mode}, valid" for mode in SIGNERS} <= report.counts.keys()
