"""S3's documents: written as text, and read with a parser that refuses entities and document types."""

import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from teamspace.s3.domain.faults import Fault

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_TAGS, _MOST_EQUALS = 200_000, 50_000
_IMPOSSIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NOT_PLAIN = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")


def text(name: str, value: object) -> str:
    return f"<{name}>{_escaped(str(value))}</{name}>"


def element(name: str, *children: str) -> str:
    return f"<{name}>{''.join(children)}</{name}>"


def document(name: str, *children: str) -> bytes:
    return f'{_HEAD}<{name} xmlns="{NAMESPACE}">{"".join(children)}</{name}>'.encode()


def error(code: str, message: str, resource: str, request_id: str) -> bytes:
    """The only document without a namespace."""
    children = text("Code", code), text("Message", message), text("Resource", resource), text("RequestId", request_id)
    return f"{_HEAD}{element('Error', *children)}".encode()


def can_hold(value: str) -> bool:
    """There are characters that XML has no way to write."""
    return not _IMPOSSIBLE.search(value)


def truth(value: bool) -> str:
    return "true" if value else "false"


def _escaped(value: str) -> str:
    return _NOT_PLAIN.sub(lambda found: f"&#{ord(found[0])};", escape(value, {'"': "&quot;"}))


# Reading


def read(body: bytes, name: str) -> Element:
    """The root, which must be called so; namespaces do not matter.

    It is UTF-8, whatever it says of itself. What is larger than any document of S3's is not parsed, which would hold
    up everybody: to name ten thousand parts takes no more tags and equals signs than these.
    """
    if body.count(b"<") > _MOST_TAGS or body.count(b"=") > _MOST_EQUALS:
        raise malformed()
    try:
        root: Element = fromstring(body.decode(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise malformed() from None
    if local(root) != name:
        raise malformed()
    return root


def malformed() -> Fault:
    return Fault("MalformedXML", "The XML you provided was not well-formed or did not validate against our schema.")


def local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def children(parent: Element, name: str) -> Iterable[Element]:
    return (child for child in parent if local(child) == name)


def child(parent: Element, name: str) -> Element | None:
    return next(iter(children(parent, name)), None)


def value(parent: Element, name: str, default: Any = None) -> Any:
    """The text of a child."""
    found = child(parent, name)
    return default if found is None else (found.text or "")
