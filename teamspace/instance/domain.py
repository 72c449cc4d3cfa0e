"""What the instance says of itself."""

from teamspace import tenancy
from teamspace.core.db import Db
from teamspace.instance.schemas import Config, Localization


async def config(db: Db, *, multitenant: bool) -> Config:
    return Config(
        home="console",
        multitenant=multitenant,
        bootstrapped=await tenancy.is_bootstrapped(db),
        localization=Localization(default_locale="en", available_locales=["en"], switching=True),
    )
