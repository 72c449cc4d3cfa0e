"""Counts the bytes of request and response bodies by team, in memory. A response to a visitor names the team it is for.

A periodic task takes what was counted and stores it, so that a request costs no write. A server that is killed loses
what it has counted since, and what transfers that were underway had transferred.
"""

import msgspec


class TeamTraffic(msgspec.Struct, frozen=True):
    """Bytes that a team sent to the server and got from it."""

    org_id: str
    team_id: str
    received: int
    sent: int


class Traffic:
    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[int, int]] = {}

    def add(self, org_id: str, team_id: str, received: int, sent: int) -> None:
        before = self._waiting.get((org_id, team_id), (0, 0))
        self._waiting[org_id, team_id] = before[0] + received, before[1] + sent

    def take(self) -> list[TeamTraffic]:
        """Return what was counted since the last call, always in the same order."""
        waiting, self._waiting = self._waiting, {}
        return [TeamTraffic(*team, *bytes_) for team, bytes_ in sorted(waiting.items())]
