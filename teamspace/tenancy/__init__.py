"""Companies and teams: who is in which, with what role, and so what a caller may do.

The rest of the house meets this capability as `Principal`: it is made here, from a token, once a request.
"""

from teamspace.tenancy.domain.companies import bootstrap, is_bootstrapped
from teamspace.tenancy.domain.members import is_colleague
from teamspace.tenancy.domain.people import create_operator, reset_password, reset_second_factor
from teamspace.tenancy.domain.principals import RIGHTS, Callers, guard
from teamspace.tenancy.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "RIGHTS",
    "Callers",
    "bootstrap",
    "create_operator",
    "guard",
    "is_bootstrapped",
    "is_colleague",
    "reset_password",
    "reset_second_factor",
]
