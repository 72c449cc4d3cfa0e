"""The command line: serving, and what an operator does beside it."""

import argparse
import asyncio
import csv
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import asyncpg
import msgspec

from teamspace import __version__, audit, blobs, care, server, settings, tenancy, wiring, worker
from teamspace.app import StartError, endpoints, given, inspected, opened, upgraded
from teamspace.core import logs
from teamspace.core.crypto import WrongKey
from teamspace.core.db import Db, SchemaError
from teamspace.core.errors import Refusal
from teamspace.core.limits import Stopping
from teamspace.core.openapi import document
from teamspace.core.routing import BootError, Endpoint
from teamspace.settings import SETTINGS, Settings, SettingsError

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_SAID_IN_ONE_LINE = (
    StartError, blobs.WrongFolder, SettingsError, WrongKey, worker.WorkerError, SchemaError, BootError, Refusal, care.CareError, RuntimeError,
    OSError, apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError,
)  # fmt: skip


def main() -> None:
    arguments = _parser().parse_args()
    os.umask(0o077)  # what any command writes is for its own user
    try:
        sys.exit(arguments.run(arguments))
    except _SAID_IN_ONE_LINE as fault:
        sys.exit(f"teamspace: {_line(fault)}")
    except KeyboardInterrupt:
        sys.exit(130)


def _line(fault: Exception) -> str:
    """Our own faults speak for themselves; a driver's needs to be told whose it is."""
    if isinstance(fault, OSError | apsw.Error | asyncpg.PostgresError | asyncpg.InterfaceError):
        said = " ".join(str(fault).split()) or type(fault).__name__
        return f"the database or a file cannot be reached or used: {said}"
    return str(fault)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="teamspace", description="A self-hosted workspace server for many teams.",
        epilog="Settings are SERVICE_* environment variables; `teamspace serve --help` lists them.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"teamspace {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_worker(commands)
    _add_routes(commands)
    _add(commands, "openapi", _openapi, "print the API's description (OpenAPI 3.1)")
    _add(commands, "migrate", _migrate, "bring the database's schema up to this version, and say what was done",
         "`serve` does this by itself at start.")  # fmt: skip
    _add_care(commands)
    _add_audit(commands)
    _add_user(commands)
    return parser


Command = Callable[[argparse.Namespace], int]


def _add(commands: "_Commands", name: str, run: Command, summary: str, more: str = "") -> argparse.ArgumentParser:
    description = summary[0].upper() + summary[1:] + "." + (f" {more}" if more else "")
    command = commands.add_parser(name, help=summary, description=description)
    command.set_defaults(run=run)
    return command


# serve


def _add_serve(commands: "_Commands") -> None:
    width = max(len(setting.name) for setting in SETTINGS)
    rows = [f"  {row.name:<{width}}  {row.doc}" + (f" [{row.default}]" if row.default else "") for row in SETTINGS]
    command = _add(commands, "serve", _serve, "run the server")
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.epilog = "settings (environment, or a .env file in the working folder) [default]:\n" + "\n".join(rows)


def _serve(arguments: argparse.Namespace) -> int:
    server.serve(settings.load())
    return 0


# worker


def _add_worker(commands: "_Commands") -> None:
    command = _add(commands, "worker", _worker, "claim jobs from a server, and have a model server do them",
                   "Needs no database and no settings: everything is an argument, and what is secret is a file. SIGTERM"
                   " lets it finish what it holds; a second one gives that back.")  # fmt: skip
    command.add_argument("--server", required=True, metavar="URL", help="the Teamspace server")
    command.add_argument("--token-file", required=True, type=Path, metavar="FILE", help="holds the worker token")
    command.add_argument("--url", required=True, metavar="URL", help="an OpenAI-compatible address, up to /v1")
    command.add_argument("--key-file", type=Path, metavar="FILE", help="holds the key for that address")
    command.add_argument("--model", metavar="NAME", help="the model it has; without it, the model server's own choice")
    command.add_argument("--kinds", nargs="+", default=["ai.chat"], metavar="KIND", help="of jobs [ai.chat]")
    command.add_argument("--slots", type=int, default=1, choices=range(1, 65), metavar="N", help="jobs at a time [1]")


def _worker(arguments: argparse.Namespace) -> int:
    logs.start("text")
    key = arguments.key_file.read_text().strip() if arguments.key_file else None
    worker.run(
        server=arguments.server, token=arguments.token_file.read_text().strip(), url=arguments.url, key=key,
        model=arguments.model, kinds=arguments.kinds, slots=arguments.slots,
    )  # fmt: skip
    return 0


# routes, openapi


def _add_routes(commands: "_Commands") -> None:
    command = _add(commands, "routes", _routes, "list every route: what it asks for and what it does")
    command.add_argument("--csv", action="store_true", help="method, path, auth, permission and feature as CSV")


def _routes(arguments: argparse.Namespace) -> int:
    rows = [endpoint.route for endpoint in _endpoints()]
    if arguments.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["method", "path", "auth", "permission", "feature"])
        writer.writerows([row.method, row.path, row.auth, row.needs or "", row.feature or ""] for row in rows)
    else:
        for row in rows:
            print(
                f"{row.method:<7} {row.path:<34} {row.auth:<3} {row.needs or '-':<18} {row.feature or '-':<10} {row.doc}"
            )
    return 0


