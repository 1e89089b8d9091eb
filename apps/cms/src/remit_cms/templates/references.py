"""Typed references: how texts and links name an object of the site, so that its address may change.

The stored form is ``page:ID``, perhaps with ``#part``, in the place of an address: in Markdown (``[About](page:ID)``)
and in link slots alike. What people and models write there (``/about``, ``/de/ueber-uns``, an exact title, or
``{"text": ..., "page": "about"}``) becomes that form when it is written, if it means one object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.templates.slots import Slot, SlotType, Structure

KINDS: Final = ("page", "entry")
"""The kinds of objects that have addresses, and that a reference may name."""

_KINDS: Final = "|".join(KINDS)
_REFERENCE: Final = re.compile(rf"({_KINDS}):([^\s#()<>]{{1,200}})(#[^\s()<>]*)?")
_IN_TEXT: Final = re.compile(rf"(\]\([ \t]*<?|\]:[ \t]*<?)({_KINDS}):([\w-]{{1,64}})")
_LINK: Final = re.compile(r"(\]\()([^()\n]+)(?=\))|^( {0,3}\[[^\]\n]+\]:[ \t]+)(\S+)(?=[ \t]*$)", re.MULTILINE)
_CODE: Final = re.compile(r"(```|~~~).*?(?:\1|\Z)|(`+)[^`].*?\2", re.DOTALL)
_TITLED: Final = re.compile(r"(\S+)([ \t]+[\"'(].*)")
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|\?")


class ObjectRef(NamedTuple):
    """An object of the site, by kind and id."""

    kind: str
    id: str


def parse_reference(url: str) -> tuple[ObjectRef, str] | None:
    """The object that an address names, and the part of it; None if it is an address of another sort."""
    found = _REFERENCE.fullmatch(url.strip())
    return None if found is None else (ObjectRef(found[1], found[2]), found[3] or "")


def iterate_references(value: JsonValue) -> Iterator[ObjectRef]:
    """The objects that a value links to: a text, the value of a link slot, or anything that contains some."""
    if isinstance(value, str):
        for found in _IN_TEXT.finditer(value):
            yield ObjectRef(found[2], found[3])
    elif isinstance(value, dict):
        url = value.get("url")
        if isinstance(url, str) and (parsed := parse_reference(url)):
            yield parsed[0]
        if len(value) == 1 and (named := value.keys() & {*KINDS}):
            (kind,) = named
            yield ObjectRef(kind, str(value[kind]))
        for part in value.values():
            yield from iterate_references(part)
    elif isinstance(value, list):
        for part in value:
            yield from iterate_references(part)


def replace_references(value: JsonValue, addresses: Mapping[ObjectRef, str]) -> JsonValue:
    """The value with addresses in place of references. Other references stay, and become no links."""
    if isinstance(value, str):
        return _IN_TEXT.sub(
            lambda found: (
                found[0]
                if (address := addresses.get(ObjectRef(found[2], found[3]))) is None
                else f"{found[1]}{address}"
            ),
            value,
        )
    if isinstance(value, dict):
        replaced = {key: replace_references(part, addresses) for key, part in value.items()}
        url = value.get("url")
        parsed = parse_reference(url) if isinstance(url, str) else None
        if parsed is not None and parsed[0] in addresses:
            replaced["url"] = f"{addresses[parsed[0]]}{parsed[1]}"
        return replaced
    if isinstance(value, list):
        return [replace_references(part, addresses) for part in value]
    return value


class NamedTarget(NamedTuple):
    """What a link names in place of an address: a name, and the kind that the object must be of, if it must be one."""

    name: str
    kind: str = ""


Finder: TypeAlias = Callable[[NamedTarget], ObjectRef | None]


def iterate_targets(structure: Structure, content: Content) -> Iterator[NamedTarget]:
    """What the links of a content name that may be an object of the site."""

    def note(target: NamedTarget) -> ObjectRef | None:
        seen.append(target)
        return None

    seen: list[NamedTarget] = []
    rewrite_links(structure, content, note)
    yield from seen


def rewrite_links(structure: Structure, content: Content, find: Finder) -> Content:
    """The content with references in place of what its links name; ``find`` returns the object, or None."""
    slots = {slot.key: slot for slot in structure.slots}
    return {key: _rewrite(slots.get(key), value, find) for key, value in content.items()}


def _rewrite(slot: Slot | None, value: JsonValue, find: Finder) -> JsonValue:
    kind = None if slot is None else slot.type
    if slot is not None and kind is SlotType.LIST and isinstance(value, list):
        return [rewrite_links(slot.item, each, find) if isinstance(each, dict) else each for each in value]
    if kind is SlotType.RICH_TEXT and isinstance(value, str):
        return _rewrite_markdown(value, find)
    if kind in (SlotType.LINK, SlotType.REFERENCE) and isinstance(value, dict):
        named = {name: value[name] for name in KINDS if isinstance(value.get(name), str)}
        if len(named) == 1 and "url" not in value:
            (object_kind, name), *_ = named.items()
            rest = {key: part for key, part in value.items() if key != object_kind}
            return {**rest, "url": _rewrite_url(f"{object_kind}:{name}", find)}
        if isinstance(value.get("url"), str):
            return {**value, "url": _rewrite_url(str(value["url"]), find)}
    return value


def _rewrite_markdown(text: str, find: Finder) -> str:
    """The text with references in place of addresses, except in code."""
    if "](" not in text and "]:" not in text:
        return text

    def rewrite(found: re.Match[str]) -> str:
        prefix, whole = found[1] or found[3], found[2] or found[4]
        url = whole.strip().removeprefix("<").removesuffix(">")
        if (rewritten := _rewrite_url(url, find)) != url:
            return f"{prefix}{rewritten}"
        titled = _TITLED.fullmatch(whole.strip())
        return found[0] if titled is None else f"{prefix}{_rewrite_url(titled[1], find)}{titled[2]}"

    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        parts += (_LINK.sub(rewrite, text[end : code.start()]), code[0])
        end = code.end()
    return "".join((*parts, _LINK.sub(rewrite, text[end:])))


def _rewrite_url(url: str, find: Finder) -> str:
    kind, colon, name = url.partition(":")
    if not (colon and kind in KINDS):
        kind, name = "", url
        if not url.strip("/") or _SCHEME.match(url):
            return url
    name, mark, part = unquote(name).partition("#")
    found = find(NamedTarget(name, kind))
    return url if found is None else f"{found.kind}:{found.id}{mark}{part}"
