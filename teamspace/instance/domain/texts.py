"""Texts of the sample content, oldest first."""

from typing import Literal

import msgspec


class SampleText(msgspec.Struct, frozen=True):
    title: str
    tags: tuple[str, ...]
    visibility: Literal["private", "team", "shared"]
    body: str


NOTES = (
    SampleText(
        "Reading list",
        ("reading",),
        "private",
        """\
Only you see this note: it is **private**. Share it with one colleague, or change its visibility.

- *A Philosophy of Software Design*, chapters 4 to 6
- The essay on write-ahead logs that Mira sent
- Postmortems of the last two years, one a week
""",
    ),
    SampleText(
        "House style",
        ("writing", "guide"),
        "team",
        """\
How we write, so that nobody has to ask twice.

1. Say what happened first, then why, then what comes next.
2. One idea a paragraph. Short words before long ones.
3. A number needs its unit and its date: *41 ms (p99, 12 March)*, not *fast*.
4. Link the source. A claim without one is an opinion, and may stay one if it says so.

> If a sentence can be misread, somebody has already misread it.
""",
    ),
    SampleText(
        "Release checklist",
        ("release", "checklist"),
        "team",
        """\
Copy this note for every release.

- [ ] The changelog says what a customer will notice
- [ ] Migrations ran on a copy of production, with timings
- [ ] `teamspace doctor` is clean on the copy
- [ ] A backup from today was restored somewhere, and opened
- [ ] Support has seen the new screens
- [ ] Somebody who did not build it has tried it

**Rollback:** redeploy the previous version; the schema of this release can be read by it.
""",
    ),
    SampleText(
        "Weekly planning, 12 May",
        ("meeting", "planning"),
        "team",
        """\
Present: Noor, Jonas, Mira, Theo. Away: Alma.

## Decided
- The import moves behind the search work. Noor tells the two customers who asked.
- We stop supporting the old export format on 1 July.

## Open
| Question | Who | By |
|---|---|---|
| Do we need a second region this year? | Theo | 26 May |
| Price of the business plan | Mira | 19 May |
| Who answers support on Fridays? | all | next meeting |

## Next week
Alma is back on Tuesday and takes over the onboarding texts.
""",
    ),
    SampleText(
        "Incident 2041: uploads stuck for 38 minutes",
        ("incident", "postmortem"),
        "team",
        """\
**What people saw.** From 09:12 to 09:50 uploads began and never ended. Nothing was lost.

**What happened.** A nightly job left a file lock behind. The first upload of the day waited for it, and every
later one queued behind the first.

**What we did.** Jonas found the lock at 09:41, removed it, and restarted one process.

**What we change**
1. The lock has a deadline now. Done, 3 tests.
2. The queue's length is on the dashboard, with an alarm at 50. Done.
3. The nightly job runs in a container of its own. *Open, Jonas, end of the month.*

**What went well.** The first report came from our own probe, two minutes before the first customer's.
""",
    ),
    SampleText(
        "Interview notes: three teams that switched",
        ("research", "customers"),
        "team",
        """\
Three conversations of an hour each. Quotes are theirs, names are changed.

### A law office of 14
Wanted to know *who saw what*. "We do not need more features. We need to prove that nobody looked."

### A translation bureau of 40
Came for the glossary. Stayed because freelancers see their own projects and nothing else.

### A school
Moved because the old service could not be run in their own building.

**Pattern:** all three asked for the audit trail in the first ten minutes.
""",
    ),
    SampleText(
        "Pricing: three drafts",
        ("pricing", "draft"),
        "private",
        """\
Not for the team yet.

- **Per seat.** Easy to explain, punishes the guest who reads once a month.
- **Per workspace.** Fair for small teams, too cheap for large ones.
- **Per use.** Honest for model calls, frightening for everything else.

Leaning: workspace price with generous seats, model use metered apart.
""",
    ),
    SampleText(
        "Onboarding: your first week",
        ("guide", "people"),
        "team",
        """\
Welcome. Nobody expects you to be useful before Thursday.

| Day | What |
|---|---|
| Monday | Accounts, second factor, lunch with the team |
| Tuesday | Read *House style* and two incidents of your choice |
| Wednesday | Sit with support for the morning |
| Thursday | Fix one small thing and ship it |
| Friday | Tell us what confused you. This list is made of those answers |

Your buddy is the person who wrote this note last.
""",
    ),
    SampleText(
        "Kitchen duty",
        ("office",),
        "team",
        """\
Odd weeks: Jonas, Mira. Even weeks: Noor, Theo. Alma brews the coffee, because nobody else does it right.

The dishwasher starts at six, full or not.
""",
    ),
    SampleText(
        "Welcome to your workspace",
        ("guide",),
        "team",
        """\
This team has been filled with a few **sample notes**. They are ordinary notes: edit them, share them, delete them.

Things to try:

1. Open *Release checklist* and change something. The version in the corner counts up, and nobody can overwrite
   your edit without seeing it.
2. Share *Reading list* with one colleague. Everybody else still gets "not found".
3. Filter by the tag `meeting`, or look at everything that carries `sample` to clean up later.
4. Invite somebody under *People*, and give them a role.

All that you change is on the audit trail, with the time and the person.
""",
    ),
)


DOCUMENTS = (
    SampleText(
        "Onboarding, the first week",
        (),
        "team",
        """\
# The first week

A **document** keeps every version: change something here, then look at *Versions* to see the words that differ.

| Day | With whom | What for |
|---|---|---|
| Monday | Your buddy | Accounts, keys, a tour of the repository |
| Tuesday | The on-call engineer | Follow a real alert from page to fix |
| Wednesday | Anybody you like | Ship something small |

## Before you ask

1. Search first: it finds notes, documents, and words inside files.
2. If the answer was hard to find, move it to where you looked.
""",
    ),
    SampleText(
        "Supplier contract, draft",
        (),
        "private",
        """\
# Supplier contract

Only you see this one. Share it with a colleague for a week, and look at *Who can see this*: it says why.

- Term: 24 months, then month by month
- Price: as quoted on 3 March, fixed for the first year
- Notice: 60 days, in writing
""",
    ),
)
