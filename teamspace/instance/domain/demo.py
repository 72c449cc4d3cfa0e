"""Two demo companies whose people have known passwords: never on an instance that others can reach."""

import msgspec

from teamspace import branding, identity, tenancy
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import Conflict, Forbidden, NotFound, Unauthenticated
from teamspace.core.principal import Principal
from teamspace.instance.domain.samples import add_notes
from teamspace.instance.domain.texts import NOTES
from teamspace.instance.schemas import DemoCompanies, DemoCompany, DemoPerson
from teamspace.quota import Plan
from teamspace.settings import Settings
from teamspace.tenancy import OrgRole, Role


class DemoUser(msgspec.Struct, frozen=True):
    username: str
    name: str
    team: str
    role: Role
    org_role: OrgRole | None = None


class DemoOrg(msgspec.Struct, frozen=True):
    slug: str
    name: str
    tagline: str
    domain: str
    plan: Plan
    password: str
    theme: dict[str, str | int]
    people: tuple[DemoUser, ...]
    """The first person owns the company; their team is the company's first."""


# fmt: off
COMPANIES = (
    DemoOrg("aurora-books", "Aurora Books", "Translations from the far north", "aurora.localhost", Plan.PRO,
         "aurora lantern paper comet",
         {"background": "#f7f5fb", "accent": "#5b3fa8", "link": "#4a3391", "focus": "#7a5cd6", "radius": 12, "font": "serif"},
         (DemoUser("aurora.noor",  "Noor Haddad",    "Editorial", Role.OWNER,  OrgRole.OWNER),
          DemoUser("aurora.jonas", "Jonas Lindqvist", "Editorial", Role.ADMIN),
          DemoUser("aurora.mira",  "Mira Okafor",    "Editorial", Role.MEMBER),
          DemoUser("aurora.theo",  "Theo Brandt",    "Rights",    Role.OWNER,  OrgRole.ADMIN),
          DemoUser("aurora.alma",  "Alma Reyes",     "Rights",    Role.VIEWER, OrgRole.READER))),
    DemoOrg("borealis-robotics", "Borealis Robotics", "Arms that know their strength", "borealis.localhost", Plan.BUSINESS,
         "borealis gravel piano drift",
         {"background": "#f4f7f6", "accent": "#0b5c4a", "link": "#0a5f77", "border": "#d5dfdc", "radius": 4, "font": "system"},
         (DemoUser("borealis.ines", "Ines Duarte",   "Firmware",  Role.OWNER,  OrgRole.OWNER),
          DemoUser("borealis.kato", "Kato Mbeki",    "Firmware",  Role.MEMBER),
          DemoUser("borealis.runa", "Runa Sorensen", "Field",     Role.OWNER,  OrgRole.ADMIN),
          DemoUser("borealis.li",   "Li Wen",        "Field",     Role.MEMBER),
          DemoUser("borealis.otto", "Otto Kruger",   "Field",     Role.GUEST,  OrgRole.READER))),
)
# fmt: on


async def seed(db: Db, who: Principal, settings: Settings, files: BlobStore) -> DemoCompanies:
    """Create both companies; whatever exists already stays."""
    if not (settings.is_local_only or settings.demo):
        raise Forbidden("demo.not_allowed")
    for company in COMPANIES:
        await _create_demo(db, who, settings, files, company)
    return DemoCompanies([_credentials(company) for company in COMPANIES])


async def _create_demo(db: Db, who: Principal, settings: Settings, files: BlobStore, company: DemoOrg) -> None:
    first, *others = company.people
    await _create_company(db, who, settings, company)
    owner = await _principal(db, who, company, first)
    for user in others:
        await _add_user(db, owner, settings, company, user)
    if not (await branding.of_company(db, owner.org_id)).own:
        request = branding.BrandingChange(title=company.name, tagline=company.tagline, theme=company.theme)
        await branding.change(db, files, owner, owner.org_id, request)
    await add_notes(db, owner, NOTES)
    colleague = next(user for user in others if user.team != first.team)
    await add_notes(db, await _principal(db, who, company, colleague), NOTES[:3])


async def _create_company(db: Db, who: Principal, settings: Settings, company: DemoOrg) -> None:
    first = company.people[0]
    try:
        await tenancy.find_company(db, company.slug)
    except NotFound:
        owner = tenancy.OwnerDraft(first.username, company.password, first.name)
        draft = tenancy.CompanyDraft(company.name, owner, company.slug, company.plan, company.domain, first.team)
        await tenancy.create_company(db, who, settings, draft)
        await _drop_token(db, await _principal(db, who, company, first))


async def _add_user(db: Db, owner: Principal, settings: Settings, company: DemoOrg, user: DemoUser) -> None:
    if known := await identity.find_person(db, user.username):
        if known.org_id != owner.org_id:
            raise Conflict("demo.username_taken", username=user.username)
        return
    team_id = await _team(db, company, user) or (
        await tenancy.create_team(db, owner, tenancy.TeamDraft(user.team))
    ).id  # fmt: skip
    request = tenancy.NewColleague(user.username, team_id, user.role, user.org_role, company.password, user.name)
    await tenancy.add_colleague(db, owner, settings, request)
    await _drop_token(db, await _principal(db, owner, company, user))


async def _principal(db: Db, who: Principal, company: DemoOrg, user: DemoUser) -> Principal:
    """Return the principal of a demo user, so that their content is created with their own rights and name."""
    person, team_id = await identity.find_person(db, user.username), await _team(db, company, user)
    missing = Conflict("demo.changed", company=company.slug, username=user.username)
    if person is None or team_id is None:
        raise missing
    try:
        return await tenancy.act_for(db, who.call, person.id, team_id)
    except Unauthenticated:
        raise missing from None


async def _team(db: Db, company: DemoOrg, user: DemoUser) -> str | None:
    found = await tenancy.find_company(db, company.slug)
    return next((team.id for team in found.teams if team.name == user.team), None)


async def _drop_token(db: Db, user: Principal) -> None:
    """Revoke the token that was created with the account: demo users sign in with their password."""
    async with db.write(user, "token.revoke") as tx:
        await identity.revoke_in_team(tx, user.user_id, user.team_id)


def _credentials(company: DemoOrg) -> DemoCompany:
    people = [
        DemoPerson(user.username, company.password, user.team, user.role, user.org_role) for user in company.people
    ]
    return DemoCompany(company.slug, company.name, company.domain, people)
