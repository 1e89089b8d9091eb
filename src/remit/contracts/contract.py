"""A contract: what a caller may know of a callee before calling it."""

from __future__ import annotations

import re
from typing import Any, Final, Protocol

from remit.contracts.facts import Facts
from remit.contracts.question import content_digest
from remit.contracts.schema import Input, Output
from remit.errors import ContractError
from remit.schemas.jsontext import canonical_text

NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Contract(Protocol):
    """Name, description, payload in, payload out, facts."""

    @property
    def name(self) -> str:
        """The canonical name, as a model sees it."""
        ...

    @property
    def description(self) -> str:
        """When and why to call it, for a model."""
        ...

    @property
    def schema_in(self) -> Input[Any]:
        """The payload it takes."""
        ...

    @property
    def schema_out(self) -> Output[Any]:
        """The result it gives."""
        ...

    @property
    def facts(self) -> Facts:
        """What kind of thing it is."""
        ...


def check_name(name: str) -> str:
    """The name, if a model may see it.

    Raises:
        ContractError: the name has characters or a length that providers refuse.
    """
    if not NAME_PATTERN.fullmatch(name):
        raise ContractError(f"{name!r} is no tool name: use 1 to 64 letters, digits, '_' or '-'")
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
