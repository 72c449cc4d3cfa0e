"""Compiles the XML of a DOCX into the parts of a text template: its sections repeat runs, paragraphs or rows.

A section within a paragraph repeats what is between its marks. One over several paragraphs repeats these; marks that
stand alone in a paragraph go with it. One over cells of a row repeats the row.
"""

import re
from collections.abc import Iterator

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.pipeline.domain import docx_marks, templates, xml_trees
from teamspace.pipeline.domain.docx_marks import PARAGRAPH, TEXT
from teamspace.pipeline.domain.templates import MARK, Section, TemplatePart, unbalanced
from teamspace.pipeline.domain.xml_trees import XmlElement, XmlNode

_CELL, _ROW = "w:tc", "w:tr"
_MORE = frozenset({"w:drawing", "w:pict", "w:object", "w:sectPr", "w:tbl"})
_EMPTY_PARAGRAPH = "<w:p/>"


class _Loose(msgspec.Struct, frozen=True):
    """Sections that end in a node and begin before it, and that begin in it and end after it, in their order."""

    closed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


_NONE = _Loose()


def compile_nodes(nodes: list[XmlNode]) -> list[TemplatePart]:
    """Return the parts of a template; raise BadRequest if sections do not begin and end where they can."""
    compiler = _Compiler()
    loose = compiler.loose_of(nodes)
    if loose != _NONE:
        raise unbalanced((*loose.closed, *loose.opened)[0])
    return list(_merged(compiler.compile(nodes, 0)))


