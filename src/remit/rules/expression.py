"""Tests of rules as expressions in CEL, compiled when they are made."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from remit.approvals.earlier_calls import DeclaredTest
from remit.call.call import Call
from remit.core.call_checks import check_arguments
from remit.core.checks import check_name
from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.schemas.suggestions import suggest
from remit.shown import show_value

VARIABLES: Final = {
    "args": "the validated arguments of the call, by name",
    "tool": "the name of the tool or agent",
    "effect": "its effect, such as `unsafe`",
    "risk": "its risk: `safe`, `moderate` or `high`",
    "egress": "whether it sends data out of the system",
    "agent": "the name of the agent that makes the call, or an empty text",
    "principal": "who it is made for: `name`, `tenant`, `roles` and `permissions`",
    "target": "the target of the run, or an empty text",
}
"""The names that an expression can use, with what they mean."""

_MACRO: Final = re.compile(r"\.\s*(?:all|exists|exists_one|filter|map)\s*\(\s*([A-Za-z_]\w*)\s*,")
_PLACE: Final = re.compile(r"ERROR: <input>:1:(\d+): (?:Syntax error: )?(.*?)(?: expecting .*)?\n")


@check_arguments()
class Expression(DeclaredTest):
    """A test in CEL, such as ``args.euros > 500.0 && !(principal.name in ['ada'])``. An error in it denies the call.

    Args:
        text: the expression, which must be true or false. ``args``, ``principal`` and other `VARIABLES` are known.

    Raises:
        SetupError: the text is no expression, or uses an unknown name; or the extra ``rules`` is not installed.
    """

    __slots__ = ("_names", "_program", "text")

    def __init__(self, text: str) -> None:
        check_name("Expression: text", text, remedy="give an expression, such as args.euros > 500.0")
        self.text = text
        self._program = _compile(text)
        names = set[str](self._program.variables()) - set(_MACRO.findall(text))
        for name in sorted(names - VARIABLES.keys()):
            raise SetupError(f"Expression: there is no {show_value(name)} in {text}; {suggest(name, VARIABLES)}")
        self._names = frozenset(names)

    def __call__(self, call: Call, /) -> bool:
        """Whether the expression is true for a call. Whatever it raises denies the call; see `Policy.verdict`."""
        return self._program.execute(_values(call, self._names))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def _compile(text: str) -> Any:
    try:
        import cel  # noqa: PLC0415 - an extra, needed where an expression is made
    except ModuleNotFoundError as error:
        raise SetupError(f"an expression needs common-expression-language; {install_hint('rules')}") from error
    try:
        return cel.compile(text)
    except Exception as error:
        found = _PLACE.search(str(error))
        problem = f"{found[2]} at character {found[1]}" if found else " ".join(str(error).split())[:200]
        raise SetupError(f"Expression: {show_value(text)} is not CEL: {problem}") from error


def _values(call: Call, names: frozenset[str]) -> dict[str, Any]:
    """The values of the names that an expression uses."""
    values: dict[str, Any] = {}
    facts, by = call.callee.facts, call.caller.principal
    for name in names:
        match name:
            case "args":
                values[name] = (
                    json.loads(call.canonical_arguments) if call.canonical_arguments else call.arguments.value
                )
            case "tool":
                values[name] = call.callee.name
            case "effect":
                values[name] = facts.effect.value
            case "risk":
                values[name] = facts.risk.value
            case "egress":
                values[name] = facts.egress
            case "agent":
                values[name] = call.caller.agent
            case "target":
                values[name] = call.caller.target
            case _:
                sets = {"roles": sorted(by.roles), "permissions": sorted(by.permissions)}
                values[name] = {"name": by.name, "tenant": by.tenant, **sets}
    return values
