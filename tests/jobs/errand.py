"""A job kind for tests: it uses no quota, and any worker can run it."""

import msgspec

from teamspace.core.tables import JobSpec

JOBS = (JobSpec("test.errand", "run", "Something that is not metered.", callable=True, remote=True),)


class Errand(msgspec.Struct, frozen=True):
    prompt: str = ""
    model: str | None = None


class Done(msgspec.Struct, frozen=True):
    text: str


async def run(input: Errand) -> Done:
    return Done(input.prompt)
