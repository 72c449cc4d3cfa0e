"""Texts of the message catalogs in `teamspace/catalogs/`, by namespace and key.

The server writes the default locale; the console shows the same keys in the person's. A text is an ICU message. The
namespace `refusals`, which the server renders, uses only `{name}`: both renderers write such a parameter as it is.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

import msgspec

DEFAULT = "en"
Messages = dict[str, dict[str, str]]
"""ICU messages by namespace and key."""
Key = str
"""The key of a text in the namespace `refusals`; tests find keys in tables by this name."""
Param = str | int | float
_PARAMETER = re.compile(r"\{(\w+)\}")


@cache
def catalogs() -> dict[str, Messages]:
    """Return the bundled catalogs by locale."""
    return {locale: msgspec.json.decode(body, type=Messages) for locale, body in read_files()}


def read_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the bundled catalogs, by locale."""
    files = (resources.files("teamspace") / "catalogs").iterdir()
    for file in sorted(files, key=lambda file: file.name):
        if file.name.endswith(".json"):
            yield file.name.removesuffix(".json"), file.read_bytes()


def render(key: str, params: Mapping[str, Param]) -> str:
    """Return the text of a key of the namespace `refusals` in the default locale."""
    return _PARAMETER.sub(lambda match: str(params[match[1]]), catalogs()[DEFAULT]["refusals"][key])


def parameters(text: str) -> set[str]:
    """Return the names of the parameters in a text."""
    return set(_PARAMETER.findall(text))
