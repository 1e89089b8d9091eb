"""References: parameters by which a model names an object, by id or name, and the objects that they resolve to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Self, TypeGuard, cast

from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationInfo
from pydantic_core import CoreSchema, core_schema
from pydantic_core.core_schema import SerializationInfo

from remit.core.argument_types import Name
from remit.core.call_checks import check_arguments
from remit.core.names import show_hidden
from remit.errors import ContractError, InvalidArgumentsError, SetupError
from remit.schemas.core_nodes import iter_nodes
from remit.schemas.values import iter_values


@check_arguments()
@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that a reference may denote, returned by a resolver.

    Args:
        id: its id, unique within its kind.
        name: its name for people.
        revision: its present revision; empty if it has none.
        aliases: other names for it, such as a slug.
        noun: what people call such an object, if a resolver finds several sorts; by default the kind of the reference.
    """

    id: Name
    name: str
    revision: str = ""
    aliases: tuple[str, ...] = ()
    noun: str = ""

    def __post_init__(self) -> None:
        for name in ("id", "revision"):
            if len(getattr(self, name)) > _MAX_LENGTH:
                raise SetupError(f"Candidate: {name} is longer than {_MAX_LENGTH} characters; give a digest of it")


_MAX_LENGTH: Final = 200


_WORDS: Final = str.maketrans("-_", "  ")
"""The words of a kind: a ``change-set`` is a change set."""


def _describe_state(revision: str) -> str:
    if not revision:
        return ""
    return f", revision {revision}" if any(map(str.isdigit, revision)) else f", {revision}"  # such as open, for a set


def describe_candidate(candidate: Candidate, alias: str = "") -> str:
    """Describe id, name, alias and revision in one line: ``7 "Home" (home-2), revision 3``."""
    also = f" ({alias})" if alias else ""
    named = show_hidden(f'"{candidate.name}"{also}{_describe_state(candidate.revision)}', "")
    return f"{show_hidden(candidate.id, '')} {named}"


class Referent(str):
    """The id of a reference's resolved object, with its kind, name and revision."""

    __slots__ = ("kind", "name", "noun", "revision", "said")
    kind: str
    name: str
    revision: str
    said: str
    noun: str

    def __new__(cls, id: str, kind: str, name: str, revision: str, said: str = "", noun: str = "") -> Self:  # noqa: A002
        """``said`` is the text that was resolved, and ``noun`` that of the candidate, if known."""
        made = super().__new__(cls, id)
        made.kind, made.name, made.revision, made.said = kind, name, revision, said or id
        made.noun = noun or kind.translate(_WORDS)
        return made

    def __getnewargs__(self) -> tuple[str, str, str, str, str, str]:  # type: ignore[override]
        return str(self), self.kind, self.name, self.revision, self.said, self.noun

    def describe(self) -> str:
        """Describe the resolution for a person, who reads no id: ``“home” is the page “Home”, revision 3``."""
        said = "" if self.said in (self, self.name) else f"“{show_hidden(self.said, '')}” is "
        state = show_hidden(_describe_state(self.revision), "")
        return f"{said}the {show_hidden(self.noun, '')} “{show_hidden(self.name, '')}”{state}"


class Unresolved(str):
    """A text that has not been resolved."""

    __slots__ = ("kind",)
    kind: str


_FIELDS: Final = ("id", "name", "revision")


