"""A contract: the public description of a callee that callers may use before a call.

Its input and output are protocols. `remit.call.schema` implements them for pydantic models and Python types,
`remit.call.json_contract` for JSON schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from remit.call.facts import Facts
from remit.chat.wire import NAME_PATTERN
from remit.core.protocols import implements
from remit.errors import ContractError
from remit.record.arguments import Arguments, content_digest
from remit.schemas.jsontext import canonical_text
from remit.shown import show_value

_MAX_KEY_CHARS: Final = 200

P = TypeVar("P", bound=BaseModel)
T_co = TypeVar("T_co", covariant=True)


class InputSchema(Protocol[P]):
    """The input of a callee. Binds arguments to a payload and writes the payload's canonical JSON."""

    @property
    def json_schema(self) -> dict[str, Any]:
        """The parameters, as a model sees them."""
        ...

    @property
    def model(self) -> type[P]:
        """The class of its payloads."""
        ...

    @property
    def computes_defaults(self) -> bool:
        """Whether equal arguments may yield different payloads, because a default is computed, such as the time."""
        ...

    @property
    def references(self) -> frozenset[str]:
        """The kinds of objects that arguments refer to; see `Reference`."""
        ...

    def bind(self, arguments: Arguments, *, strict: bool = False) -> P:
        """Bind raw arguments to a payload. Strict: no coercion, no unknown keys, no duplicate keys.

        Raises:
            InvalidArgumentsError: one line that names each wrong field.
        """
        ...

    def bind_values(self, values: Mapping[str, Any]) -> P:
        """Bind arguments given by name in Python to a payload.

        Raises:
            InvalidArgumentsError: they do not fit.
        """
        ...

    def check_payload(self, payload: object) -> P:
        """Return ``payload`` if this schema accepts it.

        Raises:
            InvalidArgumentsError: it does not.
        """
        ...

    def dump_canonical(self, payload: P) -> str:
        """The canonical JSON of a payload, defaults included. Approvals and digests are bound to it.

        Raises:
            InvalidArgumentsError: JSON cannot represent the payload, or would load as a different one.
        """
        ...

    def dump_given(self, payload: P) -> str:
        """The canonical JSON of a payload without computed defaults: equal for requests that say the same.

        Raises:
            InvalidArgumentsError: as for `dump_canonical`, or computed defaults cannot be told from given values.
        """
        ...

    def dump_arguments(self, payload: P) -> Arguments:
        """The arguments of a payload that were set, without defaults.

        Raises:
            InvalidArgumentsError: as for `dump_canonical`, or they contain the value of a secret.
        """
        ...

    def load(self, text: str) -> P:
        """Load a payload from its canonical JSON.

        Raises:
            ValueError: the schema does not allow it; `explain` gives the reason.
        """
        ...

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`, naming each wrong field."""
        ...


class OutputSchema(Protocol[T_co]):
    """The output of a callee. Checks a result, writes it as content for a model, and loads it again."""

    @property
    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of the result; empty if any result is allowed."""
        ...

    @property
    def result_type(self) -> object:
        """The Python type of the result."""
        ...

    def dump(self, value: object) -> tuple[T_co, str]:
        """Check a result. Returns it with its content: text unchanged, everything else as JSON.

        Raises:
            InvalidOutputError: the result does not fit, or JSON or UTF-8 cannot represent it.
        """
        ...

    def load(self, content: str, *, strict: bool = False) -> T_co:
        """Load a result from its content strictly, without coercion, because a person may have written it.

        Raises:
            ValueError: it does not fit; `explain` gives the reason.
        """
        ...

    def load_json(self, content: str) -> JsonValue:
        """Load the result as a value of JSON types.

        Raises:
            ValueError: the content is not JSON.
        """
        ...

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`."""
        ...


class Contract(Protocol):
    """Name, description, input, output, facts."""

    @property
    def name(self) -> str:
        """The canonical name, as a model sees it."""
        ...

    @property
    def description(self) -> str:
        """Tells a model when and why to call the callee."""
        ...

    @property
    def schema_in(self) -> InputSchema[Any]:
        """The schema of the payload."""
        ...

    @property
    def schema_out(self) -> OutputSchema[Any]:
        """The schema of the result."""
        ...

    @property
    def facts(self) -> Facts:
        """The facts that govern calls: effect, risk, permissions and others."""
        ...


class HandsOver(Protocol):
    """The tool of a handoff. Calling it makes another agent take over."""

    @property
    def hands_over_to(self) -> str:
        """The name of that agent."""
        ...


def names_of(contract: Contract) -> tuple[str, ...]:
    """The names by which layers and rules select a callee's calls. A handoff also has the other agent's name.

    Thus a layer or rule that names an agent applies to its calls and to handoffs to it.
    """
    return (contract.name, contract.hands_over_to) if implements(contract, HandsOver) else (contract.name,)


def check_name(name: object, kind: str = "a tool") -> str:
    """Return the name if it is valid for models. ``kind`` is the kind of the named object, with an article.

    Raises:
        ContractError: the name has characters or a length that providers refuse.
    """
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        raise ContractError(f"{show_value(name)} is not {kind} name: use 1 to 64 letters, digits, '_' or '-'")
    return name


def check_callee_name(name: object) -> str:
    """Return a tool's name or a method's key, such as ``workspace.casefile.create_casefile``, which no model sees.

    Raises:
        ContractError: it is neither of these.
    """
    if isinstance(name, str) and "." in name and len(name) <= _MAX_KEY_CHARS:
        return ".".join(map(check_name, name.split(".")))
    return check_name(name)


def tool_definition(contract: Contract) -> dict[str, Any]:
    """The tool definition that a chat request carries."""
    return {
        "type": "function",
        "function": {
            "name": contract.name,
            "description": contract.description,
            "parameters": contract.schema_in.json_schema,
        },
    }


def definition_digest(contract: Contract) -> str:
    """A digest of every part of the definition to which an approval is bound."""
    facts = contract.facts
    governed = [facts.effect.value, facts.risk.value, *sorted(facts.permissions), str(facts.egress)]
    return content_digest(canonical_text(tool_definition(contract)), *governed)
