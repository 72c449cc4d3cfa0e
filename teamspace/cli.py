"""The command line: `teamspace serve` and the operator's commands."""

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

from teamspace import __version__, audit, authoring, blobs, ops, server, settings, tenancy, wiring, worker
from teamspace.app import StartError, list_endpoints, open_database, open_for_inspection, run_migrations
from teamspace.core import logs
from teamspace.core.crypto import WrongKey
from teamspace.core.db import Db, SchemaError
from teamspace.core.errors import Refusal
from teamspace.core.openapi import document
from teamspace.core.tables import BootError
from teamspace.settings import SETTINGS, Settings, SettingsError

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXPECTED_ERRORS = (
    StartError, blobs.WrongFolder, SettingsError, WrongKey, worker.WorkerError, SchemaError, BootError, Refusal, ops.OpsError, authoring.AuthoringError, RuntimeError,
    OSError, apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError,
)  # fmt: skip


def main() -> None:
    arguments = _parser().parse_args()
    os.umask(0o077)  # files are for this user only
    try:
        sys.exit(arguments.run(arguments))
    except _EXPECTED_ERRORS as fault:
        sys.exit(f"teamspace: {_error_line(fault)}")
    except KeyboardInterrupt:
        sys.exit(130)


def _error_line(fault: Exception) -> str:
    """Return the message of our own errors as is; for errors of drivers and the system, say what failed."""
    if isinstance(fault, OSError | apsw.Error | asyncpg.PostgresError | asyncpg.InterfaceError):
        message = " ".join(str(fault).split()) or type(fault).__name__
        return f"cannot access the database or a file: {message}"
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
    _add(commands, "openapi", _openapi, "print the OpenAPI 3.1 description of the API")
    _add(commands, "migrate", _migrate, "apply pending database migrations, and list them",
         "`serve` does this at start.")  # fmt: skip
    _add_ops(commands)
    _add_audit(commands)
    _add_user(commands)
    _add_plugin(commands)
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
    command.epilog = "settings (environment variables, or a .env file in the current folder) [default]:\n" + "\n".join(
        rows
    )


def _serve(arguments: argparse.Namespace) -> int:
    server.serve(settings.load())
    return 0


# worker


def _add_worker(commands: "_Commands") -> None:
    command = _add(commands, "worker", _worker, "claim jobs from a server, and run them on a model server",
                   "Needs no database and no settings: everything is an argument, and secrets are in files. On SIGTERM"
                   " it finishes its jobs; on a second one it returns them to the queue.")  # fmt: skip
    command.add_argument("--server", required=True, metavar="URL", help="the Teamspace server")
    command.add_argument("--token-file", required=True, type=Path, metavar="FILE", help="file with the worker token")
    command.add_argument("--url", required=True, metavar="URL", help="an OpenAI-compatible URL, up to /v1")
    command.add_argument("--key-file", type=Path, metavar="FILE", help="file with the API key of the model server")
    command.add_argument("--model", metavar="NAME", help="the model; default: the model server's own")
    command.add_argument("--kinds", nargs="+", default=["ai.chat"], metavar="KIND", help="job kinds to claim [ai.chat]")
    command.add_argument("--slots", type=int, default=1, choices=range(1, 65), metavar="N", help="concurrent jobs [1]")


def _worker(arguments: argparse.Namespace) -> int:
    logs.configure("text")
    key = arguments.key_file.read_text().strip() if arguments.key_file else None
    worker.run(
        server=arguments.server, token=arguments.token_file.read_text().strip(), url=arguments.url, key=key,
        model=arguments.model, kinds=arguments.kinds, slots=arguments.slots,
    )  # fmt: skip
    return 0


# routes, openapi


def _add_routes(commands: "_Commands") -> None:
    command = _add(commands, "routes", _routes, "list all routes with their requirements")
    command.add_argument("--csv", action="store_true", help="method, path, auth, permission and feature as CSV")


def _routes(arguments: argparse.Namespace) -> int:
    rows = [endpoint.route for endpoint in list_endpoints()]
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
    print(msgspec.json.format(msgspec.json.encode(document(list_endpoints())), indent=2).decode())
    return 0


