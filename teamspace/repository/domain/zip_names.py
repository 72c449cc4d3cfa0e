"""Names of files inside a zip: safe on every system, and each only once."""

import re
import unicodedata

_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_MAX_PART = 120


class ZipNames:
    """Chooses the name of one file after another."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: dict[str, str] = {}
        """The name of each folder, by the path that it has in keys."""
        self._folder_names: set[str] = set()
        self._numbers: dict[str, int] = {}
        """The last number that was given to a name, so that many equal ones cost no more than others."""

    def choose(self, path: str) -> str:
        """Return a name that no earlier file or folder has, also where upper and lower case are the same."""
        *folders, last = [_clean(part) for part in path.split("/") if part not in ("", ".", "..")] or ["file"]
        here = ""
        for folder in folders:
            here = self._folder(f"{here}{folder}") + "/"
        name = self._free(f"{here}{last}", self._files, self._folder_names)
        self._files.add(_fold(name))
        return name

    def _folder(self, wanted: str) -> str:
        known = self._folders.get(_fold(wanted))
        if known is None:
            known = self._folders[_fold(wanted)] = self._free(wanted, self._files)
            self._folder_names.add(_fold(known))
        return known

    def _free(self, wanted: str, *taken: set[str]) -> str:
        stem, dot, ending = wanted.rpartition(".") if "." in wanted.rpartition("/")[2].lstrip(".") else (wanted, "", "")
        name, number = wanted, self._numbers.get(_fold(wanted), 1)
        while any(_fold(name) in names for names in taken):
            number += 1
            name = f"{stem} ({number}){dot}{ending}"
        self._numbers[_fold(wanted)] = number
        return name


def _clean(part: str) -> str:
    """Return one part of a path without what a system refuses or reads as something else."""
    name = _UNSAFE.sub("_", unicodedata.normalize("NFC", part)).rstrip(". ") or "_"
    name = f"_{name}" if _RESERVED.fullmatch(name) else name
    if len(name) <= _MAX_PART:
        return name
    stem, dot, ending = name.rpartition(".")
    return name[:_MAX_PART] if not dot or len(ending) > 20 else f"{stem[: _MAX_PART - len(ending) - 1]}.{ending}"


def _fold(name: str) -> str:
    return name.casefold()
