"""Write and parse S3's XML documents. The parser refuses entities and document types."""

import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from teamspace.s3.domain.errors import S3Error

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MAX_TAGS, _MAX_EQUALS = 200_000, 50_000
_NOT_REPRESENTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NOT_PLAIN = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")


def text(name: str, value: object) -> str:
    return f"<{name}>{_escape(str(value))}</{name}>"


def element(name: str, *children: str) -> str:
    return f"<{name}>{''.join(children)}</{name}>"


def document(name: str, *children: str) -> bytes:
    return f'{_HEAD}<{name} xmlns="{NAMESPACE}">{"".join(children)}</{name}>'.encode()


def error(code: str, message: str, resource: str, request_id: str) -> bytes:
    """Return an error document, the only one without a namespace."""
    children = text("Code", code), text("Message", message), text("Resource", resource), text("RequestId", request_id)
    return f"{_HEAD}{element('Error', *children)}".encode()


def is_representable(value: str) -> bool:
    """Whether XML can represent all characters."""
    return not _NOT_REPRESENTABLE.search(value)


def boolean(value: bool) -> str:
    return "true" if value else "false"


def _escape(value: str) -> str:
    return _NOT_PLAIN.sub(lambda found: f"&#{ord(found[0])};", escape(value, {'"': "&quot;"}))


# Reading


def parse(body: bytes, name: str) -> Element:
    """Return the root element, which must have this name in any namespace.

    The body is read as UTF-8, whatever its declaration. Documents with more tags or equals signs than a list of 10,000
    parts are refused before parsing, which would block the server.
    """
    if body.count(b"<") > _MAX_TAGS or body.count(b"=") > _MAX_EQUALS:
        raise malformed()
    try:
        root: Element = fromstring(body.decode(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise malformed() from None
    if local_name(root) != name:
        raise malformed()
    return root


def malformed() -> S3Error:
    return S3Error("MalformedXML", "The XML you provided was not well-formed or did not validate against our schema.")


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def children(parent: Element, name: str) -> Iterable[Element]:
    return (child for child in parent if local_name(child) == name)


def child(parent: Element, name: str) -> Element | None:
    return next(iter(children(parent, name)), None)


def child_text(parent: Element, name: str, default: Any = None) -> Any:
    """Return the text of a child element."""
    found = child(parent, name)
    return default if found is None else (found.text or "")