# migrate


def _migrate(arguments: argparse.Namespace) -> int:
    async def run() -> int:
        applied = await run_migrations(settings.load())
        print("\n".join(f"applied {name}" for name in applied) or "the schema is up to date")
        return 0

    return asyncio.run(run())


# backup, restore, rekey, doctor


def _add_ops(commands: "_Commands") -> None:
    backup = _add(commands, "backup", _backup, "write all rows and blobs to one file, while the server is running",
                  "It can be restored into SQLite and into PostgreSQL. It does not contain the secret key:"
                  " keep a copy of that in another place.")  # fmt: skip
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.add_argument("--force", action="store_true", help="replace an existing file")
    restore = _add(commands, "restore", _restore, "restore a backup into an empty database and data folder",
                   "Checks everything before any of it becomes visible. An interrupted restore can be run again.")  # fmt: skip
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.add_argument("--no-check", action="store_true", help="restore even if invariants are violated")
    rekey = _add(commands, "rekey", _rekey, "re-encrypt all secrets with a new secret key",
                 "The server must not be running.")  # fmt: skip
    rekey.add_argument("--key-stdin", action="store_true", help="read the new key from standard input")
    _add(commands, "collect", _collect, "delete unreferenced blobs now",
         "The server does this within ten minutes. Can run while the server is running; checks every blob.")  # fmt: skip
    doctor = _add(commands, "doctor", _doctor, "check the data for violated invariants and damage",
                  "Read-only; can run while the server is running. Exits with 0 if all is well, 1 if there are findings,"
                  " 2 if it could not check.")  # fmt: skip
    doctor.add_argument("--deep", action="store_true", help="also check every blob and every encrypted value")
    doctor.add_argument("--heads", type=Path, metavar="FILE", help="compare the audit log with saved chain heads")


def _backup(arguments: argparse.Namespace) -> int:
    print(asyncio.run(ops.backup(settings.load(), arguments.file, force=arguments.force)))
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    print(asyncio.run(ops.restore(settings.load(), arguments.file, check=not arguments.no_check)))
    return 0


def _rekey(arguments: argparse.Namespace) -> int:
    key = sys.stdin.readline().strip() if arguments.key_stdin else None
    print(asyncio.run(ops.rekey(settings.load(), key)))
    return 0


