"""Two companies for demonstrations, whose people have known passwords: never on an instance that others reach."""

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


class Player(msgspec.Struct, frozen=True):
    username: str
    name: str
    team: str
    role: Role
    org_role: OrgRole | None = None


class Play(msgspec.Struct, frozen=True):
    slug: str
    name: str
    tagline: str
    domain: str
    plan: Plan
    password: str
    theme: dict[str, str | int]
    people: tuple[Player, ...]
    """The first owns the company; their team is its first."""


# fmt: off
COMPANIES = (
    Play("aurora-books", "Aurora Books", "Translations from the far north", "aurora.localhost", Plan.PRO,
         "aurora lantern paper comet",
         {"background": "#f7f5fb", "accent": "#5b3fa8", "link": "#4a3391", "focus": "#7a5cd6", "radius": 12, "font": "serif"},
         (Player("aurora.noor",  "Noor Haddad",    "Editorial", Role.OWNER,  OrgRole.OWNER),
          Player("aurora.jonas", "Jonas Lindqvist", "Editorial", Role.ADMIN),
          Player("aurora.mira",  "Mira Okafor",    "Editorial", Role.MEMBER),
          Player("aurora.theo",  "Theo Brandt",    "Rights",    Role.OWNER,  OrgRole.ADMIN),
          Player("aurora.alma",  "Alma Reyes",     "Rights",    Role.VIEWER, OrgRole.READER))),
    Play("borealis-robotics", "Borealis Robotics", "Arms that know their strength", "borealis.localhost", Plan.BUSINESS,
         "borealis gravel piano drift",
         {"background": "#f4f7f6", "accent": "#0b5c4a", "link": "#0a5f77", "border": "#d5dfdc", "radius": 4, "font": "system"},
         (Player("borealis.ines", "Ines Duarte",   "Firmware",  Role.OWNER,  OrgRole.OWNER),
          Player("borealis.kato", "Kato Mbeki",    "Firmware",  Role.MEMBER),
          Player("borealis.runa", "Runa Sorensen", "Field",     Role.OWNER,  OrgRole.ADMIN),
          Player("borealis.li",   "Li Wen",        "Field",     Role.MEMBER),
          Player("borealis.otto", "Otto Kruger",   "Field",     Role.GUEST,  OrgRole.READER))),
)
# fmt: on


async def seed(db: Db, who: Principal, settings: Settings, files: BlobStore) -> DemoCompanies:
    """Both companies as they should be; what is there already is left alone."""
    if not (settings.for_this_machine_alone or settings.demo):
        raise Forbidden(
            "These companies have known passwords, and others can reach this instance: SERVICE_DEMO allows it."
        )
    for play in COMPANIES:
        await _stage(db, who, settings, files, play)
    return DemoCompanies([_programme(play) for play in COMPANIES])


async def _stage(db: Db, who: Principal, settings: Settings, files: BlobStore, play: Play) -> None:
    first, *others = play.people
    await _found(db, who, settings, play)
    owner = await _as(db, who, play, first)
    for player in others:
        await _add(db, owner, settings, play, player)
    if not (await branding.of_company(db, owner.org_id)).own:
        wish = branding.BrandingChange(title=play.name, tagline=play.tagline, theme=play.theme)
        await branding.change(db, files, owner, owner.org_id, wish)
    await add_notes(db, owner, NOTES)
    elsewhere = next(player for player in others if player.team != first.team)
    await add_notes(db, await _as(db, who, play, elsewhere), NOTES[:3])


async def _found(db: Db, who: Principal, settings: Settings, play: Play) -> None:
    first = play.people[0]
    try:
        await tenancy.find_company(db, play.slug)
    except NotFound:
        owner = tenancy.OwnerDraft(first.username, play.password, first.name)
        draft = tenancy.CompanyDraft(play.name, owner, play.slug, play.plan, play.domain, first.team)
        await tenancy.create_company(db, who, settings, draft)
        await _drop_token(db, await _as(db, who, play, first))


async def _add(db: Db, owner: Principal, settings: Settings, play: Play, player: Player) -> None:
    if known := await identity.find(db, player.username):
        if known.org_id != owner.org_id:
            raise Conflict(f"The username {player.username} belongs to somebody else.")
        return
    team_id = await _team(db, play, player) or (
        await tenancy.create_team(db, owner, tenancy.TeamDraft(player.team))
    ).id  # fmt: skip
    wish = tenancy.NewColleague(player.username, team_id, player.role, player.org_role, play.password, player.name)
    await tenancy.add_colleague(db, owner, settings, wish)
    await _drop_token(db, await _as(db, owner, play, player))


async def _as(db: Db, who: Principal, play: Play, player: Player) -> Principal:
    """One of the players, so that what they do is done with their own rights and in their name."""
    person, team_id = await identity.find(db, player.username), await _team(db, play, player)
    gone = Conflict(f"The demo company {play.slug} was changed: {player.username} is not there any more.")
    if person is None or team_id is None:
        raise gone
    try:
        return await tenancy.stand_in(db, who.call, person.id, team_id)
    except Unauthenticated:
        raise gone from None


async def _team(db: Db, play: Play, player: Player) -> str | None:
    company = await tenancy.find_company(db, play.slug)
    return next((team.id for team in company.teams if team.name == player.team), None)


async def _drop_token(db: Db, player: Principal) -> None:
    """They sign in with their password: the token that came with the account is nobody's."""
    async with db.write(player, "token.revoke") as tx:
        await identity.revoke_in_team(tx, player.user_id, player.team_id)


def _programme(play: Play) -> DemoCompany:
    people = [
        DemoPerson(player.username, play.password, player.team, player.role, player.org_role) for player in play.people
    ]
    return DemoCompany(play.slug, play.name, play.domain, people)
