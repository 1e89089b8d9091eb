"""Tool search: an agent with many tools shows its model a search tool, and then the tools that it found.

The found tools are read from the conversation: from the recorded replies of searches, and from the calls. The same
history therefore always carries the same definitions: first those that are always shown, then the found ones in order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Annotated, Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt

from remit.agent.ahead import choose_ahead, read_request
from remit.agent.found_as_text import are_text, caches_prefixes
from remit.agent.model import AnyModel, model_name
from remit.agent.run_instructions import RunInfo, describe_run
from remit.agent.tool_ranking import ToolRanker, ToolText, WordRanker, fuse_rankings, split_words
from remit.call.call import CallLayer
from remit.call.callee import UNKNOWN, Callee, Frame, ReconcileResult
from remit.call.facts import Effect, Facts, Risk
from remit.call.observing import await_callback
from remit.call.schema import Input, Output
from remit.call.sentences import Sentences
from remit.chat.chat import decode_message, encode_message, message_text
from remit.chat.wire import read_tool_calls
from remit.core import Stack
from remit.core.call_checks import callback, check_arguments
from remit.errors import NameTakenError, NotFoundError, SetupError
from remit.layers.authorize import why_refused
from remit.record.arguments import Arguments
from remit.record.principal import Caller
from remit.schemas.jsontext import compact_json
from remit.schemas.suggestions import suggest
from remit.views.values import show_line

AnyCallee = Callee[..., Any]
SEARCH_TOOL: Final = "search_tools"
CALL_TOOL: Final = "call_tool"
_MAX_SUMMARY: Final = 100
_MAX_NAMES: Final = 3
_FOUND_HEADING: Final = "Tools that may fit the next message:"
_FOUND_START: Final = encode_message({"role": "user", "content": f"<found_tools>\n{_FOUND_HEADING}"})[:-2]
_FOUND_NAME: Final = re.compile(r"^- ([A-Za-z0-9_-]{1,64}): ", re.MULTILINE)


FindNames = Callable[[RunInfo], Awaitable[Mapping[str, Sequence[str]]]]
"""Finds the names of the things that tools work on at present, by the tool's name."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSearch:
    """How an agent's model finds tools.

    Args:
        above: an agent with at most this many tools shows them all.
        limit: the most tools that one search finds.
        always: the tools that are shown without a search.
        phrases: search words for a tool that its name and its description lack, by the tool's name.
        names: finds what the application's users call the things that a tool works on, such as the types that they have
            made. They are search words too, and a tool that is found by such a name is listed with it.
        ahead: how many tools the words of each message find, before the model searches; for models that seldom search.
            By default none, so that the definitions stay the same until the model searches.
        ahead_for: patterns of the names of models, like ``local:*``, to which ``ahead`` applies; by default all. It
            always applies to models without a name.
        rankers: how tools are ranked; several are joined, such as words and embeddings.
        as_text: whether the reply of the search contains the definitions of found tools, and the model calls
            them by ``call_tool``. The definitions of a request then never change, so that a provider can cache all of
            a conversation. By default, this depends on whether the model's endpoint caches automatically, as those of
            OpenAI, Gemini and DeepSeek do.
    """

    above: NonNegativeInt = 20
    limit: PositiveInt = 5
    always: Sequence[str] = ()
    phrases: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    names: Annotated[FindNames, callback("info", is_async=True)] | None = None
    ahead: NonNegativeInt = 0
    ahead_for: Sequence[str] = ("*",)
    rankers: Sequence[Annotated[ToolRanker, callback("query", "tools", is_async=True)]] = (WordRanker(),)
    as_text: bool | None = None

    def __post_init__(self) -> None:
        if not self.rankers:
            raise SetupError("ToolSearch: rankers is empty; leave it out, or give one such as WordRanker()")


def as_tool_search(given: ToolSearch | int | None) -> ToolSearch | None:
    """The setting, for which a number represents its ``above``."""
    return ToolSearch(above=given) if isinstance(given, int) else given


class Search(BaseModel):
    """The payload of a search."""

    model_config = ConfigDict(defer_build=True)

    query: str = Field(description="What you want to do, in a few words", min_length=1, max_length=500)


@cache
def _search_input() -> Input[Search]:
    return Input(Search)


@cache
def _found_output() -> Output[dict[str, str]]:
    return Output(dict[str, str])


