"""An instance with a person of every role, and on demand with enough in it to be worth looking at."""

import io
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import pyotp
from PIL import Image, ImageDraw

from tests.support.served import Served

PASSWORD = "correct horse battery"
MAX_TRIES = 50


class Person(NamedTuple):
    username: str
    name: str
    team_role: str
    org_role: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        return (self.team_role, self.org_role) if self.org_role else (self.team_role,)


# fmt: off
OPERATOR = Person("maren", "Maren Holt", "owner", "org_owner")
PEOPLE = {
    "owner":      Person("ida",    "Ida Solberg",  "owner"),
    "admin":      Person("tomas",  "Tomas Weber",  "admin"),
    "member":     Person("priya",  "Priya Raman",  "member"),
    "viewer":     Person("lucas",  "Lucas Moreau", "viewer"),
    "guest":      Person("hana",   "Hana Kimura",  "guest"),
    "org_admin":  Person("elif",   "Elif Demir",   "guest", "org_admin"),
    "org_reader": Person("samuel", "Samuel Osei",  "guest", "org_reader"),
}
ROLES = {"operator": (*OPERATOR.roles, "operator"), **{name: person.roles for name, person in PEOPLE.items()}}
"""What each of them is, all in one team, for whoever works out what they may see."""
# fmt: on
GUARDED = Person("nora", "Nora Vance", "member")
"""Somebody with a second factor."""

HANDOVER = """\
Crane 3 is back on **Tuesday**; until then the night shift unloads at pier 2.

## Open

- [x] Tell the pilots about the lower clearance
- [ ] Ask the yard for the electrician's report
- [ ] Move the two refrigerated trailers before noon

## Numbers of the week

| Pier | Ships | Delay |
|---|---|---|
| 1 | 14 | 6 min |
| 2 | 9 | 21 min |

> Pier 2 is late because it does the work of both.
"""
NOTES = (
    # who, title, body, visibility, tags
    ("owner", "Pier 2, lighting", "The three lamps at the ramp flicker when the crane starts.\n", "team", ["piers"]),
    ("member", "Ideas for the summer timetable", "An earlier first boat on Saturdays, as in 2024.\n", "team", ["timetable"]),
    ("admin", "Crew list for the open day", "Who shows visitors the bridge, and when.\n", "team", ["people"]),
    ("operator", "Harbour handover", HANDOVER, "team", ["harbour", "week"]),
)  # fmt: skip
REPORT = """\
# Pier 2

Ships wait **21 minutes** on average, since the pier does the work of two.

1. Crane 3 is back on Tuesday.
2. The lamps at the ramp are next.
"""
TIMETABLE = """\
From the first of November the boats go every hour, and every two hours on Sundays.

## First and last boat

- Weekdays: 06:20 and 22:40
- Sundays: 08:20 and 20:40

The kiosk is closed until spring. Tickets are sold on board.
"""
CHANGES = (
    # what stood there, what stands there now, whose hand it was
    ("every two hours on Sundays", "every ninety minutes on Sundays", "member"),
    ("The kiosk is closed until spring. ", "", "owner"),
    ("08:20 and 20:40", "08:10 and 21:10", "operator"),
)
FILES = (
    # key, what is in it, who brings it
    ("reports/2026/january.csv", b"day,ships\n1,14\n2,9\n", "member"),
    ("reports/2026/february.csv", b"day,ships\n1,11\n2,12\n", "member"),
    ("reports/tide-tables.pdf", b"%PDF-1.4\n%%EOF\n", "admin"),
    ("crew/open-day.txt", b"Priya shows the bridge, Tomas the engine.\n", "admin"),
    ("safety-rules.txt", b"1. Wear the vest.\n2. Look up: cranes move.\n", "owner"),
    ("backup-2026-10.zip", b"PK\x05\x06" + bytes(18), "operator"),
)
COMPANIES = (
    ("aurora", "Aurora Books", "pro", "aurora.example"),
    ("borealis", "Borealis Robotics", "business", "borealis.example"),
    ("polar", "Polar Freight", "free", "polar.example"),
)


