"""Marks of a template in the paragraphs of a DOCX, where word processors like to split them over runs."""

import re
from collections.abc import Iterator
from itertools import accumulate

from teamspace.pipeline.domain import xml_trees
from teamspace.pipeline.domain.templates import MARK
from teamspace.pipeline.domain.xml_trees import XmlElement, XmlNode

PARAGRAPH, RUN, TEXT, STYLE = "w:p", "w:r", "w:t", "w:rPr"


def gather(nodes: list[XmlNode]) -> None:
    """Move every mark into the run in which it begins, and give marks of sections that reach beyond it their own run."""
    for node in nodes:
        if isinstance(node, XmlElement):
            gather(node.children)
            if node.name == PARAGRAPH:
                _join(list(_texts(node)))
            if any(isinstance(child, XmlElement) and child.name == RUN for child in node.children):
                node.children = [piece for child in node.children for piece in _split(child)]


def _texts(element: XmlElement) -> Iterator[XmlElement]:
    """Yield the texts of a paragraph, without those of paragraphs within it."""
    for child in element.children:
        if isinstance(child, XmlElement) and child.name != PARAGRAPH:
            if child.name == TEXT:
                yield child
            else:
                yield from _texts(child)


def _join(texts: list[XmlElement]) -> None:
    pieces = [xml_trees.text_of(text) for text in texts]
    whole = "".join(pieces)
    if "{{" not in whole:
        return
    shares, ends, owner = [list[str]() for _ in texts], list(accumulate(map(len, pieces))), 0
    for begin, end, is_mark in _spans(whole):
        place = begin
        while place < end:
            while ends[owner] <= place:
                owner += 1
            stop = end if is_mark else min(end, ends[owner])
            shares[owner].append(whole[place:stop])
            place = stop
    for text, before, share in zip(texts, pieces, shares, strict=True):
        if before != (after := "".join(share)):
            text.opening, text.closing, text.children = xml_trees.with_text(text, after)


def _spans(whole: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of marks and of what is between them."""
    place = 0
    for mark in MARK.finditer(whole):
        yield place, mark.start(), False
        yield mark.start(), mark.end(), True
        place = mark.end()
    yield place, len(whole), False


def _split(node: XmlNode) -> Iterator[XmlNode]:
    """Yield a run in pieces, so that a mark whose section ends elsewhere is alone in its run."""
    if not isinstance(node, XmlElement) or node.name != RUN or not any(map(_reaches_out, node.children)):
        yield node
        return
    style = [child for child in node.children if isinstance(child, XmlElement) and child.name == STYLE]
    kept: list[XmlNode] = []
    for child in node.children:
        if isinstance(child, XmlElement) and child.name == STYLE:
            continue
        if not isinstance(child, XmlElement) or not _reaches_out(child):
            kept.append(child)
            continue
        for text, is_mark in _pieces(xml_trees.text_of(child)):
            piece = XmlElement(TEXT, *xml_trees.with_text(child, text))
            if not is_mark:
                kept.append(piece)
                continue
            if kept:
                yield XmlElement(RUN, node.opening, node.closing, [*style, *kept])
            yield XmlElement(RUN, node.opening, node.closing, [*style, piece])
            kept = []
    if kept:
        yield XmlElement(RUN, node.opening, node.closing, [*style, *kept])


def _reaches_out(node: XmlNode) -> bool:
    return isinstance(node, XmlElement) and node.name == TEXT and bool(loose_marks(xml_trees.text_of(node)))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield a text in pieces, with True for marks of sections that begin or end outside of it."""
    place = 0
    for mark in loose_marks(text):
        if mark.start() > place:
            yield text[place : mark.start()], False
        yield mark[0], True
        place = mark.end()
    if place < len(text):
        yield text[place:], False


def loose_marks(text: str) -> list[re.Match[str]]:
    """Return the marks of sections that begin or end outside of a text, in their order."""
    opened, closed = list[re.Match[str]](), list[re.Match[str]]()
    for mark in MARK.finditer(text):
        if mark[1] == "#":
            opened.append(mark)
        elif mark[1] == "/":
            if opened and opened[-1][2] == mark[2]:
                opened.pop()
            else:
                closed.append(mark)
    return sorted([*closed, *opened], key=lambda mark: mark.start())
