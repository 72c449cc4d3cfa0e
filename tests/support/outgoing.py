"""Helpers for outgoing requests: a scripted name server, and short forms of a request."""

from typing import Any

from teamspace.core.egress import INSTANCE, Egress, HttpResponse, NetworkReach, OutgoingRequest


class Resolver:
    """Gives the answers in turn, then repeats the last; records each query."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self._answers[min(len(self.asked), len(self._answers)) - 1]


def outgoing(url: str, method: str = "GET", on_behalf_of: str = INSTANCE, **more: Any) -> OutgoingRequest:
    return OutgoingRequest(method, url, more.pop("reach", NetworkReach.LISTED), on_behalf_of, **more)


async def get(egress: Egress, url: str, reach: NetworkReach = NetworkReach.LISTED, **more: Any) -> HttpResponse:
    return await egress.call(outgoing(url, reach=reach, **more))
