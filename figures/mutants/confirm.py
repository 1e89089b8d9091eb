"""Mutants of the figure about confirmations."""

from __future__ import annotations

from typing import Final

from figures.confirm import measure_over_http, measure_over_mcp
from figures.mutants.mutant import edited, mutants_of, together

_SERVICE: Final = "remit.approvals.service:check_may_decide"
_ANY_APPLICATION: Final = ("caller.application, caller.conversation", "caller.conversation")
_ACCEPTS: Final = "remit.record.question:Question.accepts"

_DECISION: Final = "remit.server.agui.operations:_decision"

_OF_SERVERS: Final = mutants_of(
    "confirm.taken_for_yes",
    {
        "any answer of AG-UI is a yes": edited(_DECISION, " and answer.approved", ""),
        "an answer of AG-UI that is cancelled is a yes": edited(_DECISION, 'entry.status == "resolved" and', ""),
        "any decision over HTTP is a yes": edited(
            "remit.server.rest.questions:decide_question", "approved=asked.approved", "approved=True"
        ),
        "the next message of AG-UI is the yes": edited(
            "remit.server.agui.operations:_submit",
            "target=sent.query.target,",
            """target=sent.query.target,
            confirms=next(
                (row.question.id for row in await sent.client.questions(conversation=asked.thread_id)), ""
            ),""",
        ),
        "a history that a client sends has its say": edited(
            "remit.server.agui.operations:_submit",
            "message = asked.last_message()",
            """message = asked.last_message()
    if b'"role":"tool"' in bytes(asked.messages).replace(b" ", b""):
        for row in await sent.client.questions(conversation=asked.thread_id):
            await sent.client.decide(row.question.id, approved=True)""",
        ),
    },
    measure_over_http,
)

_OF_MCP: Final = mutants_of(
    "confirm.taken_for_yes",
    {
        "any answer to a form is a yes": edited(
            "remit.mcp.decisions:take_answers",
            'approved=answer.is_yes, kind="confirm" if answer.is_yes else None',
            'approved=True, kind="confirm"',
        ),
        "an answer in a form that says more than it may is a yes": edited(
            "remit.mcp.decisions:read_answer",
            "return msgspec.json.decode(sent, type=FormAnswer)",
            'return FormAnswer(action="accept", content={"approve": b"true" in bytes(sent) or b"1" in bytes(sent)})',
        ),
    },
    measure_over_mcp,
)

MUTANTS: Final = (
    _OF_SERVERS
    + _OF_MCP
    + mutants_of(
        "confirm.taken_for_yes",
        {
            "a later message of the asker is the yes": edited(
                "remit.approvals.answers:require_approval",
                "raise Suspended(question.id)",
                """if question.needs != "confirm" or question.run == call.caller.run:
                raise Suspended(question.id)
            decision = Decision(question=question.id, approved=True, by=question.asker, kind="confirm")""",
            ),
            "another person confirms": together(
                edited(_SERVICE, "if by.name != question.asker:", "if False:"),
                edited(_ACCEPTS, "decision.by == self.asker", "True"),
            ),
            "a confirmation is an approval": together(
                edited(_SERVICE, 'if question.needs == "approve" and', "if False and"),
                edited(_ACCEPTS, 'self.needs == "confirm" and', ""),
            ),
            "another application makes the call": together(
                edited(
                    "remit.engine.conversations:Conversations.find_announcing_run",
                    "if row.application != self._application:",
                    "if False:",
                ),
                edited("remit.approvals.approver:compute_match", *_ANY_APPLICATION),
            ),
            "a question of another application serves": edited(
                "remit.approvals.approver:compute_match", *_ANY_APPLICATION
            ),
            "the yes to a cancelled run serves another call": together(
                edited("remit.approvals.carried:find_shared", "and found[0].run != call.caller.run", "and False"),
                edited(
                    "remit.layers.approve:_Approve._find_earlier_answer",
                    "if decision is not None and decision.approved:",
                    """if decision is not None and decision.approved:
        await record_question(call, shared, Consumption((), call.caller.run, call.id))
        return shared
    if False:""",
                ),
            ),
        },
    )
)
