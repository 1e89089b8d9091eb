"""Quirks of models: what ends a run or a conversation, and what makes another call than the model asked for.

Each shape in which real endpoints answer is played to both drivers, with a model of Remit and one of PydanticAI, in one
piece and streamed: a run, its resume when the endpoint is well if it rests, and the next message of the conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from figures.figure import Figure, no_violations
from remit.agent import AgentDriver, NativeDriver
from remit.models import OpenAI, PydanticAIModel
from remit.testing.provider_suite import PLAIN, STREAMS, MakeModel, Shape, play
from remit.workers import PydanticAIDriver

_PLAIN_SHORT: Final = (
    "nothing after a call",
    "a call",
    "a name with markup",
    "no arguments, as white space",
    "arguments cut",
    "the older function_call",
    "no arguments, as no text",
    "a call without a type",
    "an id of 100 letters",
    "half an emoji",
    "ended by an error",
    "arguments as parameters",
    "a call cut before its arguments",
    "a call that a filter cut off",
    "a call beside a refusal",
    "a text and a refusal",
    "cut by length",
    "cut while thinking",
    "filtered with a reason",
    "HTML",
    "a wrong key",
    "an error without a code",
    "a page with 400",
    "an error without a word, with 400",
    "fields in other forms",
    "a field that is nested too deeply",
    "a call after one of another choice",
)
_STREAMS_SHORT: Final = (
    "a call in pieces",
    "two calls with one index",
    "two tools with one index, without ids",
    "two calls with one id",
    "another index in each piece",
    "a name that begins as that of another tool",
    "a call that has no end",
    "the whole message with the last",
    "an event of an error",
    "empty events",
    "cut within a call",
    "a call of another choice first",
)
"""A sample, which notices each mutant."""
ENDED: Final = "quirks.ended"
WRONG_CALL: Final = "quirks.wrong_call"


def _openai(url: str) -> OpenAI:
    return OpenAI("m", base_url=url, api_key="k", trust_env=False)


def _pydantic(url: str) -> PydanticAIModel:
    return PydanticAIModel(OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k")))


_DRIVERS: Final[tuple[Callable[[], AgentDriver], ...]] = (NativeDriver, PydanticAIDriver)
_MODELS: Final[tuple[MakeModel, ...]] = (_openai, _pydantic)


class _Case(NamedTuple):
    """A shape, and whether its answers are followed as they are written."""

    shape: Shape
    follow: bool


def figures(*, short: bool) -> Iterator[Figure]:
    """Runs and conversations that ended, and calls that were made and not asked for, or asked for and not made."""
    plain = _PLAIN_SHORT if short else tuple(PLAIN)
    streams = _STREAMS_SHORT if short else tuple(STREAMS)
    yield from asyncio.run(_measure(_list_cases(plain, streams), in_turn=short))


def measure_until(figure: str) -> Iterator[Figure]:
    """The figures of the sample, up to the first shape that ``figure`` counts."""
    yield from asyncio.run(_measure(_list_cases(_PLAIN_SHORT, _STREAMS_SHORT), until=figure))


def _list_cases(plain: Sequence[str], streams: Sequence[str]) -> list[_Case]:
    cases = [_Case(PLAIN[name], follow) for name, follow in product(plain, (False, True))]
    return [*cases, *(_Case(STREAMS[name], follow=True) for name in streams)]


def _list_plays(cases: Sequence[_Case], *, in_turn: bool) -> Iterator[tuple[_Case, MakeModel, AgentDriver]]:
    """Each case with each model and driver; ``in_turn`` takes, of their four pairs, now one half and now the other."""
    for number, case in enumerate(cases):
        for (which, make_model), (other, driver) in product(enumerate(_MODELS), enumerate(_DRIVERS)):
            if not in_turn or (which + other + number) % 2 == 0:
                yield case, make_model, driver()


async def _measure(cases: Sequence[_Case], until: str = "", *, in_turn: bool = False) -> list[Figure]:
    ended = wrong = played = 0
    for case, make_model, driver in _list_plays(cases, in_turn=in_turn):
        found = await play(case.shape, make_model, driver, follow=case.follow)
        ended += bool([*found.list_ends(case.shape)])
        wrong += len([*found.list_wrong_calls(case.shape)])
        played += 1
        if {ENDED: ended, WRONG_CALL: wrong}.get(until):
            break
    how = (
        f"{len(PLAIN)} shapes of real endpoints in one piece, alone and followed, and {len(STREAMS)} streamed, at an "
        "endpoint that is as strict as the strictest; both drivers, each with a model of Remit and one of PydanticAI: "
        "a run, its resume if it rests, and the next message of the conversation"
    )
    return [
        no_violations(ENDED, ended, played, f"{how}: ended, or without what its person must be told"),
        no_violations(WRONG_CALL, wrong, played, f"{how}: calls made and not asked for, or asked for and not made"),
    ]
