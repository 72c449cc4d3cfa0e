"""The command line: serving, and what an operator does beside it."""

import argparse
import asyncio
import csv
import getpass
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import asyncpg
import msgspec

from teamspace import __version__, server, settings, tenancy, wiring
from teamspace.app import StartError, endpoints, inspected, opened, upgraded
from teamspace.core.crypto import WrongKey
from teamspace.core.db import Db, SchemaError, audit
from teamspace.core.errors import Refusal
from teamspace.core.limits import Stopping, Wake
from teamspace.core.openapi import document
from teamspace.core.routing import BootError, Endpoint
from teamspace.settings import SETTINGS, Settings, SettingsError

if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_SAID_IN_ONE_LINE = (
    StartError, SettingsError, WrongKey, SchemaError, BootError, Refusal, RuntimeError,
    OSError, apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError,
)  # fmt: skip


def main() -> None:
    arguments = _parser().parse_args()
    try:
        sys.exit(arguments.run(arguments))
    except _SAID_IN_ONE_LINE as fault:
        sys.exit(f"teamspace: {_line(fault)}")
    except KeyboardInterrupt:
        sys.exit(130)


def _line(fault: Exception) -> str:
    """Our own faults speak for themselves; a driver's needs to be told whose it is."""
    if isinstance(fault, OSError | apsw.Error | asyncpg.PostgresError | asyncpg.InterfaceError):
        return f"the database or a file cannot be reached or used: {str(fault) or type(fault).__name__}"
    return str(fault)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="teamspace", description="A self-hosted workspace server for many teams.",
        epilog="Settings are SERVICE_* environment variables; `teamspace serve --help` lists them.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"teamspace {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_routes(commands)
    _add(commands, "openapi", _openapi, "print the API's description (OpenAPI 3.1)")
    _add(commands, "migrate", _migrate, "bring the database's schema up to this version, and say what was done",
         "`serve` does this by itself at start.")  # fmt: skip
    _add(commands, "doctor", _doctor, "check that the data keeps its promises",
         "Reads only, and may run beside the server. Ends with 0 when all is well, 1 when something was found,"
         " 2 when it could not look.")  # fmt: skip
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
    return endpoints(settings.load({}, file=Path("/dev/null")), Wake(Stopping()))


# migrate, doctor


def _migrate(arguments: argparse.Namespace) -> int:
    async def run() -> int:
        applied = await upgraded(settings.load())
        print("\n".join(f"applied {name}" for name in applied) or "the schema is up to date")
        return 0

    return asyncio.run(run())


def _doctor(arguments: argparse.Namespace) -> int:
    try:
        findings = _with_database(_examine, inspected)
    except _SAID_IN_ONE_LINE as fault:
        print(f"teamspace: {_line(fault)}", file=sys.stderr)
        return 2
    return 1 if findings else 0


async def _examine(db: Db) -> int:
    """Every invariant, the audit chains and the database's own checks; how many found something."""
    found = 0
    for row in wiring.INVARIANTS:
        broken = await db.all(str, row.sql)
        found += bool(broken)
        print(f"{'BROKEN' if broken else 'ok':<7} {row.name:<22} {row.doc}")
        for name in broken[:10]:
            print(f"        {name}")
    for name, faults in (("audit.chain", await audit.check(db)), ("database", list(await db.engine.integrity()))):
        found += bool(faults)
        print(f"{'BROKEN' if faults else 'ok':<7} {name}")
        for fault in faults[:10]:
            print(f"        {fault}")
    return found


# user


def _add_user(commands: "_Commands") -> None:
    user = commands.add_parser(
        "user", help="make an operator, reset a password or a second factor",
        description="For whoever holds the data folder: works beside a running server, and is on the audit trail.",
    )  # fmt: skip
    actions = user.add_subparsers(required=True, metavar="ACTION")
    made = _add(actions, "create-operator", _create_operator, "make another operator of the instance")
    made.add_argument("--display-name", help="the name that others see")
    reset = _add(actions, "reset-password", _reset_password, "set somebody's password and end their sessions")
    factor = _add(actions, "reset-2fa", _reset_factor, "turn somebody's second factor off and end their sessions")
    for command in (made, reset, factor):
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
        print(f"{arguments.username} has a new password; their sessions ended")
        return 0

    return _with_database(run)


def _reset_factor(arguments: argparse.Namespace) -> int:
    async def run(db: Db) -> int:
        await tenancy.reset_second_factor(db, arguments.username)
        print(f"{arguments.username} signs in without a second factor until they set a new one")
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
