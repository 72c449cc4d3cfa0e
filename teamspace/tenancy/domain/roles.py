"""Roles and what they may do: one table, read by people and by the gate alike.

Permissions only add up; there is no deny. A member's rights over their own notes and files are not
here: ownership is the fence's business.
"""

from teamspace.core.errors import Forbidden, OutOfScope
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.tenancy.schemas import OrgRole, Role

_READ = frozenset({P.NOTES_READ, P.FILES_READ, P.SEARCH, P.WORKFLOWS_READ})
_WORK = _READ | {P.NOTES_WRITE, P.FILES_WRITE, P.CHAT_USE, P.WORKFLOWS_RUN, P.WORKFLOWS_WRITE}
_RUN_THE_TEAM = _WORK | {
    P.NOTES_DELETE, P.NOTES_MANAGE, P.FILES_DELETE, P.FILES_MANAGE, P.MEMBERS_MANAGE, P.SETTINGS_MANAGE,
    P.LOCALIZATION_READ,
}  # fmt: skip
_TRANSLATE = frozenset({P.LOCALIZATION_READ, P.LOCALIZATION_TRANSLATE, P.NOTES_READ, P.SEARCH})

OPERATOR = _RUN_THE_TEAM | {
    P.INSTANCE_MANAGE, P.LOCALIZATION_MANAGE, P.LOCALIZATION_TRANSLATE, P.LOCALIZATION_REVIEW,
}  # fmt: skip

BY_ROLE: dict[Role, frozenset[P]] = {
    Role.OWNER: _RUN_THE_TEAM,
    Role.ADMIN: _RUN_THE_TEAM,
    Role.MEMBER: _WORK,
    Role.VIEWER: _READ,
    Role.GUEST: frozenset(),
    Role.TRANSLATOR: _TRANSLATE,
    Role.REVIEWER: _TRANSLATE | {P.LOCALIZATION_REVIEW},
    Role.WORKER: frozenset(),
}

BY_ORG_ROLE: dict[OrgRole, frozenset[P]] = {
    OrgRole.OWNER: frozenset({P.ORG_READ, P.ORG_MANAGE}),
    OrgRole.ADMIN: frozenset({P.ORG_READ, P.ORG_MANAGE}),
    OrgRole.READER: frozenset({P.ORG_READ}),
}

WORKER_TOKEN = frozenset({P.JOBS_EXECUTE})


def permissions(role: Role | None, org_role: OrgRole | None, *, operator: bool) -> frozenset[P]:
    by_team = BY_ROLE[role] if role else frozenset()
    by_company = BY_ORG_ROLE[org_role] if org_role else frozenset()
    return by_team | by_company | (OPERATOR if operator else frozenset())


def check_scope(who: Principal, role: Role | OrgRole, held: frozenset[P]) -> None:
    """A token gives no role that reaches further than the token itself."""
    beyond = sorted(permission for permission in held if not who.in_scope(permission))
    if beyond:
        raise OutOfScope(
            f"This token cannot give the role {role}: it holds {beyond[0]}, which its scope does not include."
        )


def check_grantable(who: Principal, role: Role) -> None:
    """Nobody hands out more than they hold; only an owner, or an operator, names an owner."""
    if role is Role.WORKER:
        raise Forbidden("The role worker belongs to executors, not to people.")
    beyond = sorted(permission for permission in BY_ROLE[role] if not who.holds(permission))
    if beyond:
        raise Forbidden(f"You cannot give the role {role}: it holds {beyond[0]}, which you do not.")
    if role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("Only an owner names an owner.")
