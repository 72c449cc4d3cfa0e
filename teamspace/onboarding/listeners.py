"""What the funnel does when prospects become members."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.onboarding.domain import activation
from teamspace.tenancy import PersonActivated

LISTENERS = (On(PersonActivated, "activated", "Count the accepted prospects who set their password."),)


async def activated(tx: Tx, event: PersonActivated) -> None:
    await activation.count(tx, event.user_id)
