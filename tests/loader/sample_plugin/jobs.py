"""Job kinds of the sample plugin."""

import msgspec

from teamspace.core.tables import JobSpec


class Words(msgspec.Struct, frozen=True):
    text: str


class Report(msgspec.Struct, frozen=True):
    share: float


JOBS = (
    JobSpec("x.sample.shout", "shout", "Return the text in capitals.", callable=True),
    JobSpec("x.sample.report", None, "A report by a remote worker.", callable=True, remote=True, check="check_share",
            input=Words, result=Report),
)  # fmt: skip


async def shout(input: Words) -> Words:
    return Words(input.text.upper())


def check_share(input: Words, result: Report) -> str | None:
    return None if 0 <= result.share <= 1 else "share must be from 0 to 1"
