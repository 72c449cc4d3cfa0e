"""An instance with a person of every role and, on demand, sample content."""

import io
import time
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

import pyotp
from PIL import Image, ImageDraw

from tests.support.served import Served

PASSWORD = "correct horse battery"
MAX_TRIES = 50
RUN_LIMIT_SECONDS = 30


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
"""The roles of each person, all in one team."""
# fmt: on
WITH_TWO_FACTOR = Person("nora", "Nora Vance", "member")
"""A person with two-factor authentication."""

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
    # owner, title, body, visibility, tags
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
    # old text, new text, author
    ("every two hours on Sundays", "every ninety minutes on Sundays", "member"),
    ("The kiosk is closed until spring. ", "", "owner"),
    ("08:20 and 20:40", "08:10 and 21:10", "operator"),
)
FILES = (
    # key, content, owner
    ("reports/2026/january.csv", b"day,ships\n1,14\n2,9\n", "member"),
    ("reports/2026/february.csv", b"day,ships\n1,11\n2,12\n", "member"),
    ("reports/tide-tables.pdf", b"%PDF-1.4\n%%EOF\n", "admin"),
    ("crew/open-day.txt", b"Priya shows the bridge, Tomas the engine.\n", "admin"),
    ("safety-rules.txt", b"1. Wear the vest.\n2. Look up: cranes move.\n", "owner"),
    ("backup-2026-10.zip", b"PK\x05\x06" + bytes(18), "operator"),
)
WRITTEN = """\
The wait is $W = \\frac{\\lambda}{\\mu(\\mu - \\lambda)}$ hours, and a berth costs $5 to $10.

```python
def wait(ships: int, rate: float) -> float:
    return ships / (rate * (rate - ships))  # hours
```

## Per pier

| Pier | Ships a day | Average wait | Longest wait of the month | What to do |
|---|---|---|---|---|
| 1 | 14 | 6 min | 18 min | Nothing |
| 2 | 9 | 21 min | 1 h 40 min | Ask the yard for the electrician's report |
"""
"""A prompt with a formula, prices, code and a wide table; the simulated model repeats it."""

TERMS: tuple[tuple[str, str, str, str | None, list[str]], ...] = (
    # term, language, translation, note, forbidden forms
    ("quay", "de", "Kai", "The wall where ships moor.", ["Pier", "Steg"]),
    ("crane", "de", "Kran", None, []),
    ("quay", "nl", "kade", None, ["pier"]),
)
WORKFLOWS: tuple[dict[str, Any], ...] = (
    {
        "format": 1, "slug": "harbour-digest", "title": "Harbour digest",
        "description": "Looks for a subject in every place, and writes down what there is.",
        "inputs": {
            "subject": {"type": "string", "description": "What the digest is about"},
            "places": {"type": "array", "description": "Names of piers and quays"},
        },
        "start": "find", "max_steps": 30, "steps": [
            {"id": "find", "kind": "tool", "tool": "search", "with": {"q": {"$ref": "input.subject"}, "limit": 5}, "retry": 1},
            {"id": "is_empty", "kind": "choice", "when": {"empty": {"$ref": "steps.find.output.result"}}, "then": "say_so", "else": "look"},
            {"id": "look", "kind": "map", "over": {"$ref": "input.places"}, "tool": "search", "with": {"q": {"$ref": "item"}, "limit": 2}},
            {"id": "write", "kind": "tool", "tool": "create_document", "with": {"title": {"$ref": "input.subject"}, "body": "Found in notes and files.", "visibility": "team"}, "end": True},
            {"id": "say_so", "kind": "tool", "tool": "create_note", "with": {"title": {"$ref": "input.subject"}, "body": "There is nothing."}, "end": True},
        ],
    },
    {
        "format": 1, "slug": "read-note", "title": "Read a note", "inputs": {"note": {"type": "string"}}, "start": "read",
        "max_steps": 3, "steps": [
            {"id": "read", "kind": "tool", "tool": "read_note", "with": {"id": {"$ref": "input.note"}}},
            {"id": "copy", "kind": "tool", "tool": "create_note", "with": {"title": {"$ref": "steps.read.output.result.title"}}, "end": True},
        ],
    },
    {
        "format": 1, "slug": "read-scan", "title": "Read a scan", "inputs": {"object_id": {"type": "string"}}, "start": "read",
        "max_steps": 3, "steps": [
            {"id": "read", "kind": "tool", "tool": "read_document", "with": {"document": {"$ref": "input.object_id"}}},
            {"id": "write", "kind": "tool", "tool": "create_document", "with": {"title": {"$ref": "steps.read.output.result.title"}, "body": {"$ref": "steps.read.output.result.text"}}, "end": True},
        ],
    },
)  # fmt: skip
REPORTS = {
    "crew/handover.txt": (
        "Priya Raman works for Harbour Lines. Tomas Weber leads Quay Works. Priya Raman met Tomas Weber in Bergen. "
        "Harbour Lines signed the Quay Contract with Nordlys Bank. The crane was repaired by Tomas Weber on 2026-03-14.\n"
    ),
    "crew/minutes.md": (
        "# minutes\n\nThe yard agreed that Priya Raman leads the Open Day. Later Priya Raman called Ida Solberg. "
        "Nordlys Bank finances Harbour Lines. Elif Demir advises Priya Raman.\n"
    ),
    "crew/letter.txt": (
        "Last week Priya Raman visited Quay Works in Oslo. Ida Solberg knows Priya Raman. "
        "Hana Kimura reports to Priya Raman.\n"
    ),
}
"""Texts in which the simulated model finds people, organisations, places and relations."""
INVOICE = "Invoice 2026-117\n\nFrom: Quay Works\nTo: Harbour Lines\nTotal: EUR 420\nDue: 2026-12-01\n"
FORM = "# Payment order\n\nPay {{total}} to {{from}} before {{due}}.\n"
FIELDS = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("from", "total", "due")},
    "required": ["total"],
}
NOWHERE = "01890000-0000-7000-8000-000000000000"
"""The id of nothing."""
COMPANIES = (
    ("aurora", "Aurora Books", "pro", "aurora.example"),
    ("borealis", "Borealis Robotics", "business", "borealis.example"),
    ("polar", "Polar Freight", "free", "polar.example"),
)


