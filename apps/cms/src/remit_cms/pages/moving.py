"""Moves pages below others. Where a page stands is its address, such as about/team; pages below it follow."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select

from remit.errors import InvalidArgumentsError
from remit_cms.models import pluralize
from remit_cms.pages.slugs import join_slug
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import PageTexts, check_slugs_are_free, load_texts, slugs_by_locale, write_texts


async def move_page(edit: Edit, page: Page, parent: Page | None) -> int | None:
    """Put a page below another one, or at the top, in every locale, and return how many pages below it followed.

    None says that it stands there already.

    Raises:
        InvalidArgumentsError: the other page is the page itself or stands below it, or an address becomes too long.
        AlreadyExistsError: another page has the address.
    """
    if parent is not None and f"{parent.slug}/".startswith(f"{page.slug}/"):
        where = "itself" if parent.id == page.id else f"'{parent.title}', which stands below it"
        raise InvalidArgumentsError(f"Page '{page.title}' cannot stand below {where}.")
    texts = (await load_texts(edit, [page]))[page.id]
    before = slugs_by_locale(edit, texts)
    above = {} if parent is None else slugs_by_locale(edit, (await load_texts(edit, [parent]))[parent.id])
    after = {locale: join_slug(above.get(locale, ""), name_of(slug)) for locale, slug in before.items()}
    if after == before:
        return None
    await _readdress(edit, page, before, after, is_chosen=True)
    return await move_pages_below(edit, before, after)


async def move_pages_below(edit: Edit, before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """Give the pages below a page, whose addresses by locale have changed, theirs; return how many there are."""
    top = before[edit.default_locale]
    below = select(Page).where(
        edit.target.row_filter(Page), Page.kind == Kind.PAGE, Page.slug.startswith(f"{top}/", autoescape=True)
    )
    pages = (await edit.session.scalars(below.order_by(Page.slug, Page.id))).all()
    for page in pages:
        await _readdress(edit, page, before, after, is_chosen=False)
    return len(pages)


def name_of(slug: str) -> str:
    """The last part of an address: team of about/team."""
    return slug.rpartition("/")[2]


def describe_below(count: int) -> str:
    """A remark on pages that followed."""
    return f", and the {pluralize(count, 'page')} below it" if count else ""


async def _readdress(
    edit: Edit, page: Page, before: Mapping[str, str], after: Mapping[str, str], *, is_chosen: bool
) -> None:
    texts = (await load_texts(edit, [page]))[page.id]
    changed = _replace_prefixes(edit, texts, before, after)
    if changed == texts:
        return
    await check_slugs_are_free(edit, page.id, changed)
    for locale, each in changed.items():
        if each != texts.get(locale):
            await write_texts(edit, page, locale, each)
    await save_revision(edit, page, "move_page", "slug", is_checked=is_chosen)


def _replace_prefixes(
    scope: Scope, texts: Mapping[str, PageTexts], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, PageTexts]:
    """The texts with the new address where they begin with the old one.

    A locale whose address falls back gets one of its own only if it needs one.
    """
    slugs, changed = slugs_by_locale(scope, texts), dict(texts)
    # Locales that others fall back to come first, so that what falls back is known.
    for locale in sorted(scope.locales, key=lambda code: len(scope.fallback_chain(code))):
        slug, own = slugs[locale], changed.get(locale, PageTexts())
        if f"{slug}/".startswith(f"{before[locale]}/"):
            rest = slug.removeprefix(before[locale]).strip("/")
            slug = join_slug(after[locale], rest) if rest else after[locale]
        inherited = slugs_by_locale(scope, {**changed, locale: own.model_copy(update={"slug": None})})[locale]
        if own.slug is not None or slug != inherited:
            changed[locale] = own.model_copy(update={"slug": slug})
    return changed
