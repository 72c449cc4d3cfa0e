"""Shared by the tests of `ops`: instances to restore into, and an instance with a little of everything."""

import gzip
import hashlib
import io
import os
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from teamspace import blobs, ops, wiring
from teamspace.app import open_for_inspection
from teamspace.core.crypto import Vault, load_key
from teamspace.core.db import audit, catalog, connect
from teamspace.core.db.migrate import Migration, bundled_migrations
from teamspace.core.principal import system
from teamspace.ops import manifest as manifests
from teamspace.ops import restore as restoring
from teamspace.ops.manifest import Manifest
from teamspace.ops.results import CheckResult
from teamspace.ops.rows import encoder, select_all
from teamspace.settings import Settings, load
from tests.conversations import help as conversations
from tests.identity.help import enrolled, run_sql, signed_in
from tests.knowledge.help import use
from tests.localization.help import translate_console
from tests.onboarding.help import document as experience
from tests.onboarding.signing_up import sign_up
from tests.support.postgres import create_database, drop_database
from tests.support.world import Caller, World
from tests.support.world import world as open_world
from tests.triggers.help import add_trigger, publish

LOGO = b"\x89PNG of a company \x00\xff" * 1800
BANNER = b"\x89PNG of the instance \x00\xfe" * 1600
UNUSED = b"nothing names this yet" * 1600
"""These are too large for a row, and are stored in files."""
PLAN = "A crane of Acme Ltd, \x01 and ünï words"
SCRAP = b"nothing names this yet, and it is small"
"""These are stored in their rows."""

# fmt: off
ODDITIES = Migration(9001, "9001_oddities.sql", """
    CREATE TABLE oddities (
        id TEXT PRIMARY KEY, parent TEXT REFERENCES oddities (id), words TEXT, number INTEGER, flag BOOLEAN, bytes BLOB
    ) STRICT, WITHOUT ROWID;
    INSERT INTO oddities (id) VALUES ('brought by the migration');
""")
LATER = Migration(9002, "9002_later.sql", """
    ALTER TABLE oddities ADD COLUMN doubled INTEGER;
    UPDATE oddities SET doubled = number * 2 WHERE number BETWEEN 0 AND 1000;
""")
_ODD_ROWS = [
    # The first references the last: a foreign key that no order of the ids satisfies.
    ("a", "z", "ünï 漢字 🎉 'quoted\" \\ \t\r\n\x01\x7f", 2**63 - 1, True, bytes(range(256))),
    ("b", "a", "", -(2**63), False, b""),
    ("c", None, None, None, None, None),
    ("z", None, " ", 21, True, b"\n"),
]
# fmt: on


class Instances:
    """Makes empty instances; PostgreSQL databases are dropped at the end."""

    def __init__(self, folder: Path, admin_url: str) -> None:
        self._folder, self._admin = folder, admin_url
        self._names: list[str] = []

    def new(self, kind: str, *, key_of: Settings | None = None) -> Settings:
        """Settings of an instance with nothing but perhaps the secret key of another."""
        name = f"ops_{os.getpid()}_{self._folder.name}_{len(self._names)}"
        self._names.append(name)
        data = self._folder / name
        if key_of is not None:
            data.mkdir()
            shutil.copy(key_of.data / "secret.key", data)
        url = create_database(self._admin, name) if kind == "postgres" else ""
        return at(data, url)

    def clear(self) -> None:
        for name in self._names:
            drop_database(self._admin, name)


def at(data: Path, url: str = "", **more: str) -> Settings:
    environment = {"SERVICE_DATA": str(data), "SERVICE_DATABASE_URL": url, "SERVICE_RATE_ANONYMOUS": "0", **more}
    return load(environment, file=data / "no.env")


def kind_of(settings: Settings) -> str:
    return "sqlite" if settings.on_sqlite else "postgres"


def other_kind(kind: str) -> str:
    return "postgres" if kind == "sqlite" else "sqlite"


