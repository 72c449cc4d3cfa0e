"""The instance's policy: its locale, whether people choose their own, and whether unreviewed texts are served."""

from teamspace.core.db import Db
from teamspace.core.errors import BadRequest
from teamspace.core.messages import catalogs
from teamspace.core.principal import Principal
from teamspace.localization import store
from teamspace.localization.schemas import LocalizationPolicy, LocalizationPolicyChange
from teamspace.translation import clean_tag


async def change(db: Db, who: Principal, request: LocalizationPolicyChange) -> LocalizationPolicy:
    """Set the policy; it is in force at once, in every process."""
    locale = clean_tag(request.default_locale, "default_locale")
    async with db.write(who, "l10n.set_policy", lock=("l10n_policy", "")) as tx:
        known = await store.select_locales(tx) or sorted(catalogs())
        if locale not in known:
            raise BadRequest.at("/default_locale", "value.one_of", choices=", ".join(known))
        before = await store.get_policy(tx)
        drafts = before.drafts if request.drafts is None else request.drafts
        policy = LocalizationPolicy(locale, request.switching, drafts)
        await store.put_policy(tx, policy)
        tx.detail = {"default_locale": locale, "switching": policy.switching, "drafts": policy.drafts}
    return policy
