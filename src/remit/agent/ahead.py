"""Which tools the words of a message find before the model is asked: few, and nothing that the person did not ask for.

What is offered is read by the model at the beginning of each message, so a tool that does not fit costs tokens and
tempts. Names of objects and texts to write say nothing about the tool that is needed, and are left out of the search.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from remit.agent.tool_ranking import ToolText, split_words

_QUOTED: Final = re.compile("(?<!\\w)[\"'\u201c\u201e\u2018\u00ab].*?[\"'\u201d\u201c\u2019\u00bb](?!\\w)")
_TEXT_TO_WRITE: Final = re.compile(r":\s.*?(?=\.\s+(?:Please|Bitte)\b|$)", re.DOTALL | re.IGNORECASE)
"""What follows a colon is a text to write, up to a sentence that asks again."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_TOKEN: Final = re.compile(r"\S+")
_ANSWERS: Final = frozenset(
    {"yes", "no", "ok", "okay", "sure", "please", "thank", "thanks", "go", "ahead", "right", "fine", "good", "great"}
    | {"agree", "agreed", "confirm", "confirmed", "proceed", "continue", "now", "then", "well", "just", "not", "dont"}
)
"""The words of an answer, which ask for no tool."""
_VERBS: Final = frozenset({"change", "set", "make", "give", "put", "take", "let", "have", "use", "do"})
"""Verbs at the beginning of a request that say nothing without the other words of it: *set* is no change set."""
_MIN_WORDS_OF_RISK: Final = 2
"""How many words a message shares with a tool of high risk that it asks for: what is done, and to what."""


def read_request(message: str, tools: Iterable[ToolText]) -> str:
    """The words of a message that may name what is to be done; empty for a mere answer, such as a yes.

    A word with a capital inside a sentence is a name, unless the phrases of a tool have it so, as *German*.
    """
    capitals = (word for tool in tools for phrase in tool.phrases for word in phrase.split() if word[:1].isupper())
    capitalized = {stem for word in capitals for stem in split_words(word)}
    plain = _TEXT_TO_WRITE.sub(" ", _QUOTED.sub(" ", message))
    words = [word for sentence in _SENTENCE.split(plain) for word in _common_words(sentence, capitalized)]
    return " ".join(words) if any(word.lower() not in _ANSWERS for word in words) else ""


def choose_ahead(
    ranked: Sequence[str],
    request: str,
    tools: Iterable[ToolText],
    *,
    always: Collection[str],
    high_risk: Collection[str],
    named: Mapping[str, Collection[str]],
    by_words: bool,
    limit: int,
) -> list[str]:
    """The tools to offer of those that a ranking has found, best first.

    A tool must share a word of its name or phrases with the request that no tool above it shares: else that one fits
    better, always shown or not. One that is always shown fits as well if it shares the same words. ``named`` has, by
    tool, the words of the names of what it works on: of the tools that share nothing but such a name, none fits better.
    A tool of high risk must fit best of all, by two words or more. Without ``by_words``, a ranking by meaning is
    trusted instead of the words.
    """
    asked = set(split_words(request))
    own = {tool.name: asked.intersection(split_words(" ".join((tool.name, *tool.phrases)))) for tool in tools}
    shown = [own[name] for name in always if name in own]
    chosen: list[str] = []
    covered, covered_by_name = set[str](), set[str]()
    for place, name in enumerate(ranked):
        shared = own.get(name, set[str]())
        of_names = shared.intersection(named.get(name, ()))
        is_asked = name not in high_risk or (place == 0 and len(shared) >= _MIN_WORDS_OF_RISK)
        adds = bool(shared - covered - (set() if of_names else covered_by_name))
        adds = (adds and not any(shared <= each for each in shown)) or not by_words
        if name not in always and is_asked and adds:
            chosen.append(name)
        if name in always or is_asked:
            covered_by_name |= of_names
            covered |= shared if shared != of_names else set()
    return chosen[:limit]


def _common_words(sentence: str, written: AbstractSet[str]) -> Iterator[str]:
    for number, token in enumerate(_TOKEN.findall(sentence)):
        word = re.sub(r"\W", "", token)
        is_name = number and word[:1].isupper() and written.isdisjoint(split_words(word))
        if not is_name and (number or word.lower() not in _VERBS):
            yield word
