"""The clauses of fences that ownership and grants give. Neither extends a token's scope: callers check it."""

import msgspec

from teamspace import tenancy
from teamspace.core.db import Clause
from teamspace.core.permissions import Permission
from teamspace.sharing.schemas import PRINCIPALS, Shareable, not_expired


def owned(table: str) -> Clause:
    """Return the clause for the rows of `:user_id`, while they are a member of the row's team."""
    return Clause(f"{table}.owner_id = :user_id AND {table}.org_id = :org_id", exists=tenancy.current_membership(table))


def granted(kind: Shareable, permission: Permission, *, in_trash: bool = False) -> tuple[Clause, ...]:
    """Return the clauses for the rows on which `:user_id` or `:team_id` was granted `permission`, or one above it."""
    rungs = ", ".join(f"'{rung}'" for rung in kind.ladder[kind.ladder.index(permission) :])
    # Both conditions: the first is in the index, and the second is checked again on a row that has changed meanwhile.
    in_use = f" AND grants.trashed_at IS NULL AND {kind.in_use}" if kind.trash and not in_trash else ""
    return tuple(
        Clause(
            f"grants.principal_type = '{principal_type}' AND grants.principal_id = {principal_id}"
            f" AND grants.org_id = :org_id AND grants.permission IN ({rungs}) AND {not_expired('grants')}{in_use}",
            through=f"{kind.grants} AS grants", key=f"grants.{kind.key}", alias="grants" if kind.repeated else "",
        )
        for principal_type, principal_id in PRINCIPALS
    )  # fmt: skip


def granted_by_others(kind: Shareable) -> tuple[Clause, ...]:
    """Return the clauses for the rows that others shared with `:user_id` or `:team_id`."""
    return tuple(
        msgspec.structs.replace(clause, where=f"{clause.where} AND {kind.table}.owner_id <> :user_id")
        for clause in granted(kind, kind.ladder[0])
    )
