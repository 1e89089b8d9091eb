"""A contract: what a caller may know of a callee before calling it.

Its input and output are protocols. `remit.contracts.schema` implements them for pydantic models and Python types,
`remit.contracts.json_contract` for JSON schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from remit.contracts.arguments import Arguments
from remit.contracts.facts import Facts
from remit.contracts.question import content_digest
from remit.errors import ContractError
from remit.schemas.jsontext import canonical_text

NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

P = TypeVar("P", bound=BaseModel)
T_co = TypeVar("T_co", covariant=True)


class InputSchema(Protocol[P]):
    """What a callee takes. Binds arguments to a payload, and writes a payload as its one canonical text."""

    @property
    def json_schema(self) -> dict[str, Any]:
        """The parameters, as a model sees them."""
        ...

    @property
    def model(self) -> type[P]:
        """The class of its payloads."""
        ...

    def bind(self, arguments: Arguments, *, strict: bool = False) -> P:
        """The payload for raw arguments. Strict: no coercion, no unknown key, no key twice.

        Raises:
            InvalidArgumentsError: one line that names each wrong field.
        """
        ...

    def bind_values(self, values: Mapping[str, Any]) -> P:
        """The payload for arguments given by name in Python.

        Raises:
            InvalidArgumentsError: they do not fit.
        """
        ...

    def check_payload(self, payload: object) -> P:
        """``payload``, if it is one of this schema.

        Raises:
            InvalidArgumentsError: it is something else.
        """
        ...

    def dump_canonical(self, payload: P) -> str:
        """The canonical JSON of a payload, defaults included. Approvals and digests are bound to it.

        Raises:
            InvalidArgumentsError: JSON cannot hold the payload, or would read back as another.
        """
        ...

    def dump_arguments(self, payload: P) -> Arguments:
        """The arguments of a payload: what was set, without defaults.

        Raises:
            InvalidArgumentsError: as for `dump_canonical`, or they hold the value of a secret.
        """
        ...

    def load(self, text: str) -> P:
        """The payload whose canonical JSON is ``text``.

        Raises:
            ValueError: the schema does not allow it; `explain` gives the reason.
        """
        ...

    def explain(self, error: ValueError) -> str:
        """One line for an error of `load`, naming each wrong field."""
        ...


class OutputSchema(Protocol[T_co]):
    """What a callee gives. Checks a result, writes it as content for a model, and reads it back."""

    @property
    def json_schema(self) -> dict[str, Any]:
        """The result, for readers of a definition; empty for any."""
        ...

    @property
    def result_type(self) -> object:
        """The type of a result in Python."""
        ...

    def dump(self, value: object) -> tuple[T_co, str]:
        """The checked result and its content: text as it is, everything else as JSON.

        Raises:
            InvalidOutputError: the result does not fit, or JSON or UTF-8 cannot hold it.
        """
        ...

    def is_valid(self, value: object) -> bool:
        """Whether a value is a result as it stands, with nothing to convert."""
        ...

    def load(self, content: str) -> T_co:
        """The result whose content is ``content``.

        Raises:
            ValueError: it does not fit; `explain` gives the reason.
        """
        ...

    def load_json(self, content: str) -> JsonValue:
        """The result whose content is ``content``, as JSON has it.

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
        """When and why to call it, for a model."""
        ...

    @property
    def schema_in(self) -> InputSchema[Any]:
        """The payload it takes."""
        ...

    @property
    def schema_out(self) -> OutputSchema[Any]:
        """The result it gives."""
        ...

    @property
    def facts(self) -> Facts:
        """How it is governed: effect, risk, permissions and the like."""
        ...


def check_name(name: object) -> str:
    """The name, if a model may see it.

    Raises:
        ContractError: the name has characters or a length that providers refuse.
    """
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        raise ContractError(f"{name!r} is not a tool name: use 1 to 64 letters, digits, '_' or '-'")
    return name


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
    """A digest of everything in the definition that an approval is bound to."""
    facts = contract.facts
    governed = [facts.effect.value, facts.risk.value, *sorted(facts.permissions), str(facts.egress)]
    return content_digest(canonical_text(tool_definition(contract)), *governed)
