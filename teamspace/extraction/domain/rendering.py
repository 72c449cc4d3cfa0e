"""Render Markdown as HTML, in the sandboxed process: some texts take the parser seconds.

The rules are those of the console: no HTML of the text, nothing that is loaded from elsewhere, and links only to the web
and to mail addresses. A link to a thing of the console is its words: whoever is not signed in could not open it.
"""

import re
import resource
from collections.abc import Sequence
from html import escape
from typing import Any

from teamspace.extraction.domain import limits

_LEADS = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
_ALL = "# a\n\n*b* **c** ~~d~~ `e` <f> &amp; [g](http://h) ![i](j)\n\n- k\n1. l\n> m\n\n|n|\n|-|\n|o|\n\n```p\nq\n```\n---\n"
"""Something of every kind."""


class Renderer:
    """The library, loaded before the fork."""

    def __init__(self) -> None:
        from markdown_it import MarkdownIt  # noqa: PLC0415 - only this process should load it

        parser: Any = MarkdownIt("commonmark", {"html": False})
        self._parser = parser.enable(["table", "strikethrough"])
        self._parser.renderer.rules["image"] = _write_image
        self._parser.core.ruler.push("links", _limit_links)

    def prepare(self) -> None:
        """Render something, so that what the library loads on first use is loaded."""
        self._parser.render(_ALL)
        resource.setrlimit(resource.RLIMIT_CPU, (limits.RENDER_SECONDS, limits.RENDER_SECONDS + 1))

    def render(self, text: str) -> str:
        html: str = self._parser.render(text)
        return html


def _write_image(tokens: Sequence[Any], at: int, options: Any, environment: Any) -> str:
    return f'<span class="picture">{escape(tokens[at].content or tokens[at].attrs.get("src", ""))}</span>'


def _limit_links(state: Any) -> None:
    for block in state.tokens:
        open_links = list[bool]()
        for token in block.children or ():
            if token.type == "link_open":
                leads = bool(_LEADS.match(str(token.attrs.get("href", ""))))
                open_links.append(leads)
                token.tag = "a" if leads else "span"
                token.attrs = {"href": token.attrs["href"], "rel": "noopener noreferrer nofollow"} if leads else {}
            elif token.type == "link_close":
                token.tag = "a" if open_links.pop() else "span"
