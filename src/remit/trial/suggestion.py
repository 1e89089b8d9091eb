"""Writes a policy file from what an application's tools declare and how they were called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from remit.call.contract import Contract
from remit.call.facts import Effect, Risk
from remit.record.items import Position
from remit.views.run_view import RunView


class SeenCalls:
    """Counts the calls of each tool that began, over all runs and in the run with the most of them."""

    def __init__(self) -> None:
        self.calls = Counter[str]()
        self.most = Counter[str]()

    def add_run(self, positions: Iterable[Position]) -> None:
        """Count the calls of a run."""
        view = RunView()
        for position in positions:
            view.add(position.item, position.at)
        in_run = Counter(call.tool for call in view.calls.values() if call.tool and call.has_begun)
        self.calls += in_run
        self.most |= in_run


def suggest_policy(contracts: Iterable[Contract], seen: SeenCalls) -> str:
    """A policy file for tools with these contracts, with the reason of each line as a comment.

    What only reads is allowed, what is high-risk, undeclared or sends data out asks, what changes something and was
    never called is blocked, and what was called may be called twice as often in a run as it was.
    """
    rules, windows = list[str](), list[str]()
    for contract in sorted(contracts, key=lambda each: each.name):
        verdict, why, reason = _rule_for(contract, seen)
        name = json.dumps(contract.name, ensure_ascii=False)
        count = seen.calls[contract.name]
        called = f"called {count:,} {'time' if count == 1 else 'times'}" if count else "never called"
        rules += [f"  # {why}; {called}", f"  - name: {verdict} {contract.name}", f"    tools: [{name}]"]
        rules += [f"    verdict: {verdict}", *([f"    reason: {reason}"] if reason else [])]
        if seen.most[contract.name] and verdict != "block" and contract.facts.effect is not Effect.PURE:
            most = seen.most[contract.name]
            windows.append(f"  # at most {most:,} in one run so far")
            windows.append(f"  - {{name: calls of {contract.name}, calls: {2 * most}, tools: [{name}], per: run}}")
    return "\n".join([*_section("rules", rules), *_section("windows", windows), ""])


def _section(name: str, lines: Sequence[str]) -> list[str]:
    return [f"{name}:", *lines] if lines else []


def _rule_for(contract: Contract, seen: SeenCalls) -> tuple[str, str, str]:
    """The verdict on a tool's calls, why, and the reason that a person reads; empty if the calls are allowed."""
    facts = contract.facts
    if facts.effect is Effect.PURE and not facts.egress and facts.risk is not Risk.HIGH:
        return "allow", "only reads", ""
    if not seen.calls[contract.name]:
        return "block", "changes something, and nobody has needed it", "it has not been needed so far"
    if not facts.declared:
        return "ask", "declares neither effect nor risk", "it may do anything"
    if facts.risk is Risk.HIGH:
        return "ask", "high-risk", "it is high-risk"
    if facts.egress:
        return "ask", "sends data out", "it sends data out of the system"
    return "allow", "changes something, and is not high-risk", ""
