"""Job kinds of localization."""

from teamspace.ai import Gateway
from teamspace.core.db import Db
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.localization.domain import drafting
from teamspace.localization.schemas import DraftedMessages, DraftInput

JOBS = (
    JobSpec(drafting.KIND, "draft", "Draft translations of messages that are missing in a locale.",
        permission=Permission.LOCALIZATION_MANAGE, feature=Feature.TRANSLATE),
)  # fmt: skip


async def draft(db: Db, who: Principal, input: DraftInput, gateway: Gateway) -> DraftedMessages:
    return await drafting.draft(db, who, gateway, input)