class ReferenceNotes(dict[str, Any]):
    """Collects the value of each reference that pydantic reads or writes with this context.

    It is a mapping without keys for an application's own validators, whose contexts usually are mappings.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []


def _note(value: str, context: object) -> None:
    if isinstance(context, ReferenceNotes):
        context.seen.append(value)


def find_references(payload: object) -> Iterator[Referent | Unresolved]:
    """All references in a payload."""
    return (each for each in iter_values(payload) if isinstance(each, (Referent, Unresolved)))


def check_references(adapter: TypeAdapter[Any], payload: object, notes: ReferenceNotes) -> None:
    """Refuse a payload if one of the noted references is in a position where it would not be resolved.

    Raises:
        InvalidArgumentsError: names the first such reference.
    """
    if not notes.seen:
        return
    found = {id(each): each for each in find_references(payload)}
    lost = [each for each in notes.seen if id(each) not in found]
    if not lost:
        return
    nodes = list(iter_nodes(adapter.core_schema))
    expected = _literals(nodes)
    if any(node["type"] in _DROPPING_TYPES for node in nodes):
        expected += [str(each) for each in found.values()]
    for text in lost:
        if text not in expected:
            raise InvalidArgumentsError(
                f"{str(text)!r} would not be resolved as a reference: it is a default, or a validator or the type of "
                "the parameter discards it; write Annotated[str, …, Reference(…)], in models, lists or values "
                "of dictionaries"
            )


_DROPPING_TYPES: Final = ("union", "set", "frozenset")
"""Schema types for which pydantic reads a value several times, or drops equal values."""


def _write(value: object, info: SerializationInfo[Any]) -> object:
    """The canonical form of a referent; any other value unchanged."""
    if isinstance(value, str) and not isinstance(value, Enum):
        _note(value, info.context)
    if not isinstance(value, Referent):
        return str.__str__(value) if isinstance(value, str) else value
    return {"id": str(value), "name": value.name, "revision": value.revision}


@check_arguments()
class Reference:
    """Marks a parameter as a reference: ``page: Annotated[str, Reference("page")]``.

    A model passes an id, or a name or alias of one object. Before policies see the call, the application's resolver for
    the kind finds the object: policies, the question and the function receive a `Referent`. Canonical arguments hold
    its id, name and revision. Constraints before the reference in the ``Annotated``, such as a length, apply to the
    model's text and not to the id.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: Name) -> None:
        self.kind = kind

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept a text or a referent's canonical form, and write the canonical form."""
        text = handler(str if source is Referent else source)
        if text["type"] != "str" and not text["type"].startswith("function-"):
            raise ContractError(
                f"{self!r} is not on a text; write Annotated[str, {self!r}], followed by | None if it is optional"
            )
        writer = core_schema.plain_serializer_function_ser_schema(_write, info_arg=True, when_used="json")
        metadata = {"remit_reference": self.kind}
        return core_schema.with_info_wrap_validator_function(self._read, text, serialization=writer, metadata=metadata)

    def _read(self, value: Any, read_text: Callable[[Any], Any], info: ValidationInfo[Any]) -> Any:
        made = self._make(value, read_text)
        _note(made, info.context)
        return made

    def _make(self, value: Any, read_text: Callable[[Any], Any]) -> Referent | Unresolved:
        if isinstance(value, Referent):
            return value
        if isinstance(value, dict):
            given = cast("dict[str, Any]", value)
            if given.keys() == set(_FIELDS) and all(isinstance(each, str) for each in given.values()):
                return Referent(given["id"], self.kind, given["name"], given["revision"])
        text = Unresolved(read_text(value))
        text.kind = self.kind
        return text

    def __repr__(self) -> str:
        return f"Reference({self.kind!r})"


def reference_kinds(adapter: TypeAdapter[Any]) -> frozenset[str]:
    """The kinds of references in a type.

    Raises:
        ContractError: a reference is in a position where it would not be resolved.
    """
    found = set[str]()
    for node in iter_nodes(adapter.core_schema):
        found.add(_kind_of(node))
        _check_place(node)
    return frozenset(found - {""})


def _kind_of(node: Mapping[str, Any]) -> str:
    metadata: Mapping[str, str] = node.get("metadata") or {}
    return metadata.get("remit_reference", "")


def _kind_in(schema: object) -> str:
    return next((kind for node in iter_nodes(schema) if (kind := _kind_of(node))), "")


def _kind_of_text(node: Mapping[str, Any]) -> str:
    """The kind of a value that is itself a reference, without looking inside it."""
    if node["type"] in ("nullable", "default", "function-after", "function-before"):
        return _kind_of_text(node["schema"])
    return _kind_of(node)


def _check_place(node: Mapping[str, Any]) -> None:
    """Refuse positions in the schema that would lose a reference; `check_references` finds the rest at run time."""
    inside = {"chain": node.get("steps", ())[:-1], "function-after": [node["schema"]] if "schema" in node else []}
    inside["function-wrap"] = inside["function-after"]
    for each in inside.get(node["type"], ()):
        if kind := _kind_of_text(each):
            raise ContractError(
                f"a validator or constraint follows Reference({kind!r}), which it would discard; "
                f"write it first: Annotated[str, …, Reference({kind!r})]"
            )
    if node["type"] == "deque" and (kind := _kind_in(node)):
        raise ContractError(f"Reference({kind!r}) is in a deque; use a list")
    default: object = node.get("default")
    if isinstance(default, (str, list, tuple, set, frozenset, dict)):
        literals, kind = _literals(iter_nodes(node["schema"])), _kind_in(node["schema"])
        if kind and any(type(each) is str and each not in literals for each in iter_values(node["default"])):
            raise ContractError(f"a parameter with Reference({kind!r}) has the default {default!r}; give none")


def _literals(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(each) for node in nodes if node["type"] == "literal" for each in node["expected"]]


def is_referent(value: object) -> TypeGuard[dict[str, str]]:
    """Whether a JSON value is a referent: an object with its id, its name and its revision."""
    return isinstance(value, dict) and cast("dict[str, object]", value).keys() == set(_FIELDS)


def ids_of_referents(value: object) -> object:
    """Replace each referent in a JSON value by its id, to compare the subjects of two calls."""
    if isinstance(value, list):
        return [ids_of_referents(each) for each in cast("list[object]", value)]
    if is_referent(value):
        return value["id"]
    if not isinstance(value, dict):
        return value
    parts = cast("dict[str, object]", value)
    return {name: ids_of_referents(each) for name, each in parts.items()}
