"""Access rules for objects. No other module decides who can use which object.

A person can use an object if one of these is true:
- they own it and are still a member of its team;
- it is visible to the team, and their role in that team has the permission;
- a grant that has not expired gives access to them or to their team;
- it is visible to its team, they have org:read, and they only read it;
- it is a file of a note or document that they can read, and they name it by its id to read it (`fence_of_named`).

None of this widens a token: objects outside its scope or its key prefixes are not admitted. An object in
the trash is admitted by `trash_fence` alone: it is `removed`, and the only other fence with removed objects leaves it out.
"""

from functools import cache, lru_cache
from itertools import chain

import msgspec

from teamspace import events, notes, sharing
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository.schemas import AccessLevel

_OWN = sharing.owned("objects")
_TEAM = Clause("objects.team_id = :team_id AND objects.visibility = 'team'")
_COMPANY = Clause("objects.org_id = :org_id AND objects.visibility = 'team'")
_OWN_UPLOAD = Clause(
    "object_uploads.owner_id = :user_id AND object_uploads.team_id = :team_id AND object_uploads.org_id = :org_id"
)
_IN_USE = "{row}.removed = FALSE"
_MARKED = "{row}.removed = TRUE AND {row}.trashed_at IS NULL"
_NOT_OWN = "objects.owner_id <> :user_id"
ATTACHMENTS = "attachments/"
"""The files of a page are below `attachments/<id of the page>/`."""


def fence(who: Principal, permission: P, *, across_org: bool = False) -> Fence:
    """Return the objects on which `who` has `permission`, without deleted ones."""
    by_company = across_org and permission is P.FILES_READ and who.has_permission(P.ORG_READ)
    return _fence(
        who, permission, *_own_clauses(permission in who.permissions, by_company), *_grant_clauses(permission)
    )


def fence_of_named(who: Principal) -> Fence:
    """Return the objects that `who` can read if they name them, as a page names its files: with those of their pages.

    Only for statements that look up objects by id. A list would have to ask for every attachment who can read its page;
    people find the files of others' pages in the pages.
    """
    plain, page = fence(who, P.FILES_READ, across_org=True), notes.read_fence(who, across_org=True)
    if plain.is_empty:
        return plain
    below, _ = _prefix_condition(who, P.FILES_READ)
    admitted = page.admits("attachments.note_id"), plain.admits("attachments.document_id")
    return Fence("objects", _named(plain.clauses, *admitted, below), plain.params | page.params)


@lru_cache(512)
def _named(clauses: tuple[Clause, ...], of_notes: str, of_documents: str, below: str) -> tuple[Clause, ...]:
    attached = _attached("note_id", of_notes), _attached("document_id", of_documents)
    return clauses + _narrow(attached, f"{_IN_USE} AND {below}")


def _attached(page: str, admitted: str) -> Clause:
    """Return the clause for the files of admitted pages. One that was moved elsewhere is no longer the page's."""
    below_page = f"substr(objects.key, 1, 49) = '{ATTACHMENTS}' || attachments.{page} || '/'"
    return Clause(f"{below_page} AND {admitted}", through="attachments", key="attachments.object_id")


def page_id_of(key: str) -> str | None:
    """Return the id of the page whose file this key is for."""
    folder, page_id, name = (*key.split("/", 2), "", "")[:3]
    return page_id if f"{folder}/" == ATTACHMENTS and len(page_id) == 36 and name else None


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, P.FILES_READ, across_org=True),)


SUBJECTS = (events.EventSubject("object", P.FILES_READ, _read_fences),)


def fence_with_deleted(who: Principal, permission: P) -> Fence:
    """Return the same fence with delete markers, but never across the company."""
    return _fence(
        who,
        permission,
        *_own_clauses(permission in who.permissions, False),
        *_grant_clauses(permission),
        with_deleted=True,
    )


def trash_fence(who: Principal) -> Fence:
    """Return the objects in the trash that `who` may restore or delete for good.

    These are their own, those visible to the team if their role lets them delete files, and those they have deleted
    themselves by a grant that they still have. A grant alone shows nobody what others have deleted.
    """
    if not who.in_scope(P.FILES_DELETE):
        return no_rows("objects")
    below, params = _prefix_condition(who, P.FILES_DELETE)
    ways = (*_own_clauses(P.FILES_DELETE in who.permissions, False), _DELETED)
    return Fence("objects", _narrow(ways, f"{{row}}.trashed_at IS NOT NULL AND {below}"), params)


