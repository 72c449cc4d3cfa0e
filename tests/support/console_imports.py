"""Which features of the console use a module that they share, directly or through others."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

_IMPORT = re.compile(r"""(?:\bfrom|\bimport|@import|composes:.*? from)\s*\(?\s*["']([^"']+)["']""")
_FEATURES = "features"
_ENDINGS = ("", ".ts", ".tsx", "/index.ts", "/index.tsx")
EVERYTHING = "console"


def parts_using(source: Path, path: PurePosixPath) -> frozenset[str]:
    """Return `console/<feature>` for each feature that uses the file at `path` under `source`, or `console` if the frame
    around them does: then it concerns every screen.
    """
    importers = _importers(source)
    seen, found, waiting = {path}, set[str](), [path]
    while waiting:
        for importer in importers.get(waiting.pop(), ()):
            if importer in seen or ".test." in importer.name:
                continue
            seen.add(importer)
            if importer.parts[0] == _FEATURES:
                found.add(f"console/{importer.parts[1]}")  # features do not import each other
            elif importer.parts[0] == "ui":
                waiting.append(importer)
            else:
                return frozenset({EVERYTHING})
    return frozenset(found)


@cache
def _importers(source: Path) -> Mapping[PurePosixPath, list[PurePosixPath]]:
    files = {
        PurePosixPath(file.relative_to(source)): file
        for ending in ("ts", "tsx", "css")
        for file in source.rglob(f"*.{ending}")
    }
    found: dict[PurePosixPath, list[PurePosixPath]] = defaultdict(list)
    for path, file in files.items():
        for target in _targets(path, file.read_text()):
            for ending in _ENDINGS:
                if (imported := PurePosixPath(f"{target}{ending}")) in files:
                    found[imported].append(path)
    return found


def _targets(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield what a module imports from the console's own modules, without endings."""
    for name in _IMPORT.findall(text):
        if name.startswith("@/"):
            yield name[2:]
        elif name.startswith("."):
            yield posixpath.normpath(path.parent / name)