def _openapi(arguments: argparse.Namespace) -> int:
    print(msgspec.json.format(msgspec.json.encode(document(_endpoints())), indent=2).decode())
    return 0


def _endpoints() -> list[Endpoint]:
    """The routes, bound without a database."""
    return endpoints(given(settings.load({}, file=Path("/dev/null")), Stopping()))


# migrate


def _migrate(arguments: argparse.Namespace) -> int:
    async def run() -> int:
        applied = await upgraded(settings.load())
        print("\n".join(f"applied {name}" for name in applied) or "the schema is up to date")
        return 0

    return asyncio.run(run())


# backup, restore, rekey, doctor


def _add_care(commands: "_Commands") -> None:
    made = _add(commands, "backup", _backup, "write rows and files to one file, beside a running server",
                "It can be restored into SQLite and into PostgreSQL. The secret key is not in it:"
                " keep that, and keep it elsewhere.")  # fmt: skip
    made.add_argument("file", type=Path, metavar="FILE")
    made.add_argument("--force", action="store_true", help="replace a file of that name")
    restored = _add(commands, "restore", _restore, "fill an empty place from a backup",
                    "Everything is checked before anything is there; one that was broken off can be run again.")  # fmt: skip
    restored.add_argument("file", type=Path, metavar="FILE")
    restored.add_argument("--no-check", action="store_true", help="restore even what breaks a promise")
    rekeyed = _add(commands, "rekey", _rekey, "seal everything at rest with a new secret key",
                   "No server may be running.")  # fmt: skip
    rekeyed.add_argument("--key-stdin", action="store_true", help="read the new key from standard input")
    _add(commands, "collect", _collect, "release the bytes that nothing names any more, at once",
         "The server does this by itself, within ten minutes; this may run beside it, and looks at every blob.")  # fmt: skip
    doctor = _add(commands, "doctor", _doctor, "check that the data keeps its promises",
                  "Reads only, and may run beside the server. Ends with 0 when all is well, 1 when something was found,"
                  " 2 when it could not look.")  # fmt: skip
    doctor.add_argument("--deep", action="store_true", help="look at every blob and every sealed value, too")
    doctor.add_argument("--heads", type=Path, metavar="FILE", help="compare with ends of audit trails kept elsewhere")


def _backup(arguments: argparse.Namespace) -> int:
    print(asyncio.run(care.backup(settings.load(), arguments.file, force=arguments.force)))
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    print(asyncio.run(care.restore(settings.load(), arguments.file, check=not arguments.no_check)))
    return 0


def _rekey(arguments: argparse.Namespace) -> int:
    key = sys.stdin.readline().strip() if arguments.key_stdin else None
    print(asyncio.run(care.rekey(settings.load(), key)))
    return 0


