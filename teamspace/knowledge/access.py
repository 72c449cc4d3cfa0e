"""Who sees what of the graph: whatever a document says, whoever can read that document.

The fence of the repository decides about every row. The audiences of a caller are where candidates are looked for, in
the order of a list: see the table `kg_entries`.
"""

from teamspace import repository
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.knowledge.schemas import GraphReach


def reach(who: Principal, *, across_org: bool = False) -> GraphReach:
    fence = repository.read_fence(who, across_org=across_org)
    if fence.is_empty:
        return GraphReach(fence, {})
    audiences = {
        "as_owner": f"own:{who.user_id}",
        "by_grant": f"user-grant:{who.user_id}",
        "by_team_grant": f"team-grant:{who.team_id}",
    }
    if P.FILES_READ in who.permissions:
        audiences["as_member"] = f"team:{who.team_id}"
    if across_org and who.has_permission(P.ORG_READ):
        audiences["as_colleague"] = f"org:{who.org_id}"
    return GraphReach(fence, audiences)


def names_fence(who: Principal, *, across_org: bool) -> Fence:
    """Return the fence of the names that a document has which `who` can read; for searches by words."""
    seen = reach(who, across_org=across_org)
    if seen.is_empty:
        return no_rows("kg_names")
    is_named = "kg_entries.name = kg_names.name AND kg_entries.name_id = kg_names.id"
    branches = (
        f"EXISTS (SELECT 1 FROM kg_entries CROSS JOIN objects WHERE kg_entries.audience = :{audience} AND {is_named}"
        f" AND objects.id = kg_entries.object_id AND {seen.objects.sql})"
        for audience in seen.audiences
    )
    return Fence("kg_names", tuple(Clause(branch) for branch in branches), seen.params)