def fence_without_grants(who: Principal, permission: P) -> Fence:
    """Return the objects on which `who` has `permission` by ownership or role, not by a grant, which can expire."""
    return _fence(who, permission, *_own_clauses(permission in who.permissions, False))


def shared_fence(who: Principal) -> Fence:
    """Return the objects that others shared with `who` or with their team."""
    return _fence(who, P.FILES_READ, *_grant_clauses(P.FILES_READ), condition=_NOT_OWN)


def can_create(who: Principal, key: str) -> bool:
    return who.has_permission(P.FILES_WRITE, key)


def own_uploads_fence(who: Principal) -> Fence:
    """Return the caller's own multipart uploads: uploads are not visible to others before they are completed."""
    if not who.in_scope(P.FILES_WRITE):
        return no_rows("object_uploads")
    below, params = _prefix_condition(who, P.FILES_WRITE)
    return Fence("object_uploads", _narrow((_OWN_UPLOAD,), below, "object_uploads"), params)


def _fence(
    who: Principal, permission: P, *clauses: Clause, condition: str = "TRUE", with_deleted: bool = False
) -> Fence:
    """Return a fence of these clauses, limited to the token's key prefixes."""
    if not who.in_scope(permission):
        return no_rows("objects")
    below, params = _prefix_condition(who, permission)
    return Fence("objects", _by_state(clauses, condition, below, with_deleted), params)


@lru_cache(512)
def _by_state(clauses: tuple[Clause, ...], condition: str, below: str, with_deleted: bool) -> tuple[Clause, ...]:
    """Return one clause per value of `removed`, since the indexes have that column before the id and the key."""
    states = (_IN_USE, _MARKED) if with_deleted else (_IN_USE,)
    narrowed = (_narrow(clauses, f"{state} AND {condition} AND {below}") for state in states)
    return tuple(chain.from_iterable(narrowed))


def _narrow(clauses: tuple[Clause, ...], condition: str, table: str = "objects") -> tuple[Clause, ...]:
    return tuple(
        msgspec.structs.replace(clause, where=f"{clause.where} AND {condition.format(row=clause.alias or table)}")
        for clause in clauses
    )


def _own_clauses(by_role: bool, by_company: bool) -> tuple[Clause, ...]:
    return (_OWN, *([_TEAM] if by_role else []), *([_COMPANY] if by_company else []))


@cache
def _grant_clauses(permission: P) -> tuple[Clause, ...]:
    levels = ", ".join(f"'{level}'" for level in AccessLevel if permission in level.permissions)
    return tuple(
        Clause(
            f"grants.principal_type = '{kind}' AND grants.principal_id = {id} AND grants.org_id = :org_id"
            f" AND grants.capability IN ({levels}) AND {sharing.not_expired('grants')}",
            through="object_grants AS grants",
            key="grants.object_id",
            alias="grants",
        )
        for kind, id in sharing.PRINCIPALS
    )


_GRANTED = " OR ".join(clause.predicate("objects") for clause in _grant_clauses(P.FILES_DELETE))
_DELETED = Clause(f"objects.trashed_by_grantee = :user_id AND objects.org_id = :org_id AND ({_GRANTED})")


def allowed_prefixes(who: Principal, permission: P, prefix: str) -> list[str]:
    """Return the prefixes below `prefix` that the token allows, in key order, none inside another."""
    limits = _scope_prefixes(who, permission)
    if limits is None:
        return [prefix]
    allowed: list[str] = []
    for candidate in sorted({max(limit, prefix, key=len) for limit in limits if _overlap(limit, prefix)}):
        if not allowed or not candidate.startswith(allowed[-1]):
            allowed.append(candidate)
    return allowed


def _overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _scope_prefixes(who: Principal, permission: P) -> list[str] | None:
    """Return the prefixes the token is limited to, or None if it has no limit."""
    limits = [entry.prefix for entry in who.scope or () if entry.permission is permission]
    return None if who.scope is None or "" in limits else limits


def _prefix_condition(who: Principal, permission: P) -> tuple[str, dict[str, str]]:
    params = {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
    limits = _scope_prefixes(who, permission)
    if limits is None:
        return "TRUE", params
    prefixes = {f"{permission.name.lower()}_below_{number}": prefix for number, prefix in enumerate(limits)}
    conditions = " OR ".join(
        f"substr({{row}}.key, 1, length(CAST(:{name} AS TEXT))) = CAST(:{name} AS TEXT)" for name in prefixes
    )
    return f"({conditions})", params | prefixes
