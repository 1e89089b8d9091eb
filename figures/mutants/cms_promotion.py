"""Mutants of the figure about change sets that go from one environment to another."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.cms_promotion import measure_promotion
from figures.mutants.mutant import edited, mutants_of

_MODULE: Final = "remit_cms.sites.promotion"
_CLAIMED: Final = "await add_claims(edit, change_set, page.id, [page.revision])"

MUTANTS: Final = mutants_of(
    "cms.promotion_failures",
    {
        "what differs there is overwritten": edited(
            "remit_cms.sites.merging:_check_values", "if not others:", "if others or not others:"
        ),
        "pages go with the edits of others": edited(
            f"{_MODULE}:_load_source",
            "await load_edits(source, page, numbers)",
            "await load_edits(source, page, [*range(1, max(numbers) + 1)])",
        ),
        "what is taken over is live at once": edited(
            f"{_MODULE}:_promote", _CLAIMED, f"{_CLAIMED}; page.live = page.revision"
        ),
        "what is taken over belongs to no change set": edited(f"{_MODULE}:_promote", _CLAIMED, "pass"),
        "a page that is there is made again": edited(
            f"{_MODULE}:_find_id", "here.get(document.id) or edit.new_id", "edit.new_id"
        ),
        "sections are not known there": edited(f"{_MODULE}:_find_ids", "if key[1] in here and", "if False and"),
        "what goes with a set stays there": edited(
            f"{_MODULE}:_promote", "await claim_removal(edit, change_set, page, document.removal)", "pass"
        ),
        "drafts are taken over": edited(f"{_MODULE}:_find_published", 'if found[0].state != "published"', "if False"),
    },
    partial(measure_promotion, short=True, schedules=4),
)
