"""The sentence of a call, rendered from its contract: the one that every display shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Struct

from remit.call.callee import AgentLike
from remit.call.contract import Contract
from remit.call.entity import Entity, entities_of
from remit.call.facts import Effect, Facts
from remit.call.sentence_checks import WHOLE_RESULT
from remit.call.sentences import Optional, Sentences, Template, Tense, Value, decapitalize, sentences_of_name
from remit.core.argument_types import Checked
from remit.core.call_checks import check_types
from remit.core.checks import wrong_value
from remit.core.protocols import implements
from remit.record.question import Question
from remit.record.sentence import Sentence
from remit.schemas.verbs import split_name
from remit.views.parts import CallState, CallView, only_announces
from remit.views.values import describe_value, is_referent, show_line


def _check_contract(what: str, value: object) -> None:
    if not isinstance(getattr(value, "facts", None), Facts):
        raise wrong_value(what, value, "give a tool or an agent, or None if it is not known any more")


KnownContract = Annotated[Contract, Checked(_check_contract)]
"""The contract of a tool or an agent, such as the tool itself."""

Form = Literal["asked", "running", "done", "refused", "failed", "unknown", "announced"]
"""The forms in which a sentence is rendered: those that a tool declares, and three that follow from ``asked``."""

_FORMS: Final[Mapping[CallState, Form]] = {
    "asked": "asked",
    "running": "running",
    "done": "done",
    "denied": "refused",
    "failed": "failed",
    "unknown": "unknown",
}
_OPENINGS: Final[Mapping[Form, str]] = {
    "failed": "Could not ",
    "unknown": "Tried to ",
    "announced": "Asked whether to ",
}
_LEADING: Final = frozenset({"a", "an", "the", "to", "of", "for", "with", "about", "at", "in", "on", "from", "by"})
"""Words that lead to a value, and say nothing without it."""

_MAX_LENGTH: Final = 300
_MAX_ARGUMENTS: Final = 3


FindContract = Callable[[str], Contract | None]
"""Finds the contract of a tool by its name; None if the application does not offer it."""

_MISSING: Final = object()


class UndoCall(Struct, frozen=True, kw_only=True):
    """The call that undoes a call: a tool by name, and its arguments as JSON."""

    tool: str
    arguments: str


class _Values(Struct, frozen=True):
    """What a sentence can show: the arguments of a call, its result, and the objects whose names are known."""

    arguments: Mapping[str, Any]
    result: object = None
    objects: Sequence[Entity] = ()
    names: Mapping[str, str] = {}
    at_default: Collection[str] = ()

    def find(self, value: Value, missing: object = None) -> object:
        """The value of that name: an argument, or else a field of the result; ``missing`` if there is none."""
        found = missing
        inner = _at_path(self.result, ("result",), None)  # next to a notice for the model
        for source in (self.arguments, self.result, inner):
            found = _at_path(source, value.path, found)
            if found is not None and found is not missing:
                return found
        return self.result if value.path == (WHOLE_RESULT,) else found

    def describe(self, value: Value) -> str:
        """The value of that name for people; empty if it is missing."""
        field, name = value.path[-1], self.names.get(".".join(value.path))
        return show_line(name) if name else describe_value(self.find(value), lambda given: self._name(field, given))

    def _name(self, field: str, given: str) -> str:
        """The name of the object that a field of that name refers to by ``given``."""
        named = (each.name for each in self.objects if each.id == given and _may_refer(field, each.kind))
        return next(named, "")


@check_types
def sentence_of(call: CallView, contract: KnownContract | None, form: Form | None = None) -> Sentence:
    """What a call does, as far as it is on record, in the form of its present state or in ``form``.

    ``contract`` is that of its tool; None if the tool is not known any more.
    """
    made = form or ("announced" if call.state == "done" and only_announces(call, contract) else _FORMS[call.state])
    return _render(call.tool, contract, _values_of_call(call, contract), made)


@check_types
def sentence_of_arguments(
    tool: str,
    contract: KnownContract | None,
    arguments: str,
    form: Form = "asked",
    *,
    names: Mapping[str, str] = {},
    at_default: Collection[str] = (),
) -> Sentence:
    """What a call of ``tool`` with these arguments (JSON) would do.

    ``names`` are shown instead of the arguments of these names, which hold ids. Arguments ``at_default`` are shown only
    where the tool's own sentence names them.
    """
    return _render(tool, contract, _Values(_as_object(arguments), names=names, at_default=at_default), form)


@check_types
def sentence_of_question(question: Question, contract: KnownContract | None = None) -> Sentence:
    """What the call of a question would do: the sentence on record, which the person saw."""
    return question.sentence or sentence_of_arguments(question.tool, contract, question.arguments)


@check_types
def consequence_of(facts: Facts, find_contract: FindContract) -> str:
    """What follows from a call, for the person who decides: does data leave the system, and is there an undo.

    An undo counts if ``find_contract`` finds its tool, which the application must offer.
    """
    has_undo = facts.undo is not None and find_contract(facts.undo.tool) is not None
    leaves = "It sends data out of the system." if facts.egress else ""
    if facts.effect is Effect.PURE:
        return leaves or "It changes nothing."
    if facts.effect is Effect.COMPOSED and not has_undo:
        return leaves or "It makes calls of its own, which the policy judges one by one."
    undo = "It can be undone." if has_undo else "There is no undo for it."
    return " ".join(filter(None, [leaves, undo]))


@check_types
def undo_of(call: CallView, find_contract: FindContract) -> UndoCall | None:
    """The call that undoes a call that was made; None if there is none, or a value for it is missing.

    ``find_contract`` finds the tool of the call and that of its undo, which the application must offer.
    """
    contract = find_contract(call.tool)
    if contract is None:
        return None
    _check_contract("undo_of: the result of find_contract", contract)
    undo = contract.facts.undo
    if undo is None or call.state != "done" or find_contract(undo.tool) is None or only_announces(call, contract):
        return None
    values, arguments = _values_of_call(call, contract), dict[str, object]()
    for name, value, constant in undo.values():
        found = constant if value is None else values.find(value, _MISSING)
        if found is _MISSING:
            return None
        arguments[name] = _id_of(found)
    return UndoCall(tool=undo.tool, arguments=json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def _render(tool: str, contract: Contract | None, values: _Values, form: Form) -> Sentence:
    says = None if contract is None else contract.facts.says
    parts = None if says is None else _fill(_template(says, form), values)
    if parts is None:
        of_name = (
            _sentences_of_agent(contract.name)
            if contract is not None and implements(contract, AgentLike)
            else sentences_of_name(tool or "a tool")
        )
        template = _template(of_name, form)
        if says is not None and of_name.asked.startswith("Use "):  # its name begins with no verb
            template = _first_words(_template(says, form)) or template
        parts = [*_words(template), *_subject(values)]
    return Sentence(tuple(_merge(_cut(parts))))


@lru_cache(maxsize=256)
def _sentences_of_agent(name: str) -> Sentences:
    return Sentences(f"Ask|Asking|Asked the agent {name}")


def _template(says: Sentences, form: Form) -> Template:
    if form not in _OPENINGS:
        return says.parts(cast("Tense", form))
    asked = says.parts("asked")
    first = asked[0] if asked and isinstance(asked[0], str) else ""
    return (_OPENINGS[form] + decapitalize(first), *(asked[1:] if first else asked))


def _first_words(template: Template) -> Template:
    """The words of a sentence before its first value, without those that only lead to it."""
    words = template[0].split() if template and isinstance(template[0], str) else []
    while words and words[-1].lower() in _LEADING:
        words.pop()
    return (" ".join(words),) if words else ()


def _words(template: Template) -> Iterator[tuple[str, bool]]:
    """The words of a sentence that has no values."""
    return ((show_line(part), False) for part in template if isinstance(part, str))


def _fill(template: Template, values: _Values) -> list[tuple[str, bool]] | None:
    """The pieces of a sentence; None if a value is missing."""
    pieces = list[tuple[str, bool]]()
    for part in template:
        several = part.parts if isinstance(part, Optional) else (part,)
        made = [(each, False) if isinstance(each, str) else (values.describe(each), True) for each in several]
        if all(text for text, _ in made):
            pieces += made
        elif not isinstance(part, Optional):
            return None
    return pieces


def _subject(values: _Values) -> Iterator[tuple[str, bool]]:
    """What a call is about, for a tool that does not say it: the objects that it reported, or its arguments."""
    named = list(dict.fromkeys(each.name for each in values.objects))
    if named:
        yield ": ", False
        yield describe_value(named), True
        return
    given = ((name, each) for name, each in values.arguments.items() if name not in values.at_default)
    simple = ((name, each) for name, each in given if not isinstance(each, bool))
    shown = [(name, text) for name, each in simple if (text := describe_value(each))]
    for at, (name, text) in enumerate(shown[:_MAX_ARGUMENTS]):
        yield f"{', ' if at else ': '}{show_line(name.replace('_', ' '), 30)} ", False
        yield text, True


def _values_of_call(call: CallView, contract: Contract | None) -> _Values:
    result = _read_result(call)
    described = () if call.output is None or contract is None else entities_of(call.output, contract)
    changed = (Entity(each.kind, each.id, each.name) for each in call.changes if each.name)
    at_default = call.questions[-1].question.at_default if call.questions else ()
    return _Values(_as_object(call.made_with), result, (*changed, *described), at_default=at_default)


def _read_result(call: CallView) -> object:
    """The result of a call as JSON types; None until it has succeeded."""
    if call.output is None or call.output.outcome != "ok":
        return None
    with suppress(ValueError, RecursionError):
        return cast("object", json.loads(call.content))
    return call.content


def _as_object(text: str) -> Mapping[str, Any]:
    with suppress(ValueError, RecursionError):
        found = cast("object", json.loads(text))
        if isinstance(found, dict):
            return cast("dict[str, Any]", found)
    return {}


def _at_path(value: object, path: tuple[str, ...], missing: object) -> object:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return missing
        value = cast("dict[str, object]", value)[name]
    return value


def _may_refer(field: str, kind: str) -> bool:
    """Whether a field of that name may hold the id of an object of that kind: ``pageId`` or ``page_ids`` of a page."""
    words, wanted = split_name(field), split_name(kind)
    if words and words[-1] in ("id", "ids", "ID"):
        words = words[:-1]
    return not words or words[-len(wanted) :] in (wanted, [*wanted[:-1], f"{wanted[-1]}s"])


def _id_of(value: object) -> object:
    """The argument for a value: of a resolved reference, its id."""
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, object]", value)
    return fields["id"] if is_referent(fields) else fields


def _cut(pieces: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """The pieces up to the length of a sentence."""
    left = _MAX_LENGTH
    for text, is_name in pieces:
        if len(text) > left:
            yield f"{text[: left - 1]}…", is_name
            return
        left -= len(text)
        yield text, is_name


def _merge(pieces: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """The pieces, those of the words of the author joined."""
    before = ""
    for text, is_name in pieces:
        if not is_name:
            before += text
            continue
        if before:
            yield before, False
        before = ""
        yield text, True
    if before:
        yield before, False