def picture(file_format: str = "PNG") -> bytes:
    """A simple image of a sunset."""
    image = Image.new("RGB", (640, 400), "#f3c98b")
    draw = ImageDraw.Draw(image)
    draw.ellipse((400, 130, 500, 230), fill="#e2725b")
    draw.rectangle((0, 240, 640, 400), fill="#2f6f7e")
    draw.polygon(((120, 240), (260, 240), (230, 270), (150, 270)), fill="#3a3a3a")
    out = io.BytesIO()
    image.save(out, file_format)
    return out.getvalue()


def _person(who: str) -> Person:
    return OPERATOR if who == "operator" else PEOPLE[who]


class Instance:
    def __init__(self, served: Served) -> None:
        """`served` must not be set up yet."""
        self.served = served
        self.url = served.url
        self._sessions: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        operator = {"username": OPERATOR.username, "display_name": OPERATOR.name, "password": PASSWORD}
        created = self.call(
            "POST", "/api/bootstrap", {**operator, "org": "Fjordline Ferries", "team": "Harbour office"}
        )
        self.org, self.team, self.operator = created["org"], created["team"], created["token"]
        for person in PEOPLE.values():
            self._add(person)

    def call(self, *request: Any, **more: Any) -> Any:
        """Send a request that must succeed; retry if it was shed under load."""
        for _ in range(MAX_TRIES):
            try:
                return self.served.call(*request, **more)
            except RuntimeError as error:
                if "was answered 503" not in str(error):
                    raise
        return self.served.call(*request, **more)

    def session(self, who: str) -> str:
        """A session token of a person. It is shared by all tests: do not sign it out."""
        if who not in self._sessions:
            self._sessions[who] = self.sign_in(_person(who).username)
        return self._sessions[who]

    def sign_in(self, username: str) -> str:
        token: str = self.call("POST", "/api/login", {"username": username, "password": PASSWORD})["token"]
        return token

    def note(self, title: str, body: str, who: str = "operator", visibility: str = "team", tags: Any = ()) -> str:
        draft = {"title": title, "body": body, "visibility": visibility, "tags": list(tags)}
        note_id: str = self.call("POST", "/api/notes", draft, self.session(who))["id"]
        return note_id

    def read(self, note_id: str) -> str:
        body: str = self.call("GET", f"/api/notes/{note_id}", token=self.operator)["body"]
        return body

    def rewrite(self, note_id: str, body: str) -> None:
        self.call("PUT", f"/api/notes/{note_id}", {"body": body}, self.operator)

    def upload(self, key: str, body: bytes, who: str = "operator", visibility: str = "team") -> str:
        """Upload a version; return the object's id."""
        uploaded = self.served.put(f"/api/repo/{key}?visibility={visibility}", body, self.session(who))
        object_id: str = uploaded["id"]
        return object_id

    def document(self, title: str, body: str, who: str = "operator", visibility: str = "team") -> str:
        draft = {"title": title, "body": body, "visibility": visibility}
        document_id: str = self.call("POST", "/api/documents", draft, self.session(who))["id"]
        return document_id

    def share(self, object_id: str, who: str, capability: str = "view", expires_at: str | None = None) -> None:
        draft = {"principal_type": "user", "principal_id": self.id_of(who), "capability": capability}
        self.call("POST", f"/api/repo-obj/{object_id}/share", {**draft, "expires_at": expires_at}, self.operator)

    def id_of(self, who: str) -> str:
        members = self.call("GET", "/api/members", token=self.operator)["items"]
        user_id: str = next(member["user_id"] for member in members if member["username"] == _person(who).username)
        return user_id

    def resolve(self, address: str) -> str:
        """Replace NOTE, FILE and so on by the ids of sample items."""
        self.sample_note  # noqa: B018 - creates all sample items
        for kind, id in {"NOTE": self.sample_note, **self._ids}.items():
            address = address.replace(kind, id)
        return address

    @cached_property
    def sample_note(self) -> str:
        """Create all sample content on first use; return the id of the sample note."""
        self.call("POST", "/api/admin/seed", {}, self.session("operator"))
        ids = [self.note(title, body, who, visibility, tags) for who, title, body, visibility, tags in NOTES]
        self._add(WITH_TWO_FACTOR)
        self._enable_two_factor(self.sign_in(WITH_TWO_FACTOR.username))
        self._share(ids[-1], "guest", "notes:read")
        self._share(ids[-1], "org_reader", "notes:write")
        self.sign_in(OPERATOR.username)  # the account shows a session to end, whatever else has signed in before
        self._create_tokens()
        self._create_keys()
        self._create_companies()
        self._create_files()
        self._create_documents()
        self._create_conversations()
        self._create_terms()
        self._create_workflows()
        self._create_entities()
        self._create_derived()
        self._ids["PLUGIN"] = "example-tools"
        self._ids["JOB"] = self.call("GET", "/api/jobs", token=self.operator)["items"][0]["id"]
        return ids[-1]

    def _add(self, person: Person) -> None:
        member = {
            "username": person.username,
            "display_name": person.name,
            "password": PASSWORD,
            "role": person.team_role,
        }
        draft = {**member, "team_id": self.team["id"], **({"org_role": person.org_role} if person.org_role else {})}
        self.call("POST", "/api/org/members", draft, self.operator)

    def _enable_two_factor(self, token: str) -> None:
        secret = self.call("POST", "/api/2fa/enable", {"confirm": True}, token)["secret"]
        self.call("POST", "/api/2fa/enable", {"code": pyotp.TOTP(secret).now()}, token)

    def _share(self, note_id: str, who: str, permission: str) -> None:
        draft = {"user_id": self.id_of(who), "permission": permission}
        self.call("POST", f"/api/notes/{note_id}/share", draft, self.operator)

    def _create_tokens(self) -> None:
        for name, scope, days in (
            ("Nightly report", ["notes:read", "notes:write"], 30),
            ("Tide tables", ["notes:read"], 365),
        ):
            self.call("POST", "/api/tokens", {"name": name, "scope": scope, "ttl": days * 86_400}, self.operator)

    def _create_keys(self) -> None:
        for name, scope in (
            ("Backup of the office computer", None),
            ("Timetable on the website", ["files:read:reports/"]),
            ("Scanner at pier 2", ["files:write:inbox/scans/", "files:read:inbox/", "workflows:run:inbox/scans/"]),
        ):
            self.call("POST", "/api/s3/credentials", {"name": name, "scope": scope}, self.operator)

    def _create_files(self) -> None:
        for key, body, who in FILES:
            self.upload(key, body, who)
        self._ids["PICTURE"] = self.upload("pictures/harbour.png", picture())
        report = self.upload("reports/pier-2.md", REPORT.encode())
        self.upload("reports/pier-2.md", REPORT.replace("21 minutes", "9 minutes").encode(), "member")
        soon = datetime.now(UTC) + timedelta(days=7, minutes=5)
        self.share(report, "guest", "edit", soon.isoformat())
        self.share(report, "org_reader")
        self._ids["FILE"] = report

    def _create_documents(self) -> None:
        self.document("Rules of the quay", "Look up: cranes move.\n", "owner")
        document = self.document("Winter timetable", TIMETABLE, "admin")
        for old, new, who in CHANGES:
            body = self.call("GET", f"/api/documents/{document}", token=self.operator)["body"]
            self.call("PUT", f"/api/documents/{document}", {"body": body.replace(old, new)}, self.session(who))
        self._ids["DOCUMENT"] = document

    def conversation(self, *prompts: Any, who: str = "operator", title: str = "") -> str:
        """Have prompts answered in a new conversation; return its id."""
        draft = {"title": title} if title else {}
        conversation_id: str = self.call("POST", "/api/conversations", draft, self.session(who))["id"]
        for prompt in prompts:
            body = {"prompt": prompt, "conversation_id": conversation_id}
            self.call("POST", "/api/ai/chat", body, self.session(who))
        return conversation_id

    def _create_conversations(self) -> None:
        self.conversation("Ideas for the open day?", who="member")
        self.conversation(WRITTEN)
        report = {"type": "object", "object_id": self._ids["FILE"], "version": 1}
        question = {"type": "text", "text": "How long do ships wait on average?"}
        self._ids["CONVERSATION"] = self.conversation("Good morning.", [question, report])
        shared = self.conversation("When does the crane come back?", who="member", title="Crane 3")
        reader = {"user_id": self.id_of("operator"), "permission": "notes:read"}
        self.call("POST", f"/api/conversations/{shared}/share", reader, self.session("member"))
        self._ids["SHARED"] = shared

    def run(self, slug: str, input: dict[str, Any], who: str = "operator") -> str:
        """Run a workflow to its end; return the run's id."""
        run_id: str = self.call("POST", f"/api/workflows/{slug}/run", {"input": input}, self.session(who))["id"]
        self.await_run(run_id, who)
        return run_id

    def await_run(self, run_id: str, who: str = "operator") -> None:
        deadline = time.monotonic() + RUN_LIMIT_SECONDS
        while self.call("GET", f"/api/runs/{run_id}", token=self.session(who))["state"] == "running":
            assert time.monotonic() < deadline, "the run does not end"
            time.sleep(0.05)

    def _create_workflows(self) -> None:
        for spec in WORKFLOWS:
            self.call("POST", "/api/workflows", spec, self.operator)
        self.call("POST", "/api/workflows", {**WORKFLOWS[0], "max_steps": 40}, self.operator)
        self._ids["FAILED"] = self.run("read-note", {"note": NOWHERE})
        self._ids["RUN"] = self.run("harbour-digest", {"subject": "pier", "places": ["Pier 1", "Pier 2", "North quay"]})
        draft = {"workflow_slug": "read-scan", "match_prefix": "inbox/scans/", "match_types": ["text/*"]}
        self._ids["TRIGGER"] = self.call("POST", "/api/doc-triggers", draft, self.operator)["id"]
        later = {**draft, "match_prefix": "", "match_types": ["application/pdf"], "enabled": False}
        self.call("POST", "/api/doc-triggers", {**later, "fire_on_derived": True}, self.session("admin"))
        self.upload("inbox/scans/waybill.txt", b"Two crates of lamps, pier 2.\n")

    def extract_entities(self, who: str = "operator") -> None:
        """Have the documents read that were not read yet."""
        self.await_run(self.call("POST", "/api/kg/extract", {}, self.session(who))["id"], who)

    def entity(self, name: str, who: str = "operator") -> str:
        """The id of the entity with this name."""
        items = self.call("GET", f"/api/kg/entities?q={quote(name)}", token=self.session(who))["items"]
        entity_id: str = next(item["id"] for item in items if item["name"] == name)
        return entity_id

    def await_text(self, object_id: str) -> None:
        """Wait until the text of a file is indexed."""
        deadline = time.monotonic() + RUN_LIMIT_SECONDS
        while self.call("GET", f"/api/repo-obj/{object_id}", token=self.operator)["text_state"] == "pending":
            assert time.monotonic() < deadline, "the text is not indexed"
            time.sleep(0.05)

    def _create_entities(self) -> None:
        for key, text in REPORTS.items():
            self.await_text(self.upload(key, text.encode()))
        self.extract_entities()
        self._ids["ENTITY"] = self.entity("Priya Raman")

    def _create_derived(self) -> None:
        """A letter with its fields, a form and a translation, of which it has changed since."""
        template = self.upload("inbox/letters/form.md", FORM.encode())
        letter = self.upload("inbox/letters/invoice.txt", INVOICE.encode())
        self.await_text(letter)
        self.run(
            "process-upload", {"object_id": letter, "schema": FIELDS, "template": template, "locales": ["de", "fr"]}
        )
        self.await_text(self.upload("inbox/letters/invoice.txt", INVOICE.replace("EUR 420", "EUR 480").encode()))
        self._ids["STALE"] = letter

    def _create_terms(self) -> None:
        for term, target, translation, note, forbidden in TERMS:
            draft = {"term": term, "target": target, "translation": translation, "note": note, "forbidden": forbidden}
            self.call("POST", "/api/glossary", draft, self.operator)

    def _create_companies(self) -> None:
        self.call("POST", "/api/org/teams", {"name": "Workshop"}, self.operator)
        for slug, name, plan, domain in COMPANIES:
            draft = {"name": name, "slug": slug, "plan": plan, "domain": domain, "owner": {"username": f"{slug}.owner"}}
            self.call("POST", "/api/orgs", draft, self.operator)
        self.call("POST", "/api/orgs/polar/suspend", {}, self.operator)