def picture(form: str = "PNG") -> bytes:
    """A sunset over water, of a few colours."""
    image = Image.new("RGB", (640, 400), "#f3c98b")
    pen = ImageDraw.Draw(image)
    pen.ellipse((400, 130, 500, 230), fill="#e2725b")
    pen.rectangle((0, 240, 640, 400), fill="#2f6f7e")
    pen.polygon(((120, 240), (260, 240), (230, 270), (150, 270)), fill="#3a3a3a")
    out = io.BytesIO()
    image.save(out, form)
    return out.getvalue()


class Stage:
    def __init__(self, served: Served) -> None:
        """`served` has not been set up yet."""
        self.served = served
        self.url = served.url
        self._sessions: dict[str, str] = {}
        self._shelf: dict[str, str] = {}
        first = {"username": OPERATOR.username, "display_name": OPERATOR.name, "password": PASSWORD}
        made = self.call("POST", "/api/bootstrap", {**first, "org": "Fjordline Ferries", "team": "Harbour office"})
        self.org, self.team, self.operator = made["org"], made["team"], made["token"]
        for person in PEOPLE.values():
            self._add(person)

    def call(self, *request: Any, **more: Any) -> Any:
        """A request that must succeed, asked again where a busy machine made the server shed it."""
        for _ in range(MAX_TRIES):
            try:
                return self.served.call(*request, **more)
            except RuntimeError as refusal:
                if "was answered 503" not in str(refusal):
                    raise
        return self.served.call(*request, **more)

    def session(self, who: str) -> str:
        """The token of a session of theirs: the same one each time, so it must not be signed out."""
        if who not in self._sessions:
            person = OPERATOR if who == "operator" else PEOPLE[who]
            self._sessions[who] = self.sign_in(person.username)
        return self._sessions[who]

    def sign_in(self, username: str) -> str:
        token: str = self.call("POST", "/api/login", {"username": username, "password": PASSWORD})["token"]
        return token

    def note(self, title: str, body: str, who: str = "operator", visibility: str = "team", tags: Any = ()) -> str:
        wish = {"title": title, "body": body, "visibility": visibility, "tags": list(tags)}
        note_id: str = self.call("POST", "/api/notes", wish, self.session(who))["id"]
        return note_id

    def read(self, note_id: str) -> str:
        body: str = self.call("GET", f"/api/notes/{note_id}", token=self.operator)["body"]
        return body

    def rewrite(self, note_id: str, body: str) -> None:
        self.call("PUT", f"/api/notes/{note_id}", {"body": body}, self.operator)

    def upload(self, key: str, body: bytes, who: str = "operator", visibility: str = "team") -> str:
        """A version of a key; the object's id."""
        made = self.served.put(f"/api/repo/{key}?visibility={visibility}", body, self.session(who))
        object_id: str = made["id"]
        return object_id

    def document(self, title: str, body: str, who: str = "operator", visibility: str = "team") -> str:
        wish = {"title": title, "body": body, "visibility": visibility}
        document_id: str = self.call("POST", "/api/documents", wish, self.session(who))["id"]
        return document_id

    def share(self, object_id: str, who: str, capability: str = "view", expires_at: str | None = None) -> None:
        wish = {"principal_type": "user", "principal_id": self.id_of(who), "capability": capability}
        self.call("POST", f"/api/repo-obj/{object_id}/share", {**wish, "expires_at": expires_at}, self.operator)

    def id_of(self, who: str) -> str:
        people = self.call("GET", "/api/members", token=self.operator)["items"]
        user_id: str = next(one["user_id"] for one in people if one["username"] == PEOPLE[who].username)
        return user_id

    def placed(self, address: str) -> str:
        """An address with the things that it names by kind."""
        self.handover  # noqa: B018 - all the others come with it
        for kind, id in {"NOTE": self.handover, **self._shelf}.items():
            address = address.replace(kind, id)
        return address

    @cached_property
    def handover(self) -> str:
        """Everything that screens show, made at the first wish; the note that is worth opening."""
        self.call("POST", "/api/admin/seed", {}, self.session("operator"))
        ids = [self.note(title, body, who, visibility, tags) for who, title, body, visibility, tags in NOTES]
        self._add(GUARDED)
        self._guard(self.sign_in(GUARDED.username))
        self._share(ids[-1], "guest", "notes:read")
        self._share(ids[-1], "org_reader", "notes:write")
        self._tokens()
        self._keys()
        self._companies()
        self._files()
        self._documents()
        self._shelf["JOB"] = self.call("GET", "/api/jobs", token=self.operator)["items"][0]["id"]
        return ids[-1]

    def _add(self, person: Person) -> None:
        seat = {
            "username": person.username,
            "display_name": person.name,
            "password": PASSWORD,
            "role": person.team_role,
        }
        wish = {**seat, "team_id": self.team["id"], **({"org_role": person.org_role} if person.org_role else {})}
        self.call("POST", "/api/org/members", wish, self.operator)

    def _guard(self, token: str) -> None:
        secret = self.call("POST", "/api/2fa/enable", {"confirm": True}, token)["secret"]
        self.call("POST", "/api/2fa/enable", {"code": pyotp.TOTP(secret).now()}, token)

    def _share(self, note_id: str, who: str, permission: str) -> None:
        wish = {"user_id": self.id_of(who), "permission": permission}
        self.call("POST", f"/api/notes/{note_id}/share", wish, self.operator)

    def _tokens(self) -> None:
        for name, scope, days in (
            ("Nightly report", ["notes:read", "notes:write"], 30),
            ("Tide tables", ["notes:read"], 365),
        ):
            self.call("POST", "/api/tokens", {"name": name, "scope": scope, "ttl": days * 86_400}, self.operator)

    def _keys(self) -> None:
        for name, scope in (
            ("Backup of the office computer", None),
            ("Timetable on the website", ["files:read:reports/"]),
            ("Scanner at pier 2", ["files:write:inbox/scans/", "files:read:inbox/", "workflows:run:inbox/scans/"]),
        ):
            self.call("POST", "/api/s3/credentials", {"name": name, "scope": scope}, self.operator)

    def _files(self) -> None:
        for key, body, who in FILES:
            self.upload(key, body, who)
        self._shelf["PICTURE"] = self.upload("pictures/harbour.png", picture())
        report = self.upload("reports/pier-2.md", REPORT.encode())
        self.upload("reports/pier-2.md", REPORT.replace("21 minutes", "9 minutes").encode(), "member")
        soon = datetime.now(UTC) + timedelta(days=7, minutes=5)
        self.share(report, "guest", "edit", soon.isoformat())
        self.share(report, "org_reader")
        self._shelf["FILE"] = report

    def _documents(self) -> None:
        self.document("Rules of the quay", "Look up: cranes move.\n", "owner")
        document = self.document("Winter timetable", TIMETABLE, "admin")
        for old, new, who in CHANGES:
            body = self.call("GET", f"/api/documents/{document}", token=self.operator)["body"]
            self.call("PUT", f"/api/documents/{document}", {"body": body.replace(old, new)}, self.session(who))
        self._shelf["DOCUMENT"] = document

    def _companies(self) -> None:
        self.call("POST", "/api/org/teams", {"name": "Workshop"}, self.operator)
        for slug, name, plan, domain in COMPANIES:
            wish = {"name": name, "slug": slug, "plan": plan, "domain": domain, "owner": {"username": f"{slug}.owner"}}
            self.call("POST", "/api/orgs", wish, self.operator)
        self.call("POST", "/api/orgs/polar/suspend", {}, self.operator)
