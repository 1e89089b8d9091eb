"""What an approver is shown of differences: addresses in place of ids, and words in place of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from pydantic import JsonValue
from sqlalchemy import select

from remit.tools import Change
from remit_cms.models import Content, name_some
from remit_cms.redirects.views import name_targets
from remit_cms.sections.links import find_addresses
from remit_cms.storage.claims import HIDDEN, REMOVALS
from remit_cms.storage.differences import NEW_SECTIONS, Difference, compare_snapshots, iterate_places, to_text
from remit_cms.storage.documents import describe_document
from remit_cms.storage.images import iterate_image_slots, map_images
from remit_cms.storage.links import LinkHere, describe_links, find_links, link_state, links_of
from remit_cms.storage.parents import describe_surroundings
from remit_cms.storage.planning import Planned
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_structures_of
from remit_cms.storage.tables import ChangeSet, Page
from remit_cms.templates.references import ObjectRef, iterate_references, replace_references

_THEME: Final = re.compile(r"theme \([\w-]+\)")
_AMBIGUOUS: Final = re.compile(r"[,;|]|: |^[\s\"“\u2018«]|\s$|^$")
"""What could be taken for the end of a value, for the name of another one, or for a value in quotes."""
_UNKNOWN: Final[Mapping[str, str]] = {}
_QUOTES: Final = ("“”", "\u2018\u2019", "«»")


class _HasLive(Protocol):
    @property
    def live(self) -> Snapshot | None: ...


T = TypeVar("T", bound=_HasLive)


async def compare_states(
    scope: Scope, before: Snapshot | None, after: Snapshot | None, prefix: str = ""
) -> tuple[Difference, ...]:
    """What an approver is shown of the differences between two states: redirects with where they lead."""
    former, latter = await name_targets(scope, before), await name_targets(scope, after)
    structures = await load_structures_of(scope, before, after)
    return for_approvers(compare_snapshots(former, latter, structures), prefix)


async def compare_planned(scope: Scope, planned: Planned, title: str) -> tuple[Difference, ...]:
    """What an approver is shown of a planned change: what differs in the document, or that it goes as a whole."""
    if planned.wanted is not None:
        return await compare_states(scope, planned.live, planned.wanted, f"{title}: ")
    return (describe_loss(planned, title),)


def title_of(planned: Planned) -> str:
    """The title that visitors will see of a document, or see now if it goes: not that of a draft of others."""
    state = planned.wanted or planned.live
    return planned.page.title if state is None else state.title


def name_set(change_set: ChangeSet, titles: Sequence[str]) -> str:
    """A change set in the title of a question: its name, or what it holds if it has no name of its own."""
    if change_set.conversation is None or not titles:
        return change_set.name
    return f"with {name_some([quote(title) for title in titles], 2)}"


def sort_by_weight(changed: Iterable[T]) -> list[T]:
    """Documents in the order in which an approver reads of them: first those that visitors have now, then new ones."""
    return sorted(changed, key=lambda each: each.live is None)


def describe_loss(planned: Planned, where: str) -> Difference:
    """The difference of a document that goes: its name and address, and what becomes of it."""
    page = planned.page
    after = REMOVALS[planned.numbers[0]] if planned.numbers else REMOVALS[HIDDEN]
    return Difference(where=where, before=describe_document(page, page.live_path, title=title_of(planned)), after=after)


async def describe_types(scope: Scope, planned: Sequence[Planned]) -> str:
    """The state of the types through which visitors will read documents: an approver sees the documents as they are."""
    structures = await load_structures_of(scope, *(each.wanted for each in planned))
    return repr(sorted((key, each.model_dump(mode="json", exclude_defaults=True)) for key, each in structures.items()))


async def describe_removals(scope: Scope, planned: Sequence[Planned], reader: str) -> tuple[str, str]:
    """What goes with a change set and what links to it then, for an approver; and the state of those links."""
    described, states = "", ""
    for each in planned:
        if each.wanted is None:
            links = await _find_links_left(scope, each, planned)
            named = describe_document(each.page, each.page.live_path, "the ", title_of(each))
            described += f"; {named} is {REMOVALS[each.numbers[0]]}"
            described += await describe_links(scope, links, reader) + await describe_surroundings(scope, each.page)
            states += link_state(links)
    return described, states


async def _find_links_left(scope: Scope, removed: Planned, planned: Sequence[Planned]) -> list[LinkHere]:
    """The links to a document from others, as these will be once all that is planned is done."""
    after = {each.page.id: each.wanted for each in planned}
    left = [link for link in await find_links(scope, removed.page.id) if link.source.id not in after]
    shown = [each.wanted for each in planned if each.wanted is not None]
    return left + [
        LinkHere(ObjectRef(each.kind, each.id), each.title, "", live=True)
        for each in shown
        if any(found.id == removed.page.id for _, found in links_of(iterate_places(each)))
    ]


def for_approvers(differences: Sequence[Difference], prefix: str = "") -> tuple[Difference, ...]:
    """What an approver is shown of differences: a theme by its variables, and no new section beside its texts."""
    described = {each.where.partition(" / ")[0] for each in differences if " / " in each.where}
    return tuple(
        part.model_copy(update={"where": prefix + part.where})
        for each in differences
        if not (each.after in NEW_SECTIONS and not each.before and each.where in described)
        for part in _split_theme(each)
    )


async def show_changes(scope: Scope, differences: Sequence[Difference]) -> tuple[Change, ...]:
    """Differences in words: the address of a page for ``page:z08gpd0a``, and the name of an image for its id."""
    values = [value for each in differences for value in each.values]
    references = {found for value in values for found in iterate_references(value)}
    addresses = await find_addresses(scope, references, scope.default_locale, live=False) if references else {}
    images = {str(each["imageId"]) for value in values for each in iterate_image_slots({"": value})}
    named = select(Page.id, Page.title).where(scope.target.id_filter(Page, Page.id, sorted(images)))
    titles = {row.id: row.title for row in await scope.session.execute(named)} if images else {}
    return put_in_words(differences, addresses, titles)


def put_in_words(
    differences: Sequence[Difference], addresses: Mapping[ObjectRef, str], images: Mapping[str, str] = _UNKNOWN
) -> tuple[Change, ...]:
    """Differences with these addresses and names of images in place of references, and without JSON."""

    def name_image(slot: Content) -> Content:
        name = images.get(str(slot["imageId"]))
        texts = {key: value for key, value in slot.items() if key != "imageId"}
        return slot if name is None else {"image": name, **texts}

    def show(each: Difference) -> Change:
        named = (map_images({"": value}, name_image)[""] for value in each.values)
        before, after = (in_words(_with_addresses(value, addresses)) for value in named)
        if before == after:  # what would look alike is shown as it is stored
            before, after = map(to_text, each.values)
        return Change(each.where, before, after)

    return tuple(map(show, differences))


def _with_addresses(value: JsonValue, addresses: Mapping[ObjectRef, str]) -> JsonValue:
    """The value with addresses in place of references, and of the whole of one such as ``{"page": "z08gpd0a"}``."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, name),) = value.items()
        address = name if kind == "url" else addresses.get(ObjectRef(kind, str(name)))
        if address is not None:
            return address
    return replace_references(value, addresses)