def environment(settings: Settings) -> dict[str, str]:
    return {
        "SERVICE_DATA": str(settings.data),
        "SERVICE_DATABASE_URL": settings.database_url,
        "SERVICE_SECRET_KEY": settings.secret_key,
    }


# An instance


def ship_migrations(monkeypatch: Any, *more: Migration) -> None:
    """Pretend this server ships these migrations too."""
    known = [*(migration for migration in bundled_migrations() if migration.number < ODDITIES.number), *more]
    monkeypatch.setattr(sys.modules["teamspace.core.db.migrate"], "bundled_migrations", lambda: known)
    monkeypatch.setattr(sys.modules[restoring.__module__], "bundled_migrations", lambda: known)


async def fill(world: World) -> list[str]:
    """Adds people, second factors, notes, a conversation, a glossary, a translation, a trigger that fired, a sign-up page, entities, translations of the console, shares, sign-in attempts and blobs; returns the unused recovery codes of ann."""
    ann = await world.bootstrap()
    joined = (await ann.post("/api/members", {"username": "bob", "role": "member"})).json()
    bob = Caller(world, joined["token"])
    await translate_console(world, ann)
    codes = (await enrolled(ann))["recovery_codes"]
    await signed_in(world, "ann", totp=codes[0])
    await world.anonymous.post("/api/login", {"username": "ann", "password": "wrong"})
    await publish(ann)
    await add_trigger(ann, match_prefix="documents/")
    await ann.put("/api/beta/experience", experience("Jóin 漢字 🎉"))
    await ann.post("/api/beta/experience/publish")
    await sign_up(world)
    crane = (await bob.post("/api/documents", {"title": "Crane", "body": PLAN, "visibility": "team"})).json()
    note = {"title": "Plän 漢字 🎉", "body": "line\n\t\"quoted\" \\ 'single' \x01", "tags": ["α", "b"]}
    created = (await bob.post("/api/notes", note, headers={"idempotency-key": "once | only"})).json()
    named = {"body": f"[Crane](/documents/{crane['id']})"}
    await bob.put(f"/api/notes/{created['id']}", named)
    await bob.put(f"/api/documents/{crane['id']}", {"tags": ["α", "b"]})
    await bob("PATCH", f"/api/repo-obj/{crane['id']}/versions/1", {"name": "Fïrst"})
    await bob.post(f"/api/notes/{created['id']}/share", {"user_id": ann.user_id, "permission": "notes:read"})
    await bob.put(f"/api/favourites/note/{created['id']}", None)
    await bob.put(f"/api/recents/note/{created['id']}", None)
    conversation = await conversations.create(world, ann)
    await conversations.say(world, ann, conversation, "Где? 🎉", "nul\0")
    grant = {"user_id": joined["member"]["user_id"], "permission": "notes:write"}
    await ann.post(f"/api/conversations/{conversation}/share", grant)
    await ann.post("/api/glossary", {"term": "crane", "target": "de", "translation": "Kran", "forbidden": ["漢字"]})
    await ann.post("/api/translate", {"text": "A crane {name} 🎉", "target": "de"})
    steps = [{"id": "find", "kind": "tool", "tool": "search", "with": {"q": "crane"}}]
    await ann.post("/api/workflows", {"slug": "find", "start": "find", "max_steps": 5, "steps": steps})
    await ann.post("/api/workflows/find/run", {})
    await use(ann, "kg_extract", object=crane["id"])
    await ann.post(
        "/api/features/chat", {"enabled": True}
    )  # the last row of the audit log, of which no invariant speaks
    await brand(world, ann.org.id, LOGO)
    await brand(world, "", BANNER)
    for data in (UNUSED, SCRAP):
        await blobs.store_bytes(world.db, world.app.files, system(), ann.org.id, data)
    await audit.seal(world.db)
    return list(codes[1:])


async def brand(world: World, org_id: str, logo: bytes) -> str:
    """Adds a row that references a blob."""
    digest = await blobs.store_bytes(world.db, world.app.files, system(), org_id, logo)
    await run_sql(world, "DELETE FROM branding WHERE org_id = :org_id", org_id=org_id)
    await run_sql(
        world,
        "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :logo, 'image/png', '')",
        org_id=org_id, logo=digest,
    )  # fmt: skip
    return digest


