"""Random requests, honest and tampered with, get the verdict that is known beforehand."""

from tests.s3.fuzz import HARMFUL, HARMLESS, SIGNERS, run

REQUESTS = 300


async def test_random_requests_are_judged_rightly() -> None:
    report = await run(REQUESTS, seed=1)
    changes = {what.partition(", ")[2] for what in report.seen}
    met = {change.__name__ for change in (*HARMLESS, *HARMFUL)}
    assert changes >= met, "a walk that meets less proves little"
    assert {f"{mode}, honest" for mode in SIGNERS} <= report.seen.keys()