class SearchTools:
    """The tool with which a model searches its agent's tools. Its calls are governed and recorded like all calls."""

    name = SEARCH_TOOL
    description = (
        "Find tools by what you want to do. Only the tools that you have found can be called: search before you say "
        "that something cannot be done."
    )
    facts = Facts(effect=Effect.PURE, says=Sentences("Search the tools for {query}"))
    layers: Stack[CallLayer] = Stack()

    def __init__(self, tools: Iterable[AnyCallee], search: ToolSearch, agent: str) -> None:
        self._tools = {each.name: each for each in tools}
        self._search = search
        self._agent = agent
        for taken in (SEARCH_TOOL, CALL_TOOL) if search.as_text else (SEARCH_TOOL,):
            if taken in self._tools:
                raise NameTakenError(f"the name {taken!r} is reserved for tool search; rename the tool")
        for where, names in (("always", search.always), ("phrases", search.phrases)):
            for name in names:
                if name not in self._tools:
                    hint = suggest(name, self._tools)
                    raise SetupError(f"ToolSearch: {where}: the agent has no tool {name!r}; {hint}")

    @property
    def schema_in(self) -> Input[Search]:
        """The schema of the query."""
        return _search_input()

    @property
    def schema_out(self) -> Output[dict[str, str]]:
        """The schema of the result: a summary of each found tool, by its name."""
        return _found_output()

    def build_arguments(self, query: str) -> Arguments:
        """Build the arguments from a query."""
        return _search_input().dump_arguments(Search(query=query))

    async def run(self, payload: BaseModel, frame: Frame, /) -> dict[str, str]:
        """Find the tools that fit, among those that the caller may call.

        Raises:
            NotFoundError: none fits.
        """
        query = cast("Search", payload).query
        as_text = are_text(frame.ledger, frame.caller.call, self._agent, self._search.as_text)
        names = await self._find_names(describe_run(frame))
        ranked = await self._rank(query, self._texts_for(frame.caller, names))
        found = self._describe(ranked[: self._search.limit], query, names, as_text=as_text)
        if not found:
            raise NotFoundError(f"no tool fits {query!r}; search with other words")
        return found

    async def find(self, query: str, about: RunInfo) -> dict[str, str]:
        """The tools that fit a query, each with its definition: for a searcher without a run, who may call all."""
        names = await self._find_names(about)
        ranked = await self._rank(query, [*self._named_texts(names)])
        return self._describe(ranked[: self._search.limit], query, names, as_text=True)

    async def find_ahead(self, message: str, caller: Caller, model: AnyModel | None, about: RunInfo) -> dict[str, str]:
        """The tools that the words of a message find for a model, as `run` returns them; see `choose_ahead`.

        None if the model searches by itself. ``caller`` makes the calls, in the run that ``about`` describes.
        """
        name = "" if model is None else model_name(model)
        if not self._search.ahead or (name and not any(fnmatchcase(name, each) for each in self._search.ahead_for)):
            return {}
        as_text = caches_prefixes(model) if self._search.as_text is None else self._search.as_text
        names = await self._find_names(about)
        texts = self._texts_for(caller, names)
        request = read_request(message, texts)
        ranked = await self._rank(request, texts) if request else []
        high_risk = {each.name for each in self._tools.values() if each.facts.risk is Risk.HIGH}
        chosen = choose_ahead(
            ranked,
            request,
            texts,
            always=self._search.always,
            high_risk=high_risk,
            named={tool: split_words(" ".join(each)) for tool, each in names.items()},
            by_words=all(isinstance(ranker, WordRanker) for ranker in self._search.rankers),
            limit=self._search.ahead,
        )
        return self._describe(chosen, request, names, as_text=as_text)

    async def _rank(self, query: str, texts: Sequence[ToolText]) -> list[str]:
        rankings = (ranker(query, texts) for ranker in self._search.rankers)
        ranked = fuse_rankings([await await_callback("a ranker of tools", ranking) for ranking in rankings])
        known = {text.name for text in texts}  # a custom ranker may name other tools
        return [name for name in ranked if name in known]

    async def _find_names(self, about: RunInfo) -> Mapping[str, Sequence[str]]:
        find = self._search.names
        return {} if find is None else await await_callback("the names of a tool search", find(about))

    def _texts_for(self, caller: Caller, names: Mapping[str, Sequence[str]]) -> list[ToolText]:
        """The texts of the tools that a caller may call, with the names of what they work on."""
        return [each for each in self._named_texts(names) if may_call(caller, self._tools[each.name])]

    def _named_texts(self, names: Mapping[str, Sequence[str]]) -> Iterator[ToolText]:
        for name, text in self._texts.items():
            yield replace(text, phrases=(*text.phrases, *names[name])) if name in names else text

    def _describe(
        self, found: Iterable[str], query: str, names: Mapping[str, Sequence[str]], *, as_text: bool
    ) -> dict[str, str]:
        """A description of each tool, with the names in the query of what it works on."""
        describe, words = describe_tool if as_text else _summarize, set(split_words(query))
        described = dict[str, str]()
        for tool in found:
            named = [name for name in names.get(tool, ()) if not words.isdisjoint(split_words(name))][:_MAX_NAMES]
            described[tool] = describe(self._tools[tool]) + (f" ({', '.join(map(show_line, named))})" if named else "")
        return described

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """Return UNKNOWN; no attempt is ever started."""
        return UNKNOWN

    @cached_property
    def _texts(self) -> dict[str, ToolText]:
        return {
            name: ToolText(
                name=name,
                phrases=(*sorted(each.facts.tags), *self._search.phrases.get(name, ())),
                text=f"{each.description} {_describe_parameters(each.schema_in.json_schema)}",
            )
            for name, each in self._tools.items()
        }

    def __eq__(self, other: object) -> bool:
        """Whether the other is a search too: each agent calls its own, and an application lists one for all."""
        return isinstance(other, SearchTools)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"SearchTools({len(self._tools)} tools)"