def _merged(parts: "Iterator[TemplatePart]") -> Iterator[TemplatePart]:
    """Join literal texts, so that a document has as many steps as it has marks."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if texts:
            yield "".join(texts)
            texts = []
        yield part
    if texts:
        yield "".join(texts)


class _Compiler:
    """Knows the loose marks of every node; each is looked at once."""

    def __init__(self) -> None:
        self._loose: dict[int, tuple[XmlNode, _Loose]] = {}
        """By id; the nodes are kept, so that no other gets the id."""

    def loose_of(self, nodes: list[XmlNode]) -> _Loose:
        closed, opened = list[str](), list[str]()
        for node in nodes:
            inside = self._of(node)
            for path in inside.closed:
                if not opened:
                    closed.append(path)
                elif opened.pop() != path:
                    raise unbalanced(path)
            opened += inside.opened
            if max(len(opened), len(closed)) > templates.MAX_DEPTH:
                raise BadRequest.at("/arguments/template", "pipeline.too_nested", limit=templates.MAX_DEPTH)
        return _Loose(tuple(closed), tuple(opened)) if closed or opened else _NONE

    def _of(self, node: XmlNode) -> _Loose:
        if not isinstance(node, XmlElement) or not node.children:
            return _NONE
        if id(node) not in self._loose:
            found = _loose_in_text(node) if node.name == TEXT else self.loose_of(node.children)
            self._loose[id(node)] = node, found
        return self._loose[id(node)][1]

    def compile(self, nodes: list[XmlNode], depth: int) -> Iterator[TemplatePart]:
        if depth > templates.MAX_DEPTH:
            raise BadRequest.at("/arguments/template", "pipeline.too_nested", limit=templates.MAX_DEPTH)
        place = 0
        while place < len(nodes):
            node = nodes[place]
            if not isinstance(node, XmlElement):
                yield node
            elif opened := self._of(node).opened:
                end = self._find_end(nodes, place)
                inside = self._without_marks(nodes[place : end + 1], opened[0])
                yield Section(opened[0], list(_merged(self.compile(inside, depth + 1))))
                place = end
            else:
                yield from self._compile_element(node, depth)
            place += 1

    def _compile_element(self, node: XmlElement, depth: int) -> Iterator[TemplatePart]:
        if node.name == TEXT:
            yield from _compile_text(node)
            return
        begin = self._first_open(node.children) if node.name == _ROW else None
        if begin is not None:
            if depth >= templates.MAX_DEPTH:
                raise BadRequest.at("/arguments/template", "pipeline.too_nested", limit=templates.MAX_DEPTH)
            path, end = self._of(node.children[begin]).opened[0], self._find_end(node.children, begin)
            cells = list(node.children)
            cells[begin], cells[end] = self._drop(cells[begin], "#", path), self._drop(cells[end], "/", path)
            row = XmlElement(node.name, node.opening, node.closing, cells)
            yield Section(path, list(_merged(self._compile_element(row, depth + 1))))
            return
        yield node.opening
        yield from self.compile(node.children, depth)
        if node.name == _CELL and _ends_with_mark(node):
            yield _EMPTY_PARAGRAPH  # a cell without a paragraph is not valid
        yield node.closing

    def _first_open(self, nodes: list[XmlNode]) -> int | None:
        return next((index for index, node in enumerate(nodes) if self._of(node).opened), None)

    def _find_end(self, nodes: list[XmlNode], begin: int) -> int:
        """Return where the first section that begins in a node ends, among the following nodes."""
        waiting = list(self._of(nodes[begin]).opened)
        for index in range(begin + 1, len(nodes)):
            inside = self._of(nodes[index])
            for path in inside.closed:
                if not waiting or waiting.pop() != path:
                    raise unbalanced(path)
            if not waiting:
                return index
            waiting += inside.opened
        raise unbalanced(waiting[0])

    def _without_marks(self, nodes: list[XmlNode], path: str) -> list[XmlNode]:
        """Return the nodes of a section without its marks, and without a first and last node that are only marks."""
        first, *inside, last = nodes
        before = [] if _is_mark(first) else [self._drop(first, "#", path)]
        after = [] if _is_mark(last) else [self._drop(last, "/", path)]
        return [*before, *inside, *after]

    def _drop(self, node: XmlNode, kind: str, path: str) -> XmlNode:
        """Return a node without its first loose mark that opens a section, or its last one that closes one."""
        assert isinstance(node, XmlElement)
        if node.name == TEXT:
            text = xml_trees.text_of(node)
            marks = [mark for mark in docx_marks.loose_marks(text) if (mark[1], mark[2]) == (kind, path)]
            mark: re.Match[str] = marks[0] if kind == "#" else marks[-1]
            return XmlElement(TEXT, *xml_trees.with_text(node, text[: mark.start()] + text[mark.end() :]))
        index = self._locate(node.children, kind)
        children = [*node.children[:index], self._drop(node.children[index], kind, path), *node.children[index + 1 :]]
        return XmlElement(node.name, node.opening, node.closing, children)

    def _locate(self, nodes: list[XmlNode], kind: str) -> int:
        """Return which of the nodes has the first loose opening mark of them all, or the last loose closing mark."""
        opened, closed = list[int](), list[int]()
        for index, node in enumerate(nodes):
            inside = self._of(node)
            for _ in inside.closed:
                if opened:
                    opened.pop()
                else:
                    closed.append(index)
            opened += [index] * len(inside.opened)
        return opened[0] if kind == "#" else closed[-1]


def _loose_in_text(node: XmlElement) -> _Loose:
    marks = docx_marks.loose_marks(xml_trees.text_of(node))
    closed = tuple(mark[2] for mark in marks if mark[1] == "/")
    opened = tuple(mark[2] for mark in marks if mark[1] == "#")
    if [mark[1] for mark in marks] != ["/"] * len(closed) + ["#"] * len(opened):
        raise unbalanced(marks[0][2])
    return _Loose(closed, opened)


def _compile_text(node: XmlElement) -> Iterator[TemplatePart]:
    text = xml_trees.text_of(node)
    if "{{" not in text:
        yield from xml_trees.write([node])
        return
    opening, closing, _ = xml_trees.with_text(node, "")
    yield opening
    yield from _escaped(templates.parse(text))
    yield closing


def _escaped(parts: list[TemplatePart]) -> Iterator[TemplatePart]:
    """Yield the parts of a text with its literals as XML; the values of fields are escaped when they are filled in."""
    for part in parts:
        if isinstance(part, str):
            yield xml_trees.escape(part)
        elif isinstance(part, Section):
            yield Section(part.path, list(_escaped(part.parts)))
        else:
            yield part


def _ends_with_mark(cell: XmlElement) -> bool:
    paragraphs = [child for child in cell.children if isinstance(child, XmlElement) and child.name == PARAGRAPH]
    return bool(paragraphs) and _is_mark(paragraphs[-1])


def _is_mark(node: XmlNode) -> bool:
    """Whether there is nothing in a node but the mark of a section."""
    if not isinstance(node, XmlElement) or node.name in (_CELL, TEXT):
        return False
    mark = MARK.fullmatch("".join(_all_text(node)).strip())
    return mark is not None and bool(mark[1]) and not _has_more(node)


def _has_more(element: XmlElement) -> bool:
    """Whether there is something besides text that must not be lost."""
    children = [child for child in element.children if isinstance(child, XmlElement)]
    return any(child.name in _MORE or _has_more(child) for child in children)


def _all_text(element: XmlElement) -> Iterator[str]:
    for child in element.children:
        if isinstance(child, XmlElement):
            if child.name == TEXT:
                yield xml_trees.text_of(child)
            else:
                yield from _all_text(child)
