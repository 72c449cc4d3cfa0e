"""Companies and teams: who is in which, with what role, and so what a caller may do.

The rest of the house meets this capability as `Principal`: it is made here, from a token, once a request.
"""

from teamspace.tenancy.domain.colleagues import add as add_colleague
from teamspace.tenancy.domain.companies import create as create_company
from teamspace.tenancy.domain.companies import find as find_company
from teamspace.tenancy.domain.directory import acquaintances, is_team, names, occupants
from teamspace.tenancy.domain.founding import is_bootstrapped, is_open_to_anybody
from teamspace.tenancy.domain.hosting import is_suspended
from teamspace.tenancy.domain.members import is_colleague, is_member
from teamspace.tenancy.domain.people import create_operator, invite, reset_password, reset_second_factor
from teamspace.tenancy.domain.principals import RIGHTS, Callers, Known, bucket_of, guard, is_bucket, stand_in
from teamspace.tenancy.domain.teams import create as create_team
from teamspace.tenancy.schemas import (
    CompanyDraft,
    CompanyResumed,
    CompanySuspended,
    Estate,
    Locales,
    NewColleague,
    Occupant,
    OrgRole,
    OwnerDraft,
    PlanChanged,
    Role,
    TeamDraft,
)
from teamspace.tenancy.store import COUNTS, INVARIANTS, seated

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "RIGHTS",
    "Callers",
    "CompanyDraft",
    "CompanyResumed",
    "CompanySuspended",
    "Estate",
    "Known",
    "Locales",
    "NewColleague",
    "Occupant",
    "OrgRole",
    "OwnerDraft",
    "PlanChanged",
    "Role",
    "TeamDraft",
    "acquaintances",
    "add_colleague",
    "bucket_of",
    "create_company",
    "create_operator",
    "create_team",
    "find_company",
    "guard",
    "invite",
    "is_bootstrapped",
    "is_bucket",
    "is_colleague",
    "is_member",
    "is_open_to_anybody",
    "is_suspended",
    "is_team",
    "names",
    "occupants",
    "reset_password",
    "reset_second_factor",
    "seated",
    "stand_in",
]