def may_call(caller: Caller, callee: AnyCallee) -> bool:
    """Whether a caller's tool scope and permissions and the visibility of a tool let its model call the tool."""
    is_in_scope = caller.tool_scope is None or callee.name in caller.tool_scope
    return is_in_scope and why_refused(callee, caller.principal, caller.target) is None


def names_found(history: Iterable[str]) -> dict[str, int]:
    """The names of tools that searches found or calls named, in a history of wire texts, in the order of first mention.

    Each has the index of the message that mentions it last. A user's message may imitate one about tools found ahead;
    it shows only tools that a search would find too.
    """
    found: dict[str, int] = {}
    searches = set[str]()
    for index, text in enumerate(history):
        if '"tool_calls"' in text:
            for call in read_tool_calls(decode_message(text)):
                if call.name == SEARCH_TOOL:
                    searches.add(call.id)
                else:
                    found[call.name] = index
        elif searches and text.startswith('{"role":"tool"'):
            message = cast("dict[str, Any]", json.loads(text))
            if message.get("tool_call_id") in searches:
                found.update(dict.fromkeys(names_in_reply(message.get("content")), index))
        elif text.startswith(_FOUND_START):
            found.update(dict.fromkeys(_FOUND_NAME.findall(message_text(decode_message(text))), index))
    return found


def describe_found(found: Mapping[str, str]) -> str:
    """A message with tools found ahead, for a model; empty without any."""
    lines = "\n".join(f"- {name}: {summary}" for name, summary in found.items()).replace("</", "<\\/")
    return f"<found_tools>\n{_FOUND_HEADING}\n{lines}\n</found_tools>" if found else ""


def names_in_reply(content: object) -> list[str]:
    """The names in the reply to a search; none in that to a failed one."""
    try:
        reply: object = json.loads(content) if isinstance(content, str) else None
    except ValueError:
        return []
    if not isinstance(reply, dict):
        return []
    found = cast("dict[str, Any]", reply)
    found = found["result"] if isinstance(found.get("result"), dict) else found  # beside a notice
    return [] if found.get("success") is False else list(found)


def describe_tool(callee: AnyCallee) -> str:
    """The definition of a tool as a text on one line."""
    return f"{' '.join(callee.description.split())} Parameters: {compact_json(callee.schema_in.json_schema)}"


def _describe_parameters(schema: Mapping[str, Any]) -> str:
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    return " ".join(f"{name} {each.get('description', '')}" for name, each in properties.items())


def _summarize(callee: AnyCallee) -> str:
    """The first sentence of a description."""
    description = callee.description
    sentence = description.split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    return sentence if len(sentence) <= _MAX_SUMMARY else f"{sentence[: _MAX_SUMMARY - 1]}…"