async def add_oddities(world: World) -> None:
    async with world.db.engine.bulk_load() as loading:
        columns = ("id", "parent", "words", "number", "flag", "bytes")
        await loading.load("oddities", columns, _ODD_ROWS)


async def fill_instance(settings: Settings) -> Settings:
    async with open_world(settings) as world:
        await fill(world)
    return settings


# Inspecting it


async def content(settings: Settings) -> dict[str, list[bytes]]:
    """Every row that a backup keeps, of every table, in a form that does not depend on the database."""
    engine = await connect(settings.database, pool=1)
    try:
        async with engine.snapshot() as snapshot:
            found = {}
            for table in await catalog.tables(snapshot, engine.dialect):
                encode = encoder(table.columns)
                is_kept = table.name not in wiring.TRANSIENT_TABLES
                rows = [encode(row) async for row in snapshot.stream(select_all(table))] if is_kept else []
                found[table.name] = rows
            return found
    finally:
        await engine.close()


def files(settings: Settings) -> dict[str, bytes]:
    """Every blob stored in a file, by its path in the store."""
    root = settings.data / "blobs"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def overwrite(settings: Settings, old: bytes, new: bytes | None) -> str:
    """Overwrites the bytes of a blob stored in a row, bypassing all checks; returns its digest."""
    digest = hashlib.sha256(old).hexdigest()
    async with open_world(settings) as world:
        assert await world.db.exists("SELECT 1 FROM blobs WHERE data = :old", old=old)
        await run_sql(world, "UPDATE blobs SET data = :new WHERE digest = :digest", new=new, digest=digest)
    return digest


async def is_untouched(settings: Settings) -> bool:
    """Whether an instance is as empty as `Instances.new` made it; a lock file does not count."""
    names = {path.name for path in settings.data.iterdir()} if settings.data.exists() else set()
    if names - {"secret.key", "server.lock"}:
        return False
    return settings.on_sqlite or await content(settings) == {}


async def check_results(settings: Settings, **options: Any) -> dict[str, CheckResult]:
    """The results of all checks of the doctor."""
    async with open_for_inspection(settings) as db:
        store = blobs.FolderStore(settings.data / "blobs")
        return {result.name: result async for result in ops.run_checks(db, files=store, **options)}


async def findings(settings: Settings) -> dict[str, list[str]]:
    return {name: result.found for name, result in (await check_results(settings)).items() if result.found}


# Tampered backups


def members(backup: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(backup) as tar:
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            yield member.name, file.read()


def read_manifest(backup: Path) -> Manifest:
    return manifests.decode(dict(members(backup))["manifest.json"])


def write(backup: Path, content: list[tuple[str, bytes]]) -> Path:
    with tarfile.open(backup, "w") as tar:
        for name, data in content:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return backup


def with_manifest(backup: Path, by: Settings, **changes: Any) -> Path:
    """The same backup with a changed manifest, signed with the key of `by`."""
    vault = Vault(load_key(by.secret_key or None, by.data))
    changed = manifests.encode(msgspec.structs.replace(read_manifest(backup), **changes), vault)
    return write(backup, [(name, changed if name == "manifest.json" else data) for name, data in list(members(backup))])


def with_table(backup: Path, by: Settings, table: str, change: Callable[[list[bytes]], list[bytes]]) -> Path:
    """The same backup with changed rows and a manifest that matches them."""
    name = f"tables/{table}.jsonl.gz"
    lines = change(gzip.decompress(dict(members(backup))[name]).splitlines(keepends=True))
    data = gzip.compress(b"".join(lines))
    write(backup, [(member, data if member == name else old) for member, old in list(members(backup))])
    entries = [
        msgspec.structs.replace(entry, rows=len(lines), sha256=hashlib.sha256(data).hexdigest())
        if entry.name == table
        else entry
        for entry in read_manifest(backup).tables
    ]
    return with_manifest(backup, by, tables=tuple(entries))
