"""What the checks on a real server share."""

from collections.abc import Callable

from teamspace.authoring.schemas import Unmet
from teamspace.sdk.testing import HttpAnswer, PluginServer

Check = tuple[str, str, Callable[[PluginServer], str | None]]
"""Its subject, what should be true of it, and the work, which returns a note or raises."""


def expect(answer: HttpAnswer, status: int) -> None:
    if answer.status != status:
        raise Unmet(f"it answered {answer.status}")