def quote(text: str) -> str:
    """A text in quotes that it does not contain, so that its end is plain."""
    for opening, closing in _QUOTES:
        if opening not in text and closing not in text:
            return f"{opening}{text}{closing}"
    return json.dumps(text, ensure_ascii=False)


def in_words(value: JsonValue) -> str:
    """A value without brackets: ``text: Our bread, url: /bread``. Quotes are around what could be misread."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(f"{key}: {_part_in_words(part)}" for key, part in value.items())
        case list():
            is_table = any(isinstance(part, (list, dict)) for part in value)
            return ("; " if is_table else ", ").join(map(_part_in_words, value))
        case _:
            return str(value)


def _part_in_words(value: JsonValue) -> str:
    if isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value):
        return " | ".join(map(_part_in_words, value))  # a row of a table
    if isinstance(value, (list, dict)):
        return f"({in_words(value)})"
    if isinstance(value, str) and _AMBIGUOUS.search(value):
        return quote(value)
    return in_words(value)


def _split_theme(difference: Difference) -> list[Difference]:
    """A difference for each variable of a theme; one of anything else as it is."""
    before, after = (value or {} for value in difference.values)
    if not (_THEME.fullmatch(difference.where) and isinstance(before, dict) and isinstance(after, dict)):
        return [difference]
    values = [(name, *(in_words(theme.get(name)) for theme in (before, after))) for name in {**before, **after}]
    return [
        Difference(where=f"theme: {name}", before=former, after=value)
        for name, former, value in values
        if former != value
    ]
