"""States of documents with the ids that their objects have elsewhere: in another site or environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.storage.home import HOME_PAGE
from remit_cms.storage.images import map_images
from remit_cms.storage.singles import ITEMS, SINGLES
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.templates.references import KINDS, ObjectRef, replace_references

_SECTION_KINDS: Final[Mapping[str, str]] = {
    Kind.PAGE: "section",
    Kind.ENTRY: "content",
    **{kind: each.item.noun for kind, each in ITEMS.items()},
}
"""What ids of sections are given for, by the kind of their document."""


class Renaming:
    """The ids that objects get elsewhere.

    Args:
        new_id: makes an id for an object of a kind.
        documents: the ids of documents elsewhere, by the kind and id of each.
        images: the same of images, by id.
        sections: the same of sections, by document and id; others get new ids when they are first met.
    """

    def __init__(
        self,
        new_id: Callable[[str], str],
        documents: Mapping[ObjectRef, str],
        images: Mapping[str, str],
        sections: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self._new_id, self.images = new_id, images
        self.documents = {each.id: new for each, new in documents.items()}
        self.sections = {**(sections or {})}
        self._addresses = {each: f"{each.kind}:{new}" for each, new in documents.items() if each.kind in KINDS}

    def rename(self, state: Snapshot) -> Snapshot:
        """A state with the other ids. Documents of which a site has one have the names that they have on every site."""
        single, names = SINGLES.get(state.kind), dict[str, object]()
        if single is not None:
            names |= {"title": single.title, "slug": single.slug, "translations": dict[str, object]()}
        sections = [self._rename_section(state, each) for each in state.sections]
        return state.model_copy(update={"id": self.documents[state.id], "sections": sections, **names})

    def _rename_section(self, state: Snapshot, section: SectionSnapshot) -> SectionSnapshot:
        key = (state.id, section.id)
        if key not in self.sections:
            what = _SECTION_KINDS.get(state.kind)
            self.sections[key] = self._new_id(what) if what else self.documents[state.id]
        contents = {locale: self._rename_content(content) for locale, content in section.contents.items()}
        return section.model_copy(update={"id": self.sections[key], "contents": contents})

    def _rename_content(self, content: Content) -> Content:
        renamed = map_images(content, self._rename_image)
        renamed = cast("Content", replace_references(renamed, self._addresses))
        for key in ("target", HOME_PAGE):  # where an item or a redirect leads, or the address without a path
            target = renamed.get(key)
            if isinstance(target, dict):  # what is gone leads nowhere
                found: dict[str, JsonValue] = {
                    kind: self.documents.get(str(each), str(each)) if kind in KINDS else each
                    for kind, each in target.items()
                }
                renamed[key] = found
        return renamed

    def _rename_image(self, slot: Content) -> Content:
        image = str(slot["imageId"])
        return {**slot, "imageId": self.images.get(image, image)}
