"""The workflows of plugins: every team has them, from the moment that a route first names one."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.paging import Paging
from teamspace.core.principal import Principal, system
from teamspace.workflows import store
from teamspace.workflows.domain import definitions
from teamspace.workflows.domain.definitions import CheckedSpec, Definition
from teamspace.workflows.schemas import DefinitionDetail, DefinitionPage, DefinitionRow, SourceRow

_REMEMBERED = 10_000
"""Teams."""


class PluginWorkflow(msgspec.Struct, frozen=True):
    """A valid workflow of a plugin."""

    plugin: str
    checked: CheckedSpec


class WorkflowCatalog:
    def __init__(self) -> None:
        self._by_slug: dict[str, PluginWorkflow] = {}
        self._done: OrderedDict[str, None] = OrderedDict()
        """Teams that have all of them, as far as this process knows."""

    def add(self, workflows: Iterable[PluginWorkflow]) -> None:
        self._by_slug |= {each.checked.spec.slug: each for each in workflows}

    def get(self, slug: str) -> PluginWorkflow | None:
        return self._by_slug.get(slug)

    def __iter__(self) -> Iterator[PluginWorkflow]:
        return iter(self._by_slug.values())

    async def materialize(self, db: Db, who: Principal, slug: str | None = None) -> None:
        """Give the caller's team the workflows of plugins, or one of them, with their current spec.

        A team that has published its own version keeps it. In a suspended company nothing is written.
        """
        wanted = list(self._by_slug) if slug is None else [slug] if slug in self._by_slug else []
        if not wanted or who.team_id in self._done or is_read_only(who):
            return
        rows = {row.slug: row for row in await store.select_sources(db, who.team_id, wanted)}
        outdated = [each for each in wanted if self._is_outdated(each, rows.get(each))]
        if outdated:
            await self._write(db, who, outdated)
        if slug is None:
            self._remember(who.team_id)

    async def list_page(self, db: Db, who: Principal, query: Paging) -> DefinitionPage:
        """List the workflows of the caller's team; in a suspended company also those that cannot be written."""
        await self.materialize(db, who)
        rows = await definitions.select_page(db, who, query)
        if is_read_only(who):
            known = {row.slug for row in await store.select_sources(db, who.team_id, list(self._by_slug))}
            after = definitions.start_of(query)
            rows += [_to_row(each) for slug, each in self._by_slug.items() if slug not in known and slug > after]
            rows = sorted(rows, key=lambda row: row.slug)[: query.size + 1]
        return await definitions.to_page(db, who, rows, query)

    async def get_detail(self, db: Db, who: Principal, slug: str, version: int | None) -> DefinitionDetail:
        """Return a workflow of the caller's team with its spec, or raise NotFound."""
        await self.materialize(db, who, slug)
        try:
            return await definitions.get_detail(db, who, slug, version)
        except NotFound:
            ours = self._by_slug.get(slug)
            if ours is None or not is_read_only(who) or version not in (None, 1):
                raise
            return definitions.to_detail(_to_row(ours), ours.checked.json)

    def find_unwritten(self, who: Principal, slug: str) -> Definition | None:
        """Return a workflow that a suspended company would have if it could be written."""
        ours = self._by_slug.get(slug)
        if ours is None or not is_read_only(who):
            return None
        return Definition(who.team_id, slug, 1, ours.checked.digest, ours.checked.spec)

    def _is_outdated(self, slug: str, row: SourceRow | None) -> bool:
        ours = self._by_slug[slug]
        return row is None or (row.source == ours.plugin and row.digest != ours.checked.digest)

    async def _write(self, db: Db, who: Principal, slugs: Sequence[str]) -> None:
        async with db.maintenance(system(org_id=who.org_id, team_id=who.team_id)) as tx:
            for slug in sorted(slugs):
                ours = self._by_slug[slug]
                await tx.lock("workflow", f"{who.team_id}/{slug}")
                if self._is_outdated(slug, await store.get_source(tx, who.team_id, slug)):
                    await definitions.add_version(tx, who.org_id, who.team_id, ours.checked, ours.plugin, None)

    def _remember(self, team_id: str) -> None:
        self._done[team_id] = None
        while len(self._done) > _REMEMBERED:
            self._done.popitem(last=False)


def is_read_only(who: Principal) -> bool:
    return who.org_suspended or who.tenant_suspended


def _to_row(workflow: PluginWorkflow) -> DefinitionRow:
    return definitions.to_row(workflow.checked, 1, workflow.plugin, None)
