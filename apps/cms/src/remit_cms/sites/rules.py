"""What the CMS never writes, so that no file of a site may hold it: addresses, numbers, times and texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import AfterValidator, AwareDatetime, StringConstraints

from remit.errors import InvalidArgumentsError
from remit_cms.models import Line, to_line
from remit_cms.pages.slugs import resolve_slug
from remit_cms.storage.scope import make_fallback_chain
from remit_cms.storage.singles import SINGLES
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import localize_texts
from remit_cms.templates.slots import Structure

MAX_NUMBER: Final = 999_999_999
"""The largest number of a section, of an item, or of anything that is counted: a site has room to count on."""
MAX_ADDRESS: Final = 64

_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9999, 1, 1, tzinfo=UTC)
_SLOT_KEY: Final = re.compile("[A-Za-z][A-Za-z0-9_-]{0,39}")


def _check_year(time: datetime) -> datetime:
    if not _FIRST <= time < _LAST:
        raise ValueError("give a time in one of the years 1970 to 9998")
    return time


Time = Annotated[AwareDatetime, AfterValidator(_check_year)]
"""A time that every database stores, whatever its zone."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=200), Line]


def check_address(address: str, locales: Iterable[str]) -> None:
    """Refuse what `resolve_slug` would not have made, in any part of an address.

    Raises:
        ValueError: it is not the address of a page or entry.
    """
    shown = repr(address[:80])
    if len(address) > MAX_ADDRESS:
        raise ValueError(f"{shown} is not the address of a page: it has more than {MAX_ADDRESS} characters")
    try:
        for part in address.split("/"):
            resolve_slug(part, "", locales)
    except InvalidArgumentsError as error:
        raise ValueError(f"{shown} is not the address of a page: {error}") from error


def check_texts(what: str, state: Snapshot, locales: Sequence[str]) -> None:
    """Refuse titles, addresses and texts for search engines that no operation would have written.

    Raises:
        ValueError: names the document.
    """
    if state.locale in state.translations:
        raise ValueError(f"{what}: it is translated into its own language")
    for locale, texts in state.texts.items():
        for name, text, most in (
            ("title", texts.title, 200),
            ("title for search engines", texts.meta_title, 200),
            ("description for search engines", texts.meta_description, 500),
        ):
            if text is not None and len(text) > most:
                raise ValueError(f"{what}: its {name} ({locale}) is too long: {most} characters are the most")
            _check_line(f"{what}: its {name} ({locale})", text)
        if texts.title is not None and not texts.title.strip():
            raise ValueError(f"{what}: its title ({locale}) is empty")
        if texts.slug is not None:
            check_address(texts.slug, locales)
            if state.kind == Kind.ENTRY and state.sections[0].definition != texts.slug.partition("/")[0]:
                raise ValueError(f"{what}: its address {texts.slug!r} is not one of its collection")


def _check_line(what: str, text: str | None) -> None:
    try:
        is_line = text is None or to_line(text) == text.strip()
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error
    if not is_line:
        raise ValueError(f"{what} has more than one line")


def check_numbers(what: str, state: Snapshot) -> None:
    """Refuse numbers that some databases cannot store.

    Raises:
        ValueError: names the document.
    """
    numbers = [state.last_section, state.last_item]
    numbers += [number for section in state.sections for number in (section.sort_order, section.number)]
    if not all(0 <= number <= MAX_NUMBER for number in numbers):
        raise ValueError(f"{what}: it has a number that is not between 0 and {MAX_NUMBER:,}")


def check_structure(structure: Structure) -> None:
    """Refuse fields whose names no template has.

    Raises:
        ValueError: names the field.
    """
    for slots in (structure.slots, *(each.fields for each in structure.lists)):
        keys = [slot.key for slot in slots]
        wrong = [key for key in keys if not _SLOT_KEY.fullmatch(key)]
        if wrong or len({*keys}) != len(keys):
            raise ValueError(f"{wrong[0][:80]!r} is not the name of a field" if wrong else "it has a field twice")
    if any(field.key == "id" for each in structure.lists for field in each.fields):
        raise ValueError("an item of a list has a field 'id', which is the name of its own id")


def find_addresses(states: Iterable[Snapshot], locales: Sequence[str]) -> dict[tuple[str, str], Snapshot]:
    """Pages and entries by the language and address at which each is found.

    Raises:
        ValueError: two have the same one.
    """
    found: dict[tuple[str, str], Snapshot] = {}
    for state in states:
        if state.kind in SINGLES:
            continue
        for locale in locales:
            address = localize_texts(state.texts, make_fallback_chain(locale, locales)).texts.slug or ""
            other = found.setdefault((locale, address), state)
            if other is not state:
                raise ValueError(
                    f"two pages have the address {address!r} in {locale}: {other.title[:80]!r} and {state.title[:80]!r}"
                )
    return found
