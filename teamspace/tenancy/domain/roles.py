"""Roles and their permissions, in one table.

Permissions only add up; there is no deny. What owners may do with their own notes and files is not here, but in the
fences.
"""

from teamspace.core.errors import Forbidden, OutOfScope
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.tenancy.schemas import OrgRole, Role

_READ = frozenset({P.NOTES_READ, P.FILES_READ, P.SEARCH, P.WORKFLOWS_READ})
_WORK = _READ | {P.NOTES_WRITE, P.FILES_WRITE, P.CHAT_USE, P.WORKFLOWS_RUN, P.WORKFLOWS_WRITE}
_MANAGE = _WORK | {
    P.NOTES_DELETE, P.NOTES_MANAGE, P.FILES_DELETE, P.FILES_MANAGE, P.MEMBERS_MANAGE, P.SETTINGS_MANAGE,
    P.LOCALIZATION_READ,
}  # fmt: skip
_TRANSLATE = frozenset({P.LOCALIZATION_READ, P.LOCALIZATION_TRANSLATE, P.NOTES_READ, P.SEARCH})

OPERATOR = _MANAGE | {
    P.INSTANCE_MANAGE, P.LOCALIZATION_MANAGE, P.LOCALIZATION_TRANSLATE, P.LOCALIZATION_REVIEW,
}  # fmt: skip

BY_ROLE: dict[Role, frozenset[P]] = {
    Role.OWNER: _MANAGE,
    Role.ADMIN: _MANAGE,
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


def get_permissions(role: Role | None, org_role: OrgRole | None, *, operator: bool) -> frozenset[P]:
    by_team = BY_ROLE[role] if role else frozenset()
    by_company = BY_ORG_ROLE[org_role] if org_role else frozenset()
    return by_team | by_company | (OPERATOR if operator else frozenset())


def check_scope(who: Principal, role: Role | OrgRole, permissions: frozenset[P]) -> None:
    """Refuse to give a role with a permission that the caller's token does not have."""
    missing = sorted(permission for permission in permissions if not who.in_scope(permission))
    if missing:
        raise OutOfScope("tenancy.role_beyond_scope", role=role, permission=missing[0])


def check_grantable(who: Principal, role: Role) -> None:
    """Refuse to give a role with more permissions than the caller's; only owners and operators can appoint owners."""
    if role is Role.WORKER:
        raise Forbidden("tenancy.worker_role")
    missing = sorted(permission for permission in BY_ROLE[role] if not who.has_permission(permission))
    if missing:
        raise Forbidden("tenancy.role_beyond_rights", role=role, permission=missing[0])
    if role is Role.OWNER and who.role != Role.OWNER and not who.operator:
        raise Forbidden("tenancy.appoint_owner")
