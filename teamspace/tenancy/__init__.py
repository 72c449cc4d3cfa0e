"""Companies, teams, members and roles, and the permissions that follow from them.

Other packages see the result as `Principal`, which is built here from the token of each request.
"""

from teamspace.tenancy.domain.colleagues import add as add_colleague
from teamspace.tenancy.domain.companies import create as create_company
from teamspace.tenancy.domain.companies import find as find_company
from teamspace.tenancy.domain.directory import find_share_targets, get_names, is_team, list_people_with_teams
from teamspace.tenancy.domain.founding import can_be_claimed, is_bootstrapped
from teamspace.tenancy.domain.hosting import is_suspended
from teamspace.tenancy.domain.members import MEMBER, NameUnavailable, admit, is_colleague, is_member
from teamspace.tenancy.domain.people import create_operator, invite, reset_password, reset_second_factor
from teamspace.tenancy.domain.principals import (
    RIGHTS_TABLES,
    CachedCaller,
    CallerCache,
    act_for,
    act_for_team,
    get_bucket,
    get_callers,
    looks_like_bucket,
    without_credential,
    write_guard,
)
from teamspace.tenancy.domain.teams import create as create_team
from teamspace.tenancy.schemas import (
    CompanyDraft,
    CompanyResumed,
    CompanySuspended,
    Locales,
    NewColleague,
    Newcomer,
    OrgRole,
    OwnedTables,
    OwnerDraft,
    PersonActivated,
    PersonTeams,
    PlanChanged,
    Role,
    TeamDraft,
)
from teamspace.tenancy.store import COUNTS, INVARIANTS, current_membership

SUBJECTS = (MEMBER,)

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "MEMBER",
    "RIGHTS_TABLES",
    "SUBJECTS",
    "CachedCaller",
    "CallerCache",
    "CompanyDraft",
    "CompanyResumed",
    "CompanySuspended",
    "Locales",
    "NameUnavailable",
    "NewColleague",
    "Newcomer",
    "OrgRole",
    "OwnedTables",
    "OwnerDraft",
    "PersonActivated",
    "PersonTeams",
    "PlanChanged",
    "Role",
    "TeamDraft",
    "act_for",
    "act_for_team",
    "add_colleague",
    "admit",
    "can_be_claimed",
    "create_company",
    "create_operator",
    "create_team",
    "current_membership",
    "find_company",
    "find_share_targets",
    "get_bucket",
    "get_callers",
    "get_names",
    "invite",
    "is_bootstrapped",
    "is_colleague",
    "is_member",
    "is_suspended",
    "is_team",
    "list_people_with_teams",
    "looks_like_bucket",
    "reset_password",
    "reset_second_factor",
    "without_credential",
    "write_guard",
]
