"""Looks at the sign-up page as visitors of a real server do, and edits it as a team does."""

import html
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

from teamspace.authoring.schemas import Unmet
from teamspace.authoring.serving import Check, expect
from teamspace.sdk.testing import PluginServer

_SUBJECT = "the sign-up page"


def list_checks(document: dict[str, Any]) -> Iterator[Check]:
    yield _SUBJECT, "asks visitors what it should", partial(_asks, document)
    yield _SUBJECT, "is shown in each of its languages", partial(_is_translated, document)
    yield _SUBJECT, "can be edited and published by a team", partial(_is_edited, document)


def _asks(document: dict[str, Any], server: PluginServer) -> None:
    shown = _config(server)
    asked, wanted = ([field["name"] for field in fields] for fields in (shown["fields"], document["fields"]))
    if asked != wanted:
        raise Unmet(f"it asks for {', '.join(asked)} instead of {', '.join(wanted)}")
    page = server.anonymous.get("/beta/template")
    expect(page, 200)
    if html.escape(shown["copy"]["title"]) not in page.body.decode():
        raise Unmet("the page does not have its title")


def _is_translated(document: dict[str, Any], server: PluginServer) -> str | None:
    """Note the languages in which texts of another one are shown."""
    for locale in _config(server)["locales"]:
        shown = _config(server, locale)
        if shown["locale"] != locale:
            raise Unmet(f"it answers in {shown['locale']} if {locale} is wanted")
    texts = [field["label"] for field in document["fields"]]
    texts += [
        option["label"] for field in document["fields"] for option in field.get("options", ()) if _has_label(option)
    ]
    mixed = [locale for locale in document.get("copy", {}) if any(locale not in text for text in texts)]
    return f"labels are missing in {', '.join(mixed)}" if mixed else None


def _has_label(option: Any) -> bool:
    return isinstance(option, dict) and bool(option.get("label"))


def _is_edited(document: dict[str, Any], server: PluginServer) -> None:
    expect(server.put("/api/beta/experience", document), 200)
    expect(server.post("/api/beta/experience/publish"), 200)
    if [field["name"] for field in _config(server)["fields"]] != [field["name"] for field in document["fields"]]:
        raise Unmet("what is published is not what was written")


def _config(server: PluginServer, locale: str = "") -> Any:
    answer = server.anonymous.get("/api/beta/config" + (f"?locale={quote(locale)}" if locale else ""))
    expect(answer, 200)
    return answer.json()
