"""Mutants of the figure about writes of a state that no approver saw."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.approved_state import measure
from figures.mutants.mutant import Mutant, edited, mutants_of, together

_FIGURE: Final = "approved_state.stale"
_NO_REFERENTS: Final = edited(
    "remit.approvals.approved:_find_changed_referents",
    "return None if current.canonical_arguments == call.canonical_arguments else current",
    "return None",
)

MUTANTS: Final[tuple[Mutant, ...]] = (
    *mutants_of(
        _FIGURE,
        {
            "what was approved is compared before the call begins, and not in the write": edited(
                "remit.effects:once", "if approved_state() is not None:", "if False:"
            ),
            "the body is not told what was approved": edited(
                "remit.dispatch.context:CallContext.__init__",
                "self.approved_state = approved_state",
                "self.approved_state = None",
            ),
            "what is stored of a state is the same for all states": together(
                _NO_REFERENTS,
                edited("remit_cms.storage.documents:make_preview", "repr((summary, changes, state))", '"one"'),
            ),
        },
        partial(measure, ("cms_publishPage",), stride=9),
    ),
    *mutants_of(
        _FIGURE,
        {
            "what was approved is not compared in the write of a call that attaches": edited(
                "remit.effects:once", "if approved_state() is not None:", "if False:"
            )
        },
        partial(measure, attached=("cms_publishPage",), stride=9),
    ),
    *mutants_of(
        _FIGURE,
        {
            "the state of a section is that of the summary": together(
                _NO_REFERENTS,
                edited(
                    "remit_cms.sections.sections:Sections.preview_deletion",
                    "make_preview(summary, section.id, draft_state(page))",
                    "make_preview(summary, section.id)",
                ),
            )
        },
        partial(measure, ("cms_deletePageSection",), stride=9),
    ),
    *mutants_of(
        _FIGURE,
        {
            "a message is sent without another look at its thread": edited(
                "remit.call.approved:check_approved_state", "if approved is not None:", "if False:"
            )
        },
        partial(measure, elsewhere=("gmail_send_message",)),
    ),
    *mutants_of(
        _FIGURE,
        {
            "writers of Postgres do not take turns": edited(
                "remit.database.backends:Postgres._on_begin", "SELECT pg_advisory_xact_lock(", "SELECT coalesce("
            )
        },
        partial(measure, in_postgres=("cms_publishPage",), stride=3),
    ),
    *mutants_of(
        _FIGURE,
        {
            "a call over HTTP that asks is granted for the next time": edited(
                "remit.server.rest.tools:call_tool",
                "error = None if",
                """if result.questions:
        name = sent.client.principal.name
        await sent.client.create_grant(sent.path["tool"], principal=name, count=9, expires_in=600.0)
    error = None if""",
            )
        },
        partial(measure, over_http=("cms_publishPage",), stride=9),
    ),
    *mutants_of(
        _FIGURE,
        {
            "a yes by AG-UI is one to whatever the call is about when it is made": edited(
                "remit.server.agui.operations:_answer",
                "decisions = [_decision(sent, each) for each in entries]",
                """decisions = [_decision(sent, each) for each in entries]
    for asked in rows:
        await sent.client.create_grant(asked.tool, principal=asked.asker, count=9, expires_in=600.0)""",
            )
        },
        partial(measure, by_agui=("cms_publishPage",), stride=9),
    ),
)
