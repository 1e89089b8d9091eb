"""Mutants of the figures about definitions of tools."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of
from figures.tools import measure_definitions

_SEARCH: Final = "remit.agent.tool_search"

MUTANTS: Final = (
    *mutants_of(
        "tools.definition_tokens_searched",
        {
            "a model is shown all tools in spite of a search": edited(
                "remit.agent.driver:AgentTools.__init__", "own.count > search.above", "own.count < search.above"
            ),
            "a search finds more tools than its limit": edited(
                f"{_SEARCH}:SearchTools.run", "[: self._search.limit]", "[: 2 * self._search.limit]"
            ),
            "the reply to a search has whole descriptions": edited(
                f"{_SEARCH}:_summarize", "len(sentence) <= _MAX_SUMMARY", "(sentence := description)"
            ),
        },
        measure_definitions,
    ),
    *mutants_of(
        "tools.definition_tokens",
        {
            "each definition carries the schema of its result": edited(
                "remit.call.contract:tool_definition",
                '"parameters": contract.schema_in.json_schema,',
                '"parameters": contract.schema_in.json_schema, "returns": contract.schema_out.json_schema,',
            ),
            "each definition is sent three times": edited(
                "remit.agent.driver:AgentTools.definitions.func", "in self._visible", "in 3 * self._visible"
            ),
        },
        measure_definitions,
    ),
    *mutants_of(
        "tools.search_missed",
        {
            "what a search found is not shown to the model": edited(
                f"{_SEARCH}:names_found",
                'found.update(dict.fromkeys(names_in_reply(message.get("content")), index))',
                "pass",
            ),
        },
        measure_definitions,
    ),
)

_DRIVER: Final = "remit.agent.driver:AgentTools"

DAY: Final = (
    *mutants_of(
        "tools.day_tokens",
        {
            "definitions that were found stay for ever": edited(
                f"{_DRIVER}.names_offered", "if window is not None:", "if False:"
            ),
            "the window of the model is not heeded": edited(
                "remit.agent.model_window:_noted_window", "and noted[0] == agent", "and False"
            ),
            "a refusal teaches no window": edited(
                "remit.agent.model_window:read_window", "if window >=", "if False and"
            ),
            "what a refusal taught is not read by later runs": edited(
                "remit.record.conversation:read_conversation", "if read_prior_runs is not None:", "if False:"
            ),
            "the definitions that were found first stay": edited(
                f"{_DRIVER}._keep_newest", "-added[name]", "added[name]"
            ),
        },
    ),
    *mutants_of(
        "tools.day_reread",
        {
            "what was found is added to the definitions": edited(
                f"{_DRIVER}.names_offered", "if are_text(ledger, call, self._agent, self._search.as_text):", "if False:"
            ),
            "a call by the name of a tool is not taken for a call of that tool": edited(
                "remit.agent.step:AgentStep.ask", "if self.calls_by_name:", "if False:"
            ),
            "a search finds more tools than its limit": edited(
                f"{_SEARCH}:SearchTools.run", "[: self._search.limit]", "[: 4 * self._search.limit]"
            ),
        },
    ),
)
