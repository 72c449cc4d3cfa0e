"""A reference model of the queue and the quota ledger in plain Python, without SQL, locks or secrets."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from teamspace.core import clock
from teamspace.jobs import local_channel
from teamspace.jobs.domain.ending import MAX_LEASE_EXPIRIES
from teamspace.jobs.domain.queue import LEASE
from teamspace.jobs.domain.sweeping import ARCHIVE_AFTER
from teamspace.quota import JOB_CAPS, Dimension, Level, Plan, Spend
from teamspace.quota.domain import windows
from teamspace.quota.domain.limits import CAPS, DEFAULT_WINDOW
from teamspace.quota.domain.spending import TTL
from teamspace.quota.schemas import SPENDING, Window

SERVED_FOR = 60
ATTEMPTS = 3
ENDED = ("succeeded", "failed", "cancelled")
Lane = tuple[str, str, str]
"""Company, team, kind."""
Limit = tuple[int | None, Window | None]
Bound = tuple[Level, Dimension]


@dataclass(eq=False)
class Reservation:
    """A reservation: a row of the quota ledger."""

    org: str
    team: str
    user: str
    spend: Spend
    began: str
    expires: str
    settled: bool = False

    @property
    def active(self) -> bool:
        return not self.settled and self.expires > clock.stamp()

    @property
    def row(self) -> tuple[str, str, str, int, int, int, str, str, bool]:
        return (
            self.org, self.team, self.user, int(not self.settled), self.spend.requests, self.spend.tokens, self.began,
            self.expires, self.settled,
        )  # fmt: skip


@dataclass
class Task:
    """A job."""

    id: str
    lane: Lane
    user: str
    channel: str
    priority: int
    cost: Spend | None
    run_at: str
    state: str = "queued"
    phase: str = "ready"
    admitted: bool = False
    """Whether it is admitted, and counts against the cap of its lane."""
    attempt: int = 0
    max_attempts: int = ATTEMPTS
    """How many attempts it has, not counting those whose lease expired."""
    lease_expiries: int = 0
    executor: str | None = None
    lease: str | None = None
    reservation: Reservation | None = None
    result: str | None = None
    finished: str | None = None
    waits: Bound | None = None
    """The limit for which it is parked."""

    @property
    def row(self) -> tuple[object, ...]:
        """The columns that the database must have for it."""
        return (
            self.state, self.phase if self.state == "queued" else "ready", self.admitted, self.attempt, self.max_attempts,
            self.lease_expiries, self.executor if self.state == "running" else None, self.lease, self.finished, self.result,
        )  # fmt: skip

    def requeue(self, phase: str = "ready") -> None:
        """Put the job back into the queue, unclaimed."""
        self.state, self.phase, self.admitted = "queued", phase, False
        self.executor = self.lease = self.reservation = None

    def end(self, state: str) -> None:
        self.state, self.admitted, self.lease, self.finished = state, False, None, clock.stamp()


@dataclass
class Company:
    plan: Plan = Plan.FREE
    suspended: bool = False


@dataclass
class Reference:
    companies: dict[str, Company]
    rank: Callable[[Task], int]
    """The rank of a job, read from the database."""
    tasks: dict[str, Task] = field(default_factory=dict)
    archive: dict[str, Task] = field(default_factory=dict)
    channels: dict[tuple[str, str], str] = field(default_factory=dict)
    """When a channel was last polled, and for which company ('' is any)."""
    ledger: list[Reservation] = field(default_factory=list)
    used: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)
    """Keys: level, window, its start, subject and dimension."""
    limits: dict[tuple[Level, str, Dimension], Limit] = field(default_factory=dict)
    dirty: set[str] = field(default_factory=set)
    """Companies whose lanes the next sweep promotes."""

    def __post_init__(self) -> None:
        for org, company in self.companies.items():
            self._apply(org, company.plan)

    # Lanes

    def lane(self, lane: Lane) -> list[Task]:
        return [task for task in self.tasks.values() if task.lane == lane]

    @property
    def lanes(self) -> set[Lane]:
        return {task.lane for task in self.tasks.values()}

    def cap(self, lane: Lane) -> int:
        return JOB_CAPS[self.companies[lane[0]].plan]

    def running(self, lane: Lane) -> int:
        return sum(task.state == "running" for task in self.lane(lane))

    def promote(self, lanes: Iterable[Lane]) -> None:
        for lane in lanes:
            tasks = self.lane(lane)
            room = self.cap(lane) - sum(task.admitted for task in tasks)
            if room > 0 and not self.companies[lane[0]].suspended:
                for task in sorted(filter(self._waits, tasks), key=lambda task: (task.priority, task.id))[:room]:
                    task.admitted = True

    def _free_slots(self, lanes: Iterable[Lane]) -> None:
        """Make the company's first jobs parked for a slot ready again, if the freed slot can be theirs."""
        for (org, team), slots in sorted(Counter((org, team) for org, team, _ in lanes).items()):
            parked = [
                task
                for task in self.tasks.values()
                if task.lane[0] == org and task.state == "queued" and task.phase == "parked"
                and task.waits and task.waits[1] is Dimension.CONCURRENCY
                and (task.waits[0] is not Level.TEAM or task.lane[1] == team)
            ]  # fmt: skip
            for task in sorted(parked, key=lambda task: (self.rank(task), task.id))[:slots]:
                task.phase = "ready"

    def _waits(self, task: Task) -> bool:
        org, _, kind = task.lane
        ready = task.state == "queued" and task.phase == "ready" and not task.admitted
        return ready and (task.channel == local_channel(kind) or self._served(task.channel, org))

    def _served(self, channel: str, org: str) -> bool:
        return any(self.channels.get((channel, of), "") > clock.ago(SERVED_FOR) for of in ("", org))

    # Jobs

    def enqueue(self, task: Task) -> None:
        if task.run_at > clock.stamp():
            task.phase = "scheduled"
        self.tasks[task.id] = task
        self.promote([task.lane])

    def register_channels(self, channels: Iterable[str], org: str, kinds: Iterable[str]) -> None:
        """A worker polled these channels."""
        self.channels |= {(channel, org): clock.stamp() for channel in channels}
        self.promote(lane for lane in self.lanes if lane[2] in kinds and org in ("", lane[0]))

    def claimable(self, channels: Iterable[str], org: str) -> list[Task]:
        return [
            task
            for task in self.tasks.values()
            if task.state == "queued" and task.phase == "ready" and task.admitted
            and task.channel in channels and org in ("", task.lane[0])
        ]  # fmt: skip

    def claim(self, task: Task, executor: str) -> None:
        task.state, task.executor, task.lease = "running", executor, clock.later(LEASE)
        task.attempt += 1
        if task.cost:
            task.reservation = Reservation(*task.lane[:2], task.user, task.cost, clock.stamp(), clock.later(TTL))
            self.ledger.append(task.reservation)

    def heartbeat(self, task: Task) -> None:
        task.lease = clock.later(LEASE)
        if task.reservation:
            task.reservation.expires = clock.later(TTL)

    def complete(self, task: Task, result: str, spent: Spend) -> None:
        task.end("succeeded")
        task.result = result
        self._settle(task, spent)
        self._free_slots([task.lane] if task.reservation else [])
        self.promote([task.lane])

    def fail(self, task: Task, *, retryable: bool) -> None:
        self._settle(task, Spend(0, 0))
        self._free_slots([task.lane] if task.reservation else [])
        if retryable and task.attempt - task.lease_expiries < task.max_attempts:
            task.requeue("scheduled")
        else:
            task.end("failed")
        self.promote([task.lane])

    def cancel(self, task: Task) -> None:
        left_a_place = task.admitted
        task.end("cancelled")
        if left_a_place:
            self.promote([task.lane])

    def release(self, executor: str) -> None:
        returned = [task for task in self.tasks.values() if task.state == "running" and task.executor == executor]
        for task in returned:
            self._settle(task, Spend(0, 0))
        self._free_slots(task.lane for task in returned if task.reservation)
        for task in returned:
            task.max_attempts += 1
            task.requeue()
        self.promote({task.lane for task in returned})

    # Sweeps

    def sweep(self) -> None:
        now = clock.stamp()
        expired = [task for task in self.tasks.values() if task.state == "running" and (task.lease or "") <= now]
        for task in sorted(expired, key=lambda task: (task.lease or "", task.id)):
            self._expire(task)
        if self.dirty:
            self.promote({task.lane for task in expired} | {lane for lane in self.lanes if lane[0] in self.dirty})
            self.dirty.clear()
        due = [task for task in self.tasks.values() if task.phase != "ready" and task.run_at <= now]
        due = [task for task in due if task.state == "queued"]
        for task in due:
            task.phase = "ready"
        self.promote({task.lane for task in (*expired, *due)})

    def _expire(self, task: Task) -> None:
        task.lease_expiries += 1
        self._settle(task, Spend(0, 0))
        self._free_slots([task.lane] if task.reservation else [])
        if task.lease_expiries < MAX_LEASE_EXPIRIES:
            task.requeue()
        else:
            task.end("failed")

    def tidy(self) -> None:
        known = {channel for channel, _ in self.channels}
        for task in self.tasks.values():
            admitted = task.state == "queued" and task.admitted
            if admitted and task.channel in known and not self._served(task.channel, task.lane[0]):
                task.requeue()
        self.promote(self.lanes)
        for id in [id for id, task in self.tasks.items() if (task.finished or "~") < clock.ago(ARCHIVE_AFTER)]:
            self.archive[id] = self.tasks.pop(id)

    def tidy_quota(self) -> None:
        self.ledger = [
            reservation
            for reservation in self.ledger
            if reservation.settled or reservation.expires >= clock.ago(clock.DAY)
        ]
        for window, age in (("minute", clock.DAY), ("hour", 60 * clock.DAY)):
            for key in [key for key in self.used if key[1] == window and key[2] < clock.ago(age)]:
                del self.used[key]

    # Companies

    def suspend(self, org: str) -> None:
        self.companies[org].suspended = True
        for task in self.tasks.values():
            if task.lane[0] == org and task.state == "queued" and task.admitted:
                task.requeue()

    def plan(self, org: str, plan: Plan) -> None:
        """Change the plan; jobs admitted beyond the new cap go back to the backlog."""
        if plan is not self.companies[org].plan:
            self.companies[org].plan = plan
            self._apply(org, plan)
            self.unpark(org)
            self.dirty.add(org)
        for lane in [lane for lane in self.lanes if lane[0] == org]:
            admitted = sorted(
                (task for task in self.lane(lane) if task.admitted),
                key=lambda task: (task.state != "running", self.rank(task)),
            )
            for task in admitted[self.cap(lane) :]:
                if task.state == "queued":
                    task.requeue()

    def resume(self, org: str) -> None:
        self.companies[org].suspended = False
        self.dirty.add(org)

    def unpark(self, org: str) -> None:
        """A limit changed: parked jobs are retried at the next sweep."""
        for task in self.tasks.values():
            if task.state == "queued" and task.phase == "parked" and org in ("", task.lane[0]):
                task.run_at = clock.stamp()

    def reroute(self, is_stranded: Callable[[Task], bool]) -> None:
        """An executor is gone: jobs that only it could run are moved to the server's own worker."""
        moved = [task for task in self.tasks.values() if task.state == "queued" and is_stranded(task)]
        for task in moved:
            task.channel = local_channel(task.lane[2])
        self.promote({task.lane for task in moved})

    def _apply(self, org: str, plan: Plan) -> None:
        for dimension, most in CAPS[plan].items():
            self.limits[Level.ORG, org, dimension] = most, DEFAULT_WINDOW[dimension]

    # Quotas

    def full(self, task_lane: Lane, spend: Spend, *, slot: bool = True) -> list[Bound]:
        """Return the limits that this spend would exceed, the outermost first."""
        org, team, _ = task_lane
        requested = {"ai.requests": spend.requests, "ai.tokens.total": spend.tokens, "ai.concurrency": int(slot)}
        return [
            (level, dimension)
            for level, subject in ((Level.TENANT, ""), (Level.ORG, org), (Level.TEAM, team))
            for dimension in sorted(SPENDING)
            if requested[dimension] > self._left(level, subject, dimension)
        ]

    def window(self, bound: Bound, lane: Lane) -> Window | None:
        level, dimension = bound
        subject = {Level.TENANT: "", Level.ORG: lane[0], Level.TEAM: lane[1]}[level]
        return self.limits[level, subject, dimension][1]

    def _left(self, level: Level, subject: str, dimension: Dimension) -> float:
        most, window = self.limits.get((level, subject, dimension), (None, None))
        if most is None:
            return float("inf")
        used = 0 if window is None else self._used(level, window, subject, dimension)
        active_reservations = [
            reservation
            for reservation in self.ledger
            if reservation.active and subject in ("", reservation.org, reservation.team)
        ]
        reserved = {
            "ai.requests": sum(reservation.spend.requests for reservation in active_reservations),
            "ai.tokens.total": sum(reservation.spend.tokens for reservation in active_reservations),
            "ai.concurrency": len(active_reservations),
        }
        return max(0, most - used - reserved[dimension])

    def _used(self, level: Level, window: Window, subject: str, dimension: Dimension) -> int:
        subjects = self.companies if level is Level.TENANT else [subject]
        counted = Level.ORG if level is Level.TENANT else level
        return sum(self.used[counted, window, windows.start_of(window), name, dimension] for name in subjects)

    def _settle(self, task: Task, spent: Spend) -> None:
        reservation = task.reservation
        if reservation is None or reservation not in self.ledger:
            return
        reservation.settled, reservation.spend = True, spent
        subjects: list[tuple[str, str, Iterable[Window]]] = [
            ("org", reservation.org, Window),
            ("team", reservation.team, Window),
            ("person", f"{reservation.team}/{reservation.user}", (Window.DAY, Window.MONTH)),
        ]
        for level, subject, counted in subjects:
            for window in counted if spent.requests or spent.tokens else ():
                began = windows.start_of(window, clock.seconds(reservation.began))
                self.used[level, window, began, subject, "ai.requests"] += spent.requests
                self.used[level, window, began, subject, "ai.tokens.total"] += spent.tokens
