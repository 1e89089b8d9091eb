"""A site as a value: what an export holds and an import writes. Whatever it says is checked when it is read."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal, Self, cast

from pydantic import Field, StringConstraints, ValidationError, model_validator

from remit.errors import InvalidArgumentsError
from remit_cms.models import Content, Line, LocaleCode, NewLocale, View, pluralize
from remit_cms.navigation.items import Location
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.values import SiteSettings
from remit_cms.sites.redirects import check_redirects, check_target
from remit_cms.sites.rules import (
    MAX_NUMBER,
    Name,
    Time,
    check_address,
    check_numbers,
    check_structure,
    check_texts,
    find_addresses,
)
from remit_cms.storage.home import home_of
from remit_cms.storage.images import iterate_image_slots
from remit_cms.storage.singles import SINGLES
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import localize_content
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import MAX_ITEMS, check_content

FORMAT: Final = "remit-cms-site"
VERSION: Final = 1

_KEY: Final = r"^[a-z0-9][a-z0-9_-]{0,63}$"
_ID: Final = r"^[A-Za-z0-9_-]{1,64}$"
_ITEM: Final = re.compile(r"i[1-9][0-9]{0,8}")

_Key = Annotated[str, StringConstraints(pattern=_KEY)]
_Id = Annotated[str, StringConstraints(pattern=_ID)]
_Text = Annotated[str, StringConstraints(max_length=1000)]
_Percent = Annotated[int, Field(ge=0, le=100)]


class LanguagePart(View):
    """A language of the site."""

    code: NewLocale
    name: Annotated[str, StringConstraints(min_length=1, max_length=64), Line]


class TemplatePart(View):
    """A template of sections, or the fields of a collection."""

    kind: Kind
    key: _Key
    name: Name
    description: _Text
    structure: Structure

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.structure.lists and self.kind not in (Kind.PAGE, Kind.ENTRY):
            raise ValueError("only templates of sections and of entries have lists")
        if self.kind is Kind.ENTRY:
            check_address(self.key, ())
        check_structure(self.structure)
        return self


class ImagePart(View):
    """An image. Its content is in the file with its digest.

    ``initial_focal_point`` is that of slots which have none of their own, if it is not the same.
    """

    id: _Id
    source: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    media_type: Literal["image/png", "image/jpeg"]
    width: Annotated[int, Field(ge=1, le=20_000)]
    height: Annotated[int, Field(ge=1, le=20_000)]
    name: Annotated[str, StringConstraints(min_length=1, max_length=255), Line]
    alt: Annotated[str, StringConstraints(min_length=1, max_length=500), Line]
    caption: Annotated[str, StringConstraints(max_length=500), Line] = ""
    focal_x: _Percent = 50
    focal_y: _Percent = 50
    initial_focal_point: tuple[_Percent, _Percent] | None = None
    created_at: Time


class DocumentPart(View):
    """A page, entry, navigation or settings: its draft, and what visitors see of it if it is live."""

    draft: Snapshot
    live: Snapshot | None = None
    created_at: Time
    updated_at: Time
    published_at: Time | None = None

    @property
    def states(self) -> list[Snapshot]:
        """Draft and live state."""
        return [self.draft] if self.live is None else [self.draft, self.live]


class RedirectPart(View):
    """An address of earlier, and the page that had it."""

    locale: LocaleCode
    path: str
    page: _Id


class LeftOut(View):
    """How much of a site is not in its file, beside its history: approved elsewhere, unfinished, or deleted."""

    scheduled_actions: Annotated[int, Field(ge=0, le=MAX_NUMBER, exclude_if=operator.not_)] = 0
    change_sets: Annotated[int, Field(ge=0, le=MAX_NUMBER, exclude_if=operator.not_)] = 0
    deleted_pages: Annotated[int, Field(ge=0, le=MAX_NUMBER, exclude_if=operator.not_)] = 0

    def describe(self) -> str:
        """What that is, as a sentence."""
        counts = [
            (self.scheduled_actions, "scheduled action"),
            (self.change_sets, "open change set"),
            (self.deleted_pages, "deleted page"),
        ]
        parts = ", ".join(pluralize(number, noun) for number, noun in counts if number)
        return f"Not in the file: the history{', ' if parts else ''}{parts}."


class SitePackage(View):
    """A whole site, without its history. The first language is the default."""

    format: Literal["remit-cms-site"] = FORMAT
    version: Literal[1] = VERSION
    name: Name
    languages: Annotated[list[LanguagePart], Field(min_length=1, max_length=50)]
    templates: list[TemplatePart]
    images: list[ImagePart]
    documents: list[DocumentPart]
    redirects: list[RedirectPart]
    left_out: LeftOut = Field(default=LeftOut(), exclude_if=lambda left_out: left_out == LeftOut())

    @model_validator(mode="after")
    def _check(self) -> Self:
        for what, names in (
            ("language", [each.code for each in self.languages]),
            ("template", [each.key for each in self.templates]),
            ("image", [each.id for each in self.images]),
            ("picture", [each.source for each in self.images]),
            ("document", [each.draft.id for each in self.documents]),
            ("redirect", [f"{each.locale}/{each.path}" for each in self.redirects]),
            ("document of a kind", [each.draft.kind for each in self.documents if each.draft.kind in SINGLES]),
        ):
            if len({*names}) != len(names):
                raise ValueError(f"it has a {what} twice")
        templates = {(each.kind.value, each.key): each.structure for each in self.templates}
        for document in self.documents:
            for state in document.states:
                self._check_state(document, state, templates)
                if state.kind == Kind.REDIRECTS:
                    check_redirects(state, self._codes(), {each.draft.id: each.draft.kind for each in self.documents})
        self._check_home()
        self._check_addresses()
        return self

    def _codes(self) -> list[str]:
        return [each.code for each in self.languages]

    def _check_addresses(self) -> None:
        """Refuse two pages at one address, and redirects that no page has left."""
        codes, pages = self._codes(), self._ids(Kind.PAGE, Kind.ENTRY)
        find_addresses((each.draft for each in self.documents), codes)
        live = find_addresses((each.live for each in self.documents if each.live is not None), codes)
        for each in self.redirects:
            check_address(each.path, ())
            if each.page not in pages or each.locale not in codes:
                raise ValueError(f"the redirect {each.path!r} leads to a page or language that it does not have")
            if (each.locale, each.path) in live:
                raise ValueError(f"the redirect {each.path!r} has the address of a page that visitors see")

    def _ids(self, *kinds: Kind) -> set[str]:
        return {each.draft.id for each in self.documents if each.draft.kind in kinds}

    def _check_home(self) -> None:
        live = {each.draft.id: each.live for each in self.documents if each.live is not None}
        for each in live.values():
            if each.kind == Kind.SETTINGS and (home := home_of(each)) is not None and home not in live:
                raise ValueError("the home page that its settings name is not live")

    def _check_state(
        self, document: DocumentPart, state: Snapshot, templates: dict[tuple[str, str], Structure]
    ) -> None:
        what = f"document {state.id!r}"
        if not re.fullmatch(_ID, state.id) or state.id != document.draft.id or state.kind != document.draft.kind:
            raise ValueError(f"{what}: its states have other ids or kinds, or an id that is none")
        codes = {state.locale, *state.translations, *_locales_of(state)}
        if state.kind not in [*Kind] or not codes <= {*self._codes()}:
            raise ValueError(f"{what}: it has a kind or language that the site does not have")
        if state.parent is not None:
            raise ValueError(f"{what}: it names a page above it; its address says where it stands, as about/team does")
        check_numbers(what, state)
        numbers = [each.number for each in state.sections if each.number]
        if any(len({*each}) != len(each) for each in ([each.id for each in state.sections], numbers)):
            raise ValueError(f"{what}: it has a section twice")
        if state.kind == Kind.ENTRY and len(state.sections) != 1:
            raise ValueError(f"{what}: an entry has one section")
        if state.kind not in SINGLES:
            check_texts(what, state, self._codes())
        images = {each.id for each in self.images}
        for section in state.sections:
            structure = templates.get((state.kind, section.definition))
            if structure is None:
                raise ValueError(f"{what}: its template {section.definition!r} is not in the file")
            for content in _read_contents(what, state, section, structure):
                _check_values(Kind(state.kind), section.definition, structure, content)
                if any(str(slot["imageId"]) not in images for slot in iterate_image_slots(content)):
                    raise ValueError(f"{what}: it shows an image that is not in the file")

    def count(self, kind: Kind) -> int:
        """How many documents of a kind there are."""
        return sum(each.draft.kind == kind for each in self.documents)


class _ItemContent(View):
    """What an item of the navigation may hold in one language."""

    label: Annotated[str, StringConstraints(max_length=100)] = ""
    location: Location = "header"
    visible: bool = True
    target: Annotated[dict[str, str], Field(max_length=1)] = Field(default_factory=dict[str, str])


def _check_values(kind: Kind, template: str, structure: Structure, content: Content) -> None:
    """The checks that writing such content through its operations makes."""
    if kind in (Kind.PAGE, Kind.ENTRY):
        check_content(template, structure, content)
    elif kind is Kind.SETTINGS and content:
        UpdateSiteSettings.model_validate(content)
        SiteSettings.model_validate({"name": "", "language": "", **content})
    elif kind is Kind.NAVIGATION:
        check_target("an item of the navigation", _ItemContent.model_validate(content).target)


def _read_contents(what: str, state: Snapshot, section: SectionSnapshot, structure: Structure) -> Iterator[Content]:
    """The contents of a section by locale, with lists as they are written; refuses items that the page did not make."""
    if not 0 <= section.number <= state.last_section:
        raise ValueError(f"{what}: a section has a number that the page has not given")
    for items in section.lists.values():
        if len({*items}) != len(items) or len(items) > MAX_ITEMS:
            raise ValueError(f"{what}: a list has an item twice, or too many items")
        if not all(_ITEM.fullmatch(each) and int(each[1:]) <= state.last_item for each in items):
            raise ValueError(f"{what}: a list has an item with an id that was not given")
    keys = {slot.key for slot in structure.lists}
    values = [(key, content[key]) for content in section.contents.values() for key in keys & content.keys()]
    if not {*section.lists} <= keys or not all(
        isinstance(value, dict)
        and {*value} <= {*section.lists.get(key, ())}
        and all(isinstance(item, dict) for item in value.values())
        for key, value in values
    ):
        raise ValueError(f"{what}: it has items of a list that is not in its template, or that the list does not have")
    for locale, content in section.contents.items():
        yield localize_content({locale: content}, (locale,), section.lists).content


def _locales_of(state: Snapshot) -> Iterator[str]:
    for section in state.sections:
        yield from section.contents


def parse_package(value: object) -> SitePackage:
    """The site that JSON describes.

    Raises:
        InvalidArgumentsError: it is no site, one of another version, or holds what the CMS would not have written.
    """
    found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    if found.get("format") != FORMAT:
        raise InvalidArgumentsError("the file holds no site of this CMS; give one that cms_exportContent wrote")
    if found.get("version") != VERSION:
        raise InvalidArgumentsError(
            f"the file has version {str(found.get('version'))[:20]!r}, and this CMS reads version {VERSION}; "
            "import it with the CMS that wrote it, or a newer one"
        )
    try:
        return SitePackage.model_validate(found)
    except (ValidationError, InvalidArgumentsError) as error:
        raise InvalidArgumentsError(f"the file cannot be imported: {first_problem(error)}") from error


def first_problem(error: Exception) -> str:
    """The first thing that is wrong with a site, on one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}"[:500] if where else message[:500]
