"""A public class refuses arguments that its constructor does not have in one line, wherever users construct it."""

from __future__ import annotations

import enum
import inspect
from importlib import import_module
from typing import Any, Final

import msgspec
import pytest
from pydantic import BaseModel

from remit import Client, Runtime
from remit.errors import SetupError
from tests.test_public_names import PUBLIC

MADE_BY_REMIT: Final = """
    AgentTools AuditFault AuditReport CallResult Caller ChatRequest CheckResult Client Completion ConversationRow
    Finding Grant History HtmlText HttpReply Inventory ListedRun LocalModel Log LogHead LogLine MethodDefinition
    ModelResolver OpenRun Page PlannedCall Question ReplayReport ResolvedModel RunDetails RunInfo RunResult RunRow Tag
    Tool ToolDefinition ToolDefinitions ToolInfo ToolText UserDirectory WorkerDefinition
"""
"""Classes whose objects users read, or get from a function or decorator, but do not construct."""
OTHER_CONSTRUCTORS: Final = frozenset({"Text", "UtcDateTime"})
"""Classes whose constructor takes any keyword, or is SQLAlchemy's."""


def constructed() -> dict[str, type[Any]]:
    """The public classes that users construct, apart from those whose constructor is not Python's."""
    found = {name: getattr(import_module(module), name) for module in PUBLIC for name in PUBLIC[module].split()}
    others = (BaseException, BaseModel, enum.Enum, msgspec.Struct, tuple, dict)
    return {
        name: each
        for name, each in found.items()
        if inspect.isclass(each)
        and not issubclass(each, others)
        and not getattr(each, "_is_protocol", False)
        and not inspect.isabstract(each)
        and inspect.isfunction(each.__init__)
        and name not in {*MADE_BY_REMIT.split(), *OTHER_CONSTRUCTORS}
    }


@pytest.mark.parametrize("name", constructed())
def test_a_constructor_refuses_a_keyword_that_it_does_not_have(name: str) -> None:
    with pytest.raises(SetupError, match=f"^{name} has no parameter 'q_q'; "):
        constructed()[name](q_q=1)


@pytest.mark.parametrize("kind", [Runtime, Client])
def test_a_method_refuses_a_keyword_that_it_does_not_have(kind: type[Any]) -> None:
    methods = [each for each in dir(kind) if not each.startswith("_") and inspect.isfunction(getattr(kind, each))]
    assert len(methods) > 10
    for each in set(methods) - {"call", "call_at", "call_in_conversation"}:  # whose keywords are those of a tool
        assert getattr(kind, each).__wrapped__.__name__ == each
