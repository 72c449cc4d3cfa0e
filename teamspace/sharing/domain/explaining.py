"""Explain who can see a row: the rules of the fences, applied to each person."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from teamspace import tenancy
from teamspace.core import paging
from teamspace.core.db import Reads
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.sharing import store
from teamspace.sharing.schemas import (
    AccessReason,
    EffectiveReader,
    GrantDetails,
    GrantListing,
    GrantRow,
    GrantsQuery,
    Level,
    Levels,
    OwnedRow,
    Rule,
    Shareable,
)

T = TypeVar("T")
MakeReason = Callable[[Rule, Level, str | None, str | None], T]


async def explain(
    db: Reads, row: OwnedRow, kind: Shareable, levels: Levels[Permission], query: GrantsQuery
) -> GrantListing:
    """Return the grants of a row with names, also expired ones, and if asked everyone who can see it, and why."""
    rows = await store.select_grants(db, kind, row.id)
    items = await _with_names(db, row, rows)
    if query.effective is None:
        return GrantListing(items)
    people, next_cursor = await list_readers(db, row, rows, levels, AccessReason, query)
    readers = [
        EffectiveReader(person.user_id, person.username, person.display_name, reasons) for person, reasons in people
    ]
    return GrantListing(items, readers, next_cursor)


async def list_readers(
    db: Reads, row: OwnedRow, rows: Sequence[GrantRow[Level]], levels: Levels[Level], reason: MakeReason[Level, T],
    query: Paging,
) -> tuple[list[tuple[tenancy.PersonTeams, list[T]]], str | None]:  # fmt: skip
    """Return a page of the people who can see a row, each with all reasons; `rows` are its grants."""
    held = [grant for grant in rows if not grant.expired]
    visible = levels.by_role is not None
    people = await tenancy.list_people_with_teams(
        db, row.org_id,
        user_ids={row.owner_id, *(grant.principal_id for grant in held if grant.principal_type == "user")},
        team_ids={
            *([row.team_id] if visible else []),
            *(grant.principal_id for grant in held if grant.principal_type == "team"),
        },
        with_org_roles=visible, after=paging.decode_cursor(query.cursor) if query.cursor else "", limit=query.size + 1,
    )  # fmt: skip
    page = paging.page(people, query, lambda person: person.user_id)
    explained = [(person, _reasons(row, held, levels, reason, person)) for person in page.items]
    return [(person, reasons) for person, reasons in explained if reasons], page.next_cursor


def _reasons(
    row: OwnedRow, held: Sequence[GrantRow[Level]], levels: Levels[Level], reason: MakeReason[Level, T],
    person: tenancy.PersonTeams,
) -> list[T]:  # fmt: skip
    teams = {seat.team_id for seat in person.teams}
    owns = person.user_id == row.owner_id and row.team_id in teams
    reasons = [reason("owner", levels.owner, None, None)] if owns else []
    if levels.by_role is not None:
        for seat in person.teams:
            if seat.team_id == row.team_id and (level := levels.by_role(seat.permissions)):
                reasons.append(reason("team_role", level, seat.team_id, None))
        if any(Permission.ORG_READ in seat.permissions for seat in person.teams):
            reasons.append(reason("company_role", levels.read, None, None))
    for grant in held:
        if grant.principal_type == "user" and grant.principal_id == person.user_id:
            reasons.append(reason("grant", grant.level, None, grant.expires_at))
        elif grant.principal_type == "team" and grant.principal_id in teams:
            reasons.append(reason("team_grant", grant.level, grant.principal_id, grant.expires_at))
    return reasons


async def _with_names(db: Reads, row: OwnedRow, rows: Sequence[GrantRow[Permission]]) -> list[GrantDetails]:
    names = await tenancy.get_names(db, row.org_id, {grant.principal_id for grant in rows})
    return [
        GrantDetails(
            user_id=grant.principal_id if grant.principal_type == "user" else None, permission=grant.level,
            principal_type=grant.principal_type, principal_id=grant.principal_id, expires_at=grant.expires_at,
            name=names.get(grant.principal_id, ""), granted_by=grant.granted_by, expired=grant.expired,
            created_at=grant.created_at,
        )
        for grant in rows
    ]  # fmt: skip
