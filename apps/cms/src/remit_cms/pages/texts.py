"""Title, address and texts for search engines of a draft: changed in one language, and named in replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from remit_cms.storage.parts import text_parts
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import PageTexts, check_slugs_are_free, load_texts, localize_texts, write_texts


class DocumentName(NamedTuple):
    """What replies call a document in a language, and for each text that fell back, the language that it is in."""

    title: str
    slug: str
    untranslated: Mapping[str, str]
    written: str
    """Title and address, as messages write them: ``'About us' (/about)``."""


async def load_name(scope: Scope, page: Page, locale: str) -> DocumentName:
    """What replies call the draft of a document in a language."""
    texts, untranslated = localize_texts((await load_texts(scope, [page]))[page.id], scope.fallback_chain(locale))
    title, slug = texts.title or "", texts.slug or ""
    return DocumentName(title, slug, untranslated, f"'{title}' ({scope.format_address(locale, slug)})")


async def change_texts(
    edit: Edit, page: Page, texts: Mapping[str, PageTexts], locale: str, given: Mapping[str, str | None]
) -> PageTexts:
    """Give a draft some of its texts in a language, and return all that it has there now.

    The caller saves the revision, and then calls `show_texts`.

    Args:
        edit: the transaction.
        page: the document.
        texts: its texts by language.
        locale: the language.
        given: the new texts by field; None removes one.

    Raises:
        AlreadyExistsError: another document has the address.
    """
    before = texts.get(locale, PageTexts())
    after = before.model_copy(update={**given})
    if after.slug != before.slug:
        await check_slugs_are_free(edit, page.id, {**texts, locale: after})
    if after != before:
        await write_texts(edit, page, locale, after)
    return after


def show_texts(edit: Edit, page: Page, locale: str, given: Mapping[str, str | None]) -> None:
    """Tell the journal that the author knows what it gave the texts of a document, also those that did not change."""
    if given:
        edit.show(page, *text_parts([locale], *given))
