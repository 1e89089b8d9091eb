"""The operations on the languages of a site. A model reads each docstring before it calls."""

from __future__ import annotations

from sqlalchemy import delete, func, select, update

from remit import LeafContext
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError
from remit.tools import Change, Preview
from remit_cms.languages.addresses import check_prefix, find_new_paths, find_translated
from remit_cms.languages.payloads import MAX_LANGUAGES, AddLanguage, LanguagesReply, RemoveLanguage
from remit_cms.models import name_some, pluralize
from remit_cms.storage import full_text
from remit_cms.storage.database import Database
from remit_cms.storage.documents import make_preview
from remit_cms.storage.scope import Scope
from remit_cms.storage.seed import name_language
from remit_cms.storage.snapshots import build_snapshot
from remit_cms.storage.tables import Environment, LivePath, Locale, Page, PageSection, Redirect, SectionContent
from remit_cms.storage.transactions import Edit, edit_once, open_view


class Languages:
    """The languages of a site. They are those of all its environments."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_language(self, ctx: LeafContext, payload: AddLanguage) -> LanguagesReply:
        """Add a language to the site, after approval. Texts come later: cms_translatePage, or a localeCode."""

        async def work(edit: Edit) -> LanguagesReply:
            code = await _check_new(edit, payload)
            paths = await find_new_paths(edit, code)
            name = payload.name or name_language(code)
            edit.session.add(Locale(site=edit.target.site, code=code, name=name, is_default=False))
            await edit.session.flush()
            for each in paths:
                row = {"site": edit.target.site, "environment": each.environment, "locale": code, "path": each.path}
                edit.session.add(LivePath(**row, page=each.page))
            await edit.session.flush()
            await _index(edit, code)
            await _tell(edit, name)
            return LanguagesReply(
                languages=[*edit.locales, code],
                message=f"Added the language {name} ({code}): {pluralize(len(paths), 'live page')} below /{code}",
            )

        return await edit_once(self._database, ctx, payload, LanguagesReply, work)

    async def preview_addition(self, ctx: LeafContext, payload: AddLanguage) -> Preview:
        """What visitors see of a new language, for the approver."""
        async with open_view(self._database, ctx) as scope:
            code = await _check_new(scope, payload)
            number = len(await find_new_paths(scope, code))
            summary = (
                f"the language {payload.name or name_language(code)} ({code}): {pluralize(number, 'live page')} "
                f"{'is' if number == 1 else 'are'} shown below /{code} too, in the words of "
                f"'{scope.default_locale}' until there are others"
            )
            return make_preview(summary, repr(scope.locales))

    async def remove_language(self, ctx: LeafContext, payload: RemoveLanguage) -> LanguagesReply:
        """Take a language from the site, after approval. Not for one text: cms_translatePage writes another."""

        async def work(edit: Edit) -> LanguagesReply:
            code, site = await _check_removable(edit, payload), edit.target.site
            name = await edit.session.scalar(select(Locale.name).where(Locale.site == site, Locale.code == code))
            for table in (LivePath, Redirect):
                await edit.session.execute(delete(table).where(table.site == site, table.locale == code))
            await edit.session.execute(delete(Locale).where(Locale.site == site, Locale.code == code))
            await _tell(edit, name or code)
            rest = [each for each in edit.locales if each != code]
            return LanguagesReply(languages=rest, message=f"Removed the language {name} ({code})")

        return await edit_once(self._database, ctx, payload, LanguagesReply, work)

    async def preview_removal(self, ctx: LeafContext, payload: RemoveLanguage) -> Preview:
        """What is lost with a language, for the approver."""
        async with open_view(self._database, ctx) as scope:
            code, site = await _check_removable(scope, payload), scope.target.site
            titles = await find_translated(scope, code)
            counts = [
                await scope.session.scalar(
                    select(func.count()).select_from(table).where(table.site == site, table.locale == code)
                )
                for table in (LivePath, Redirect)
            ]
            summary = (
                f"the language '{code}', with {pluralize(counts[0] or 0, 'live page')} "
                f"and {pluralize(counts[1] or 0, 'redirect')} below /{code}. Texts in it stay in the revisions, and "
                "are shown again if the language is added again"
            )
            texts = f"{pluralize(len(titles), 'document')}: {name_some(titles)}" if titles else "none"
            lost = Change(f"documents with texts in {code}", texts, "not shown")
            return make_preview(summary, repr((titles, counts)), changes=[lost])


async def _check_new(scope: Scope, payload: AddLanguage) -> str:
    """The code of a language that the site can have."""
    code = payload.locale_code
    if code in scope.locales:
        raise AlreadyExistsError(f"The site has the language '{code}' already.")
    if len(scope.locales) >= MAX_LANGUAGES:
        raise InvalidArgumentsError(f"The site has {len(scope.locales)} languages, and {MAX_LANGUAGES} are the most.")
    await check_prefix(scope, code)
    return code


async def _check_removable(scope: Scope, payload: RemoveLanguage) -> str:
    """The code of a language that the site can do without.

    Raises:
        InvalidArgumentsError: the site has no such language.
        ConflictError: it is the default, or that of the titles of some pages.
    """
    code = scope.resolve_locale(payload.locale_code)
    if code == scope.default_locale:
        raise ConflictError(f"'{code}' is the language of the site, in which pages begin; it cannot be removed.")
    begun = select(Page.title).where(Page.site == scope.target.site, Page.locale == code).order_by(Page.title)
    if titles := (await scope.session.scalars(begun)).all():
        number = pluralize(len(titles), "page")
        raise ConflictError(f"{number} began in '{code}': {name_some(titles)}.")
    return code


async def _index(edit: Edit, code: str) -> None:
    """Let drafts be found by texts that they have had in the language before."""
    of_code = select(PageSection.page).join(SectionContent, SectionContent.section == PageSection.id)
    chosen = (Page.site == edit.target.site, Page.id.in_(of_code.where(SectionContent.locale == code)))
    for page in (await edit.session.scalars(select(Page).where(*chosen))).all():
        title, words = full_text.searchable_texts(await build_snapshot(edit, page), code)
        await full_text.index_page(edit.session, page.id, code, title, words)


async def _tell(edit: Edit, name: str) -> None:
    """Tell those who watch, and let the sites of all environments forget the responses that they keep."""
    edit.add_change("site", edit.target.site, 1, "languages", name=name)
    of_site = Environment.site == edit.target.site
    await edit.session.execute(update(Environment).where(of_site).values(version=Environment.version + 1))
