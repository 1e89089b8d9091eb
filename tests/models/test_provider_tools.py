"""Tools of providers reach the provider with their options, or are refused by the check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from remit import Agent, App, Runtime
from remit.agent import AgentDriver, NativeDriver, ProviderTool
from remit.chat.provider_tool import as_provider_tools
from remit.errors import NoModelError, SetupError
from remit.models import resolve_model
from remit.models.provider_tools import find_unsupported
from remit.testing import Scripted, superuser
from remit.workers import PydanticAIDriver
from remit.workers.reader import ReadResult, inspect_file
from tests.loopback import Endpoint, answering

LIMITED = ProviderTool(name="web_search", allowed_domains=["example.com"])
ANSWER: dict[str, Any] = {
    "id": "r",
    "object": "response",
    "created_at": 0,
    "model": "gpt-5",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "found", "annotations": []}],
        }
    ],
}


def agent_of(*tools: str | ProviderTool, model: Any = None) -> Agent:
    return Agent("agent", instructions="Search.", provider_tools=tools, model=model, driver=PydanticAIDriver())


async def test_options_reach_the_provider() -> None:
    async with Endpoint(answering(200, json.dumps(ANSWER))) as endpoint:
        model = OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(base_url=endpoint.url, api_key="k"))
        async with model:
            app = App(name="test", agents=[agent_of(LIMITED, model=model)])
            assert (await Runtime(app).run("Go.", by=superuser())).value() == "found"
    (sent,) = json.loads(endpoint.received[0])["tools"]
    assert (sent["type"], sent["filters"]) == ("web_search", {"allowed_domains": ["example.com"]})


@pytest.mark.parametrize(
    ("tool", "name", "why"),
    [
        (LIMITED, "openai-responses:gpt-5", ""),
        (ProviderTool(name="web_search", max_uses=3), "openai-responses:gpt-5", "has no max_uses for the tool"),
        (LIMITED, "openai-chat:gpt-4o-search-preview", "has no allowed_domains for the tool 'web_search'"),
        (LIMITED, "openai:gpt-5", "has no tool 'web_search'"),
        (ProviderTool(name="web_fetch", max_uses=3, blocked_domains=["a.b"]), "anthropic:claude-opus-4-8", ""),
        (LIMITED, "google:gemini-3-pro", "has no allowed_domains for the tool 'web_search'"),
        (LIMITED, "mistral:mistral-large-latest", "has no tool 'web_search'"),
        (LIMITED, "local:base", "has no tool 'web_search'"),
        ("x_search", "openai-responses:gpt-5", "has no tool 'x_search'"),
    ],
)
def test_a_model_without_a_tool_or_its_option_is_refused_in_one_line(
    tool: str | ProviderTool, name: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (found,) = list(resolve_model(name).unsupported_tools([tool]).values()) or [""]
    assert found.startswith(why)
    assert bool(found) is bool(why)


def test_every_fallback_must_have_the_option_and_what_is_left_out_silently_counts() -> None:
    class Groq(TestModel):
        @property
        def system(self) -> str:
            return "groq"

    profile = ModelProfile(supported_native_tools=frozenset({WebSearchTool}))
    search = [ProviderTool(name="web_search", max_uses=2)]
    capable, groq = TestModel(profile=profile), Groq(profile=profile)
    assert dict(find_unsupported(capable, search)) == {}
    refused = {"web_search": "has no max_uses for the tool 'web_search'"}
    assert dict(find_unsupported(FallbackModel(capable, groq), search)) == refused


@pytest.mark.parametrize(
    "model", [Scripted(["x"]), OpenAIChatModel("m", provider=OpenAIProvider(api_key="k")), "local:base"]
)
def test_an_agent_is_checked_before_its_model_is_asked(model: Any) -> None:
    with pytest.raises(NoModelError, match=r"agent agent cannot run here: the API of the model .* has no tool 'web_s"):
        agent_of(LIMITED, model=model).check_model()


def test_an_agent_takes_names_and_tools_with_options() -> None:
    agent = agent_of("code_execution", LIMITED)
    assert agent.provider_tools == ("code_execution", "web_search")
    assert [str(each) for each in agent.hosted_tools] == [
        "code_execution",
        'web_search {"allowed_domains":["example.com"]}',
    ]
    assert as_provider_tools("x", "web_search") == (ProviderTool(name="web_search"),)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ProviderTool(name="web_search", max_uses=0), "ProviderTool: max_uses: Input should be greater"),
        (lambda: ProviderTool(name="web_search", max_use=1), "no setting 'max_use'; did you mean max_uses"),  # pyright: ignore[reportCallIssue]
        (lambda: ProviderTool(name="web_fetch", blocked_domains=["http://x"]), "blocked_domains.0: not in the req"),
        (lambda: ProviderTool(name="web_fetch", blocked_domains="x.org"), "blocked_domains: "),
        (lambda: ProviderTool(name="web_search", allowed_domains=[]), "allowed_domains: is empty; name a domain"),
        (lambda: ProviderTool(name="web_search", blocked_domains=()), "blocked_domains: is empty; name a domain"),
        (lambda: ProviderTool(name="code_execution", max_uses=1), "code_execution has no max_uses; only web_search"),
        (
            lambda: ProviderTool(name="web_search", allowed_domains=["a"], blocked_domains=["b"]),
            "web_search has allowed_domains and blocked_domains; keep one",
        ),
        (lambda: agent_of("web_search", LIMITED), "provider_tools has 'web_search' twice; remove one"),
        (lambda: agent_of(5), "give the name of a tool, or ProviderTool"),  # pyright: ignore[reportArgumentType]
    ],
)  # fmt: skip
def test_wrong_options_are_explained_in_one_line(make: Any, said: str) -> None:
    with pytest.raises(SetupError) as error:
        make()
    assert said in error.value.message
    assert "\n" not in error.value.message


def test_a_worker_file_takes_names_and_options(tmp_path: Path) -> None:
    def inspect(value: str) -> ReadResult:
        path = tmp_path / "search.worker"
        path.write_text(f"---\nbuiltin_tools: {value}\n---\nSearch.\n")
        return inspect_file(path)

    definition = inspect("[code_execution, {name: web_search, max_uses: 3}]").worker
    assert definition is not None
    assert definition.builtin_tools == ("code_execution", ProviderTool(name="web_search", max_uses=3))
    (finding,) = inspect("[{name: code_execution, max_uses: 3}]").findings
    assert "code_execution has no max_uses; only web" in str(finding)
    (finding,) = inspect("[{name: web_search, allowed_domains: []}]").findings
    assert "is empty; name a domain" in str(finding)
    assert "\n" not in str(finding).rstrip()
    (finding,) = inspect("[web_search, {name: web_search, max_uses: 3}]").findings
    assert "builtin_tools names 'web_search' twice" in str(finding)


@pytest.mark.parametrize("driver", [NativeDriver(), PydanticAIDriver()], ids=repr)
async def test_a_model_that_knows_of_no_tools_of_a_provider_refuses_a_request_with_them(driver: AgentDriver) -> None:
    model = Scripted(["done"])
    agent = Agent("agent", instructions="Search.", provider_tools=["web_search"], model=model, driver=driver)
    result = await Runtime(App(name="test", agents=[agent])).run("Go.", by=superuser())
    assert (result.status, "has no tool 'web_search'" in result.reason) == ("stalled", True)
    assert model.requests == []
    with pytest.raises(NoModelError, match=r"agent agent cannot run here: the API of the model .* has no tool"):
        agent.check_model()
