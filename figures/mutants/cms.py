"""Mutants of the figures about the CMS."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.cms import measure_editors, measure_leaks, measure_sweep, measure_unseen
from figures.mutants.mutant import edited, mutants_of, together

_ITEMS: Final = "remit_cms.sections.items"

_SWEEP: Final = {
    "a change set is published as it is by now, and not as it was shown": edited(
        "remit_cms.storage.documents:make_preview", "repr((summary, changes, state))", '"one"'
    ),
    "a post is deleted as it is by now, and not as it was shown": together(
        edited("remit_cms.storage.hiding:preview_hiding", "draft_state(page), ", ""),
        edited("remit_cms.pages.references:DocumentReferences.find_candidates", "str(page.revision)", '""'),
    ),
    "the trash shows the pages of all tenants": together(
        edited(
            "remit_cms.publishing.references:DeletedPageReferences.find_candidates",
            ".where(scope.target.row_filter(TrashedPage))",
            "",
        ),
        edited("remit_cms.storage.trash:find_trashed_page", "scope.target.row_filter(TrashedPage), ", ""),
    ),
    "a token of what was there before is as good as one of now": edited(
        "remit_cms.storage.tokens:find_outdated_state", "token == _make_token(object_id, state)", "token"
    ),
    "a post is sent to show what it does": edited(
        "remit_cms.web.requests:HttpRequests.preview_post",
        "await self._check(ctx, payload)",
        "await self.http_post(ctx, payload)",
    ),
    "revisions are purged in a transaction of their own": edited(
        "remit_cms.storage.trash:purge_page",
        "await edit.session.delete(trashed)",
        "await edit.session.commit(); await edit.session.delete(trashed)",
    ),
}
_LOST: Final = {
    "a write to what another changed since is accepted": edited(
        "remit_cms.storage.stale_edits:check_not_stale", "if not conflicts:", "if conflicts or not conflicts:"
    ),
    "a translation overwrites the original": edited(
        "remit_cms.sections.contents:update_content", "(section.id, locale)", "(section.id, edit.default_locale)"
    ),
    "revisions forget titles in other languages": edited(
        "remit_cms.storage.snapshots:build_snapshots", "if locale != page.locale", "if False"
    ),
    "links of drafts count as those that visitors see": edited(
        "remit_cms.storage.revisions:save_revision", "live=False", "live=True"
    ),
    "edits of others go live with a change set": edited(
        "remit_cms.storage.layers:lay_edits", "in _runs(numbers):", "in [(min(numbers), max(numbers))]:"
    ),
    "a change set publishes what was edited after it": edited(
        "remit_cms.storage.door:go_live", "each.move", "Move(each.page, each.wanted, each.page.revision)"
    ),
    "an edit is published over a later one that visitors see": edited(
        "remit_cms.storage.layers:lay_edits", "if number > last", "if False"
    ),
    "a change set is discarded with the edits of others": edited(
        "remit_cms.publishing.undoing:_lay_over", "await find_claims(edit, [page.id])", "[]"
    ),
    "a deletion is undone, and visitors do not see the page again": edited(
        "remit_cms.publishing.undoing:find_undo_steps", "*await _find_former(scope, each, rows)", "None, None, None"
    ),
    "what is to go with a change set is edited in its conversation": edited(
        "remit_cms.storage.change_sets:check_stays", "if found is not None:", "if False:"
    ),
    "languages are lost when a page goes back to a revision": edited(
        "remit_cms.storage.snapshots:apply_snapshot",
        "in section.contents.items():",
        "in list(section.contents.items())[:1]:",
    ),
    "a label in another language overwrites the original": edited(
        "remit_cms.singles.drafts:SingleDraft.write",
        "locale if slot in self._single.translated else self._locale",
        "self._locale",
    ),
    "items of the navigation forget their places": edited(
        "remit_cms.singles.drafts:SingleDraft.place", "section), position)", "section), None)"
    ),
    "sets interlock in the first edits of a document of which a site has one": edited(
        "remit_cms.storage.merging:find_beginning", "if single is None", "if True"
    ),
    "an edit of one setting forgets the others": edited(
        "remit_cms.singles.drafts:SingleDraft.write", "{**stored.get(code, {}), **changed}", "changed"
    ),
    "the text of an entry in another language overwrites the original": edited(
        "remit_cms.posts.writing:_change_content", "content, locale)", "content, edit.default_locale)"
    ),
    "an item gets the id of one that was removed": edited(
        f"{_ITEMS}:_add_id", "page.last_item += 1", "page.last_item = len(section.lists.get(slot.key, [])) + 1"
    ),
    "a copied page gives the ids of its items again": together(
        edited("remit_cms.pages.pages:_copy_of", "last_item=source.last_item,", ""),
        edited("remit_cms.storage.snapshots:reserve_numbers", "snapshot.last_item, *items", "snapshot.last_item"),
    ),
    "an item is removed in one language only": edited(
        f"{_ITEMS}:drop_item",
        "SectionContent.section == section.id",
        "SectionContent.section == section.id, SectionContent.locale == edit.default_locale",
    ),
    "an item that is written takes the place of all others": edited(
        f"{_ITEMS}:_with_item", "{**others, item: kept}", "{item: kept}"
    ),
    "an edit of one field of an item forgets the others": edited(
        f"{_ITEMS}:_with_item", "**item_content(content, slot, item), ", ""
    ),
    "items stand at the end wherever they are put": edited(
        f"{_ITEMS}:place_item", "order.insert(len(order) if position is None else position, item)", "order.append(item)"
    ),
    "a section that moves to another page loses a language": edited(
        "remit_cms.sections.moving:transfer_section", "for each in contents:", "for each in contents[:1]:"
    ),
    "a section takes its neighbour along when it is deleted": edited(
        "remit_cms.sections.contents:remove_section",
        "await edit.session.delete(section)",
        "await edit.session.delete(section); below = PageSection.__table__.delete().where(PageSection.page == page); "
        "await edit.session.execute(below.where(PageSection.sort_order == order + 1))",
    ),
    "a section that moves up leaves the others where they were": edited(
        "remit_cms.sections.moving:place_section", "PageSection.sort_order + step", "PageSection.sort_order"
    ),
    "a new section stands at the end wherever it is put": edited(
        "remit_cms.sections.contents:add_section", "order = min(", "order = (count or 0) or min("
    ),
    "a page that is moved forgets where it is live": edited(
        "remit_cms.pages.moving:_readdress", "await save_revision(", "page.live_path = None; await save_revision("
    ),
    "pages below one that is moved stay where they were": edited(
        "remit_cms.pages.moving:move_pages_below", "for page in pages:", "for page in pages[:0]:"
    ),
    "a page is moved in one language only": edited(
        "remit_cms.pages.moving:move_page", 'above.get(locale, "")', 'above.get(edit.default_locale, "")'
    ),
    "a copied page has its first section alone": edited(
        "remit_cms.pages.pages:_copy_of", "for each in source.sections]", "for each in source.sections[:1]]"
    ),
    "items are lost when a page goes back to a revision": edited(
        "remit_cms.storage.snapshots:apply_snapshot", "lists=section.lists", "lists={}"
    ),
}
_DOOR: Final = "remit_cms.storage.door"
_PLANNING: Final = "remit_cms.storage.planning"
_BESIDE: Final = edited(f"{_DOOR}:_check_later_claim", "if overlaps(", "if False and overlaps(")
_BUILDS: Final = edited("remit_cms.storage.merging:_builds_on", "return not field", "return False and not field")
_UNDIVIDED: Final = edited(
    "remit_cms.storage.merging:_fields_of", "return split_values(", "return values_of(snapshot) or ("
)
_UNSEEN: Final = {
    "what is scheduled is changed before its time": _BESIDE,
    "a page is published with what is scheduled of it": together(
        _BESIDE, edited(f"{_PLANNING}:plan_page", "if scheduled or at is not None:", "if at is not None:")
    ),
    "what is scheduled stays in the open change set": edited(
        "remit_cms.scheduling.scheduling:Scheduling.schedule_change_set", 'close_set(edit, found, "scheduled")', "pass"
    ),
    "a text for Friday is approved over today's, and not over Monday's": edited(
        f"{_PLANNING}:plan_document", "claim.at <= at", "claim.at < claim.at"
    ),
    "a deletion is undone, and visitors do not see the page again": edited(
        "remit_cms.publishing.undoing:find_undo_steps", "*await _find_former(scope, each, rows)", "None, None, None"
    ),
    "questions do not name the edits of others": edited(
        f"{_DOOR}:describe_claims", "in dict.fromkeys(named)", "in named[:0]"
    ),
    "a change set publishes the edits of others between its own": edited(
        "remit_cms.storage.layers:lay_edits", "in _runs(numbers):", "in [(min(numbers), max(numbers))]:"
    ),
    "the first executor to come is the first to publish": edited(
        "remit_cms.scheduling.scheduling:Scheduling.run_scheduled_action", "await find_earlier(edit, row)", "None"
    ),
    "a picture is deleted that is shown in what is scheduled": edited(
        "remit_cms.storage.images:find_uses", "await find_waiting(scope, image)", "list[Waiting]()"
    ),
    "an edit is published that takes back what is scheduled": edited(
        f"{_PLANNING}:overlaps", ", *planned.edited}", "}"
    ),
    "a set goes live with words of another on which it builds": _BUILDS,
    "a set goes live with what another changed of the same picture": together(_BUILDS, _UNDIVIDED),
    "a page goes live below the unpublished address of another set": edited(
        f"{_DOOR}:check_plan", "await _check_parents(scope, planned, own, at=at)", "pass"
    ),
    "what is scheduled goes live through another type": edited(
        "remit_cms.scheduling.actions:_check_approved", "if reads_otherwise(", "if False and reads_otherwise("
    ),
    "what follows a correction is not shown": edited(
        "remit_cms.scheduling.following:show_followers", "if each.differs:", "if False:"
    ),
    "what follows a correction is approved as it was before": edited(
        "remit_cms.scheduling.following:lay_again", "if each.differs:", "if False:"
    ),
    "a correction stands beside the action that it replaces": edited(
        "remit_cms.scheduling.following:replace_actions", "for each in planned for", "for each in planned[:0] for"
    ),
    "a page is hidden though its next text is scheduled": edited(
        f"{_DOOR}:_check_later_claim",
        "if at is not None or not is_expiry:",
        "if at is not None:",
    ),
    "a page goes with a change set though its next text is scheduled": edited(
        f"{_DOOR}:_check_later_claim",
        "if at is not None or not is_expiry:",
        "if at is not None or not (is_expiry or planned.deletes):",
    ),
    "a page goes with a change set, and its question does not say so": together(
        edited("remit_cms.publishing.changes:describe_removals", "if each.wanted is None:", "if False:"),
        edited("remit_cms.publishing.changes:compare_planned", "(describe_loss(planned, title),)", "()"),
    ),
    "a picture goes with a change set, though visitors see it": edited(
        f"{_DOOR}:check_unused", "if uses:", "if False:"
    ),
}
_PAGE: Final = edited("remit_cms.storage.scope:Scope.find_document", "self.target.row_filter(Page), ", "")
_LEAKS: Final = {
    "cms_getPage": (
        "pages of other sites are found",
        together(
            _PAGE,
            edited(
                "remit_cms.pages.references:DocumentReferences.find_candidates", "scope.target.row_filter(Page), ", ""
            ),
        ),
    ),
    "cms_getPost": (
        "posts of other sites are found",
        together(
            _PAGE,
            edited(
                "remit_cms.pages.references:DocumentReferences.find_candidates", "scope.target.row_filter(Page), ", ""
            ),
            edited("remit_cms.pages.references:_find_entries", "scope.target.row_filter(Page), ", ""),
        ),
    ),
    "cms_getSectionContent": (
        "sections of other sites are found",
        together(
            edited("remit_cms.storage.scope:Scope.find_section", "self.target.row_filter(Page), ", ""),
            edited(
                "remit_cms.pages.references:SectionReferences.find_candidates", "scope.target.row_filter(Page), ", ""
            ),
        ),
    ),
    "cms_getImageUsage": (
        "images of other sites are found",
        together(
            edited("remit_cms.storage.images:find_image", "in_library(scope.target), ", ""),
            edited(
                "remit_cms.images.references:ImageReferences.find_candidates",
                ".where(in_library(scope.target))",
                "",
            ),
        ),
    ),
    "cms_getChangeSet": (
        "change sets of other sites are found",
        together(
            edited("remit_cms.storage.change_sets:find_set", "scope.target.row_filter(ChangeSet), ", ""),
            edited(
                "remit_cms.publishing.references:ChangeSetReferences.find_candidates",
                ".where(scope.target.row_filter(ChangeSet))",
                "",
            ),
        ),
    ),
    "cms_getSectionFields": (
        "templates of other sites are found",
        edited("remit_cms.storage.scope:Scope.find_definition", "self.target.row_filter(SectionDefinition), ", ""),
    ),
    "cms_getLivePage": (
        "addresses of other sites are found",
        edited("remit_cms.storage.live:find_live_page", "scope.target.row_filter(table), ", ""),
    ),
    "cms_cancelScheduledAction": (
        "scheduled actions of other sites are found",
        together(
            edited("remit_cms.scheduling.actions:find_action", "scope.target.row_filter(ScheduledAction), ", ""),
            edited(
                "remit_cms.scheduling.actions:ScheduledActionReferences.find_candidates",
                ".where(scope.target.row_filter(ScheduledAction))",
                "",
            ),
        ),
    ),
    "cms_updateListItem": (
        "links in texts lead to pages of other sites",
        edited("remit_cms.sections.links:find_objects", "scope.target.row_filter(Page), Page", "Page"),
    ),
    "cms_addNavigationItem": (
        "items of the navigation lead to pages of other sites",
        edited("remit_cms.singles.targets:_find_page", "scope.target.row_filter(Page), ", ""),
    ),
    "cms_addRedirect": (
        "addresses of pages of other sites are taken",
        edited("remit_cms.redirects.items:find_pages_at", "scope.target.row_filter(table), ", ""),
    ),
    "cms_restorePage": (
        "deleted pages of other sites are found",
        _SWEEP["the trash shows the pages of all tenants"],
    ),
    "cms_listTrash": (
        "sites of other tenants are targets",
        edited(
            "remit_cms.storage.scope:find_target",
            "query.where(Site.tenant == tenant)",
            "query if site else query.where(Site.tenant == tenant)",
        ),
    ),
}

MUTANTS: Final = (
    *mutants_of("cms.sweep_failures", _SWEEP, partial(measure_sweep, short=True, databases=("sqlite",))),
    *mutants_of("cms.lost_updates", _LOST, partial(measure_editors, short=True)),
    *mutants_of("cms.unseen_publications", _UNSEEN, partial(measure_unseen, short=True)),
    *(
        mutant
        for tool, (defect, plant) in _LEAKS.items()
        for mutant in mutants_of(
            "tenants.cms.leaks", {defect: plant}, partial(measure_leaks, short=True, sample=(tool,))
        )
    ),
)