def _collect(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        given = settings.load()
        files = blobs.opened(given)
        if isinstance(files, blobs.Folder) and not given.on_sqlite:
            await blobs.claim_folder(db, files)
        await blobs.search(db, wiring.KEPT)
        print(f"{await blobs.collect(db, files, wiring.KEPT, retention=0)} blobs released")
        return 0

    return _with_database(run, inspected)


def _doctor(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        files = blobs.opened(settings.load()) if arguments.deep else None
        heads = arguments.heads.read_text().splitlines() if arguments.heads else None
        found = 0
        async for verdict in care.examine(db, heads=heads, files=files, settings=settings.load()):
            print(verdict)
            found += verdict.broken
        return found

    try:
        return 1 if _with_database(run, inspected) else 0
    except _SAID_IN_ONE_LINE as fault:
        print(f"teamspace: {_line(fault)}", file=sys.stderr)
        return 2


# audit


def _add_audit(commands: "_Commands") -> None:
    trail = commands.add_parser(
        "audit", help="verify an exported audit trail, print how far every chain has come",
        description="For whoever must be able to trust the audit trail without trusting the server.",
    )  # fmt: skip
    actions = trail.add_subparsers(required=True, metavar="ACTION")
    verify = _add(actions, "verify", _verify, "verify an export of the audit trail",
                  "Needs no database and no settings. Ends with 0 when it is as the server wrote it, 1 when it is"
                  " broken, 2 when it could not be read.")  # fmt: skip
    verify.add_argument("file", help="what GET /api/org/audit?format=jsonl answered; - is standard input")
    verify.add_argument("--heads", metavar="FILE", help="heads kept elsewhere, which the export must reach")
    verify.add_argument("--whole", action="store_true", help="there may be no gap, from the first event on")
    _add(actions, "heads", _heads, "print company, number and hash of every chain's newest event",
         "To be kept where whoever holds the database cannot write. `-` is the instance's own chain.")  # fmt: skip


def _verify(arguments: argparse.Namespace) -> int:
    status, said = audit.verify_file(arguments.file, arguments.heads, whole=arguments.whole)
    print(said, file=sys.stderr if status == 2 else sys.stdout)
    return status


def _heads(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        async for head in audit.heads(db):
            print(head)
        return 0

    return _with_database(run, inspected)


# user


def _add_user(commands: "_Commands") -> None:
    user = commands.add_parser(
        "user", help="make an operator or an activation link, reset a password or a second factor",
        description="For whoever holds the data folder: works beside a running server, and is on the audit trail.",
    )  # fmt: skip
    actions = user.add_subparsers(required=True, metavar="ACTION")
    made = _add(actions, "create-operator", _create_operator, "make another operator of the instance")
    made.add_argument("--display-name", help="the name that others see")
    reset = _add(
        actions, "reset-password", _reset_password, "set somebody's password and end every credential of theirs"
    )
    factor = _add(actions, "reset-2fa", _reset_factor, "turn somebody's second factor off and end their sessions")
    invited = _add(actions, "invite", _invite, "make a new activation link for somebody who has no password yet",
                   "The link before it stops working.")  # fmt: skip
    for command in (made, reset, factor, invited):
        command.add_argument("username")
    for command in (made, reset):
        command.add_argument("--password-stdin", action="store_true", help="read the password from standard input")


def _create_operator(arguments: argparse.Namespace) -> int:
    password = _password(arguments)

    async def run(db: Db) -> int:
        await tenancy.create_operator(db, arguments.username, password, arguments.display_name)
        print(f"{arguments.username} is an operator now")
        return 0

    return _with_database(run)


def _reset_password(arguments: argparse.Namespace) -> int:
    password = _password(arguments)

    async def run(db: Db) -> int:
        await tenancy.reset_password(db, arguments.username, password)
        print(f"{arguments.username} has a new password; their sessions, tokens and access keys ended")
        return 0

    return _with_database(run)


def _reset_factor(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        await tenancy.reset_second_factor(db, arguments.username)
        print(f"{arguments.username} signs in without a second factor until they set a new one")
        return 0

    return _with_database(run)


def _invite(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        print(await tenancy.invite(db, arguments.username, settings.load().address))
        return 0

    return _with_database(run)


def _password(arguments: argparse.Namespace) -> str:
    if arguments.password_stdin:
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("New password: ")
    if getpass.getpass("Again: ") != first:
        raise StartError("the two passwords differ")
    return first


def _with_database(
    run: Callable[[Db], Awaitable[int]],
    reach: Callable[[Settings], AbstractAsyncContextManager[Db]] = opened,
) -> int:
    async def session(given: Settings) -> int:
        async with reach(given) as db:
            return await run(db)

    return asyncio.run(session(settings.load()))
