"""Mutants of the figure about policy that is lost on the way to another process."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited
from figures.policy_lost import measure_in_process

_BUILD = "remit.app:App.build_layers"
_COMPARE = "remit.dispatch.terms:_compare"


def _mutant(defect: str, function: str, before: str, after: str) -> Mutant:
    return Mutant(
        figure="policy.lost", defect=defect, plant=edited(function, before, after), measure=measure_in_process
    )


_RUNTIME = "sent.serving.runtime"
_BARE = (
    f"type({_RUNTIME})(type({_RUNTIME}.app)(name='lost', agents={_RUNTIME}.app.agents), "
    f"store={_RUNTIME}.store).client(sent.client.principal)"
)
"""A client of a runtime of its own, which has the agents of the application and nothing that governs them."""

_OF_SERVERS: Final = tuple(
    _mutant(f"{what} runs in a runtime that the server makes itself", function, before, after)
    for what, function, before, after in (
        ("a message over HTTP", "remit.server.rest.runs:start_run", "sent.client.submit(", f"{_BARE}.submit("),
        ("a message by AG-UI", "remit.server.agui.operations:_submit", "sent.client.submit(", f"{_BARE}.submit("),
        ("a call over HTTP", "remit.server.rest.tools:call_tool", "sent.client.call(", f"{_BARE}.call("),
        ("a request", "remit.server.rest.tools:handle_request", f"handle({_RUNTIME}", f"handle({_BARE}._runtime"),
    )
)

MUTANTS: Final = (
    _mutant(
        "the policy of an application stays behind",
        _BUILD,
        "policy = self.policy or DEFAULT_POLICY",
        "policy = DEFAULT_POLICY",
    ),
    _mutant("the budget of an application stays behind", _BUILD, "budget=self.budget", "budget=None"),
    _mutant(
        "a run is continued under less than it was opened under",
        "remit.engine.root:RootExecutor._require_terms",
        "if lost and not ledger.execution.is_stopping:",
        "if False:",
    ),
    _mutant(
        "the header of a run pins nothing",
        "remit.engine.loosening:pin_terms",
        "terms=inherit_terms(caused_by, find_terms(header), caller=header.agent)",
        'terms=""',
    ),
    _mutant("a higher limit is not missed", _COMPARE, "if now > was:", "if False:"),
    _mutant("a wider scope is not missed", _COMPARE, "if added:", "if False:"),
    _mutant("a missing rule is not missed", _COMPARE, "in _find_lost_rules(pinned, present):", "in ():"),
    _mutant(
        "a laxer rule in front is not missed", "remit.dispatch.terms:_is_laxer", "rule.strictness < strictest", "False"
    ),
    _mutant(
        "the layers of a tool are not pinned",
        "remit.dispatch.terms:_describe_callee",
        "return scope",
        "return ScopeTerms()",
    ),
    *_OF_SERVERS,
)
