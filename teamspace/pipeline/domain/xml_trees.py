"""XML as a tree that is written back byte for byte where nothing was changed. Linear; no entities, no namespaces.

For the parts of a DOCX: a parser that understands namespaces would rename prefixes, which word processors do not accept.
"""

import re
from collections.abc import Iterator
from html import unescape

import msgspec

_TOKEN = re.compile(
    r"""<!--(?:(?!-->).)*+-->|<\?(?:(?!\?>).)*+\?>|<(/?)([A-Za-z_][\w:.-]*+)((?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+)>|[^<]++""",
    re.DOTALL,
)
_SPACE = ' xml:space="preserve"'
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_TOKENS = 400_000
MAX_DEPTH = 200


class BadXml(Exception):
    """Not the XML of a document, or more than the limits."""


class XmlElement(msgspec.Struct):
    name: str
    opening: str
    closing: str
    """Empty if the element is closed by its own tag."""
    children: "list[XmlNode]"


XmlNode = XmlElement | str
"""An element, or what is between elements, as it is written."""


def parse(xml: str) -> list[XmlNode]:
    """Return the nodes of a document; raise BadXml if it is none, or declares a document type."""
    root = XmlElement("", "", "", [])
    path, place, tokens = [root], 0, 0
    while place < len(xml):
        token = _TOKEN.match(xml, place)
        tokens += 1
        if token is None or tokens > MAX_TOKENS or len(path) > MAX_DEPTH:
            raise BadXml
        place = token.end()
        name, is_closing, text = token[2], token[1] == "/", token[0]
        if name is None:
            path[-1].children.append(text)
        elif is_closing:
            if path[-1].name != name:
                raise BadXml
            path.pop().closing = text
        else:
            element = XmlElement(name, text, "", [])
            path[-1].children.append(element)
            if not text.endswith("/>"):
                path.append(element)
    if len(path) != 1:
        raise BadXml
    return root.children


def write(nodes: "list[XmlNode]") -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        else:
            yield node.opening
            yield from write(node.children)
            yield node.closing


def text_of(element: XmlElement) -> str:
    return unescape("".join(child for child in element.children if isinstance(child, str)))


def with_text(element: XmlElement, text: str) -> "tuple[str, str, list[XmlNode]]":
    """Return the tags and children of an element like this with another text, whose space is kept."""
    opening = element.opening.removesuffix("/>").removesuffix(">")
    kept = "" if "xml:space" in opening else _SPACE
    return f"{opening}{kept}>", f"</{element.name}>", [escape(text)]


def escape(text: str) -> str:
    """Return a text as XML, without characters that XML does not have."""
    return _ILLEGAL.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