def _collect(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        files = wiring.open_store(settings.load())
        await blobs.claim_folder(db, files)
        await blobs.find_untracked(db, wiring.BLOB_COLUMNS)
        print(f"{await blobs.collect(db, files, wiring.BLOB_COLUMNS, retention=0)} blobs deleted")
        return 0

    return _with_database(run, open_for_inspection)


def _doctor(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        files = wiring.open_store(settings.load()) if arguments.deep else None
        heads = arguments.heads.read_text().splitlines() if arguments.heads else None
        broken = 0
        async for result in ops.run_checks(db, heads=heads, files=files, settings=settings.load()):
            print(result)
            broken += result.broken
        return broken

    try:
        return 1 if _with_database(run, open_for_inspection) else 0
    except _EXPECTED_ERRORS as fault:
        print(f"teamspace: {_error_line(fault)}", file=sys.stderr)
        return 2


# audit


def _add_audit(commands: "_Commands") -> None:
    group = commands.add_parser(
        "audit", help="verify an exported audit log, print the head of every chain",
        description="Verify the audit log without trusting the server.",
    )  # fmt: skip
    actions = group.add_subparsers(required=True, metavar="ACTION")
    verify = _add(actions, "verify", _verify, "verify an export of the audit log",
                  "Needs no database and no settings. Exits with 0 if it is as the server wrote it, 1 if it is"
                  " broken, 2 if it cannot be read.")  # fmt: skip
    verify.add_argument("file", help="the output of GET /api/org/audit?format=jsonl; - is standard input")
    verify.add_argument("--heads", metavar="FILE", help="saved chain heads that the export must reach")
    verify.add_argument("--whole", action="store_true", help="require all events from the first one on, without a gap")
    _add(actions, "heads", _heads, "print company, number and hash of every chain's newest event",
         "Save them where the database's administrators cannot write. `-` is the instance's own chain.")  # fmt: skip


def _verify(arguments: argparse.Namespace) -> int:
    status, message = audit.verify_file(arguments.file, arguments.heads, complete=arguments.whole)
    print(message, file=sys.stderr if status == 2 else sys.stdout)
    return status


def _heads(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        async for head in audit.chain_heads(db):
            print(head)
        return 0

    return _with_database(run, open_for_inspection)


# user


def _add_user(commands: "_Commands") -> None:
    user = commands.add_parser(
        "user", help="create an operator or an activation link, reset a password or a second factor",
        description="Needs access to the data folder. Can run while the server is running; recorded in the audit log.",
    )  # fmt: skip
    actions = user.add_subparsers(required=True, metavar="ACTION")
    create = _add(actions, "create-operator", _create_operator, "create another operator of the instance")
    create.add_argument("--display-name", help="the name that others see")
    reset = _add(actions, "reset-password", _reset_password, "set a user's password and revoke all their credentials")
    factor = _add(actions, "reset-2fa", _reset_factor, "turn off a user's second factor and end their sessions")
    invite = _add(actions, "invite", _invite, "create a new activation link for a user without a password",
                  "The previous link stops working.")  # fmt: skip
    for command in (create, reset, factor, invite):
        command.add_argument("username")
    for command in (create, reset):
        command.add_argument("--password-stdin", action="store_true", help="read the password from standard input")


def _create_operator(arguments: argparse.Namespace) -> int:
    password = _password(arguments)

    async def run(db: Db) -> int:
        await tenancy.create_operator(db, arguments.username, password, arguments.display_name)
        print(f"{arguments.username} is now an operator")
        return 0

    return _with_database(run)


def _reset_password(arguments: argparse.Namespace) -> int:
    password = _password(arguments)

    async def run(db: Db) -> int:
        await tenancy.reset_password(db, arguments.username, password)
        print(f"{arguments.username} has a new password; their sessions, tokens and access keys are revoked")
        return 0

    return _with_database(run)


def _reset_factor(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        await tenancy.reset_second_factor(db, arguments.username)
        print(f"{arguments.username} can sign in without a second factor until they set up a new one")
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
        raise StartError("the passwords do not match")
    return first


# plugin


def _add_plugin(commands: "_Commands") -> None:
    group = commands.add_parser(
        "plugin", help="write a new plugin, check one",
        description="For authors of plugins. Needs no database and no settings.",
    )  # fmt: skip
    actions = group.add_subparsers(required=True, metavar="ACTION")
    new = _add(actions, "new", _new_plugin, "write a new plugin with a tool, a route, a kind of job and its tests",
               "Never overwrites anything.")  # fmt: skip
    new.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens")
    new.add_argument("--folder", type=Path, default=Path(), help="where to put it [the current folder]")
    check = _add(actions, "check", _check_plugin, "use everything that a plugin adds, on a server that is thrown away",
                 "Prints a line for each check. Exits with 0 if all is well, 1 if something is wrong with the plugin.")  # fmt: skip
    check.add_argument("folder", type=Path, metavar="FOLDER", help="a plugin, or a folder with plugins")
    check.add_argument("--seconds", type=float, default=20.0, metavar="N", help="how long a call may take [20]")


def _new_plugin(arguments: argparse.Namespace) -> int:
    for file in authoring.create(arguments.name, arguments.folder):
        print(f"wrote {file}")
    print(f"next: teamspace plugin check {arguments.folder / arguments.name}")
    return 0


def _check_plugin(arguments: argparse.Namespace) -> int:
    done = broken = 0
    for verdict in authoring.check(arguments.folder, arguments.seconds):
        print(verdict, flush=True)
        done, broken = done + 1, broken + (verdict.fault is not None)
    print(f"{done} checks, {broken} failed" if broken else f"{done} checks, all is well")
    return 1 if broken else 0


def _with_database(
    run: Callable[[Db], Awaitable[int]],
    connect: Callable[[Settings], AbstractAsyncContextManager[Db]] = open_database,
) -> int:
    async def session(loaded: Settings) -> int:
        async with connect(loaded) as db:
            return await run(db)

    return asyncio.run(session(settings.load()))
