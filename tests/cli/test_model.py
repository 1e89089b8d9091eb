"""Which model: `REMIT_MODEL` alone decides, and weights are fetched only after somebody said yes."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from remit.cli.model import fetch_weights
from remit.cli.model_choice import EnvironmentModel, ModelChoice, choose_model
from remit.cli.status import UsageError
from remit.errors import SetupError
from remit.models.weights import BASE, SMALL
from tests.cli.kit import APP, Cli, Talk


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of weights."""
    monkeypatch.setenv("REMIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def fetched(cache: Path) -> Path:
    """The small model's weights, as far as a look at their size goes."""
    cache.mkdir(parents=True)
    path = cache / SMALL.filename
    with path.open("wb") as file:
        file.truncate(SMALL.size)
    return path


@pytest.mark.parametrize(
    ("said", "kind", "name"),
    [
        ({}, "local", "base"),
        ({"REMIT_MODEL": ""}, "local", "base"),
        ({"REMIT_MODEL": "local:small"}, "local", "small"),
        ({"REMIT_MODEL": "local:/a/b:c.gguf"}, "local", "/a/b:c.gguf"),
        ({"REMIT_MODEL": "openai:gpt-x:y"}, "openai", "gpt-x:y"),
        ({"REMIT_MODEL": "pydantic-ai:anthropic:claude-x"}, "pydantic-ai", "anthropic:claude-x"),
        ({"REMIT_MODEL": "scripted:a.json"}, "scripted", "a.json"),
    ],
)
def test_the_environment_says_kind_and_name(said: dict[str, str], kind: str, name: str) -> None:
    assert choose_model(said) == ModelChoice(kind=kind, name=name)


def test_only_weights_of_a_known_name_that_are_not_here_are_missing(fetched: Path) -> None:
    assert fetched.exists()
    assert ModelChoice(kind="local", name="base").missing_weights() is BASE
    assert ModelChoice(kind="local", name="small").missing_weights() is None
    assert ModelChoice(kind="local", name="/some.gguf").missing_weights() is None
    assert ModelChoice(kind="openai", name="base").missing_weights() is None


@pytest.mark.usefixtures("cache")
def test_without_a_terminal_weights_need_yes_and_nothing_is_begun(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMIT_MODEL")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    assert "this needs the model 'base' (Qwen2.5-Coder 1.5B" in done.err
    assert "1.1 GB, into " in done.err
    assert "download it with --yes, or with: remit model fetch base" in done.err
    assert cli.runs() == []


@pytest.mark.process
@pytest.mark.usefixtures("cache")
def test_in_a_terminal_one_is_asked_and_a_no_fetches_nothing(
    cli: Cli, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_MODEL", "local:small")
    with Talk("run", APP) as talk:
        shown = talk.until("Download it now?")
        assert "491 MB" in shown
        assert str(cache) in " ".join(shown.split())
        talk.type("n\n")
        assert talk.status() == 2
    assert not cache.exists()


@pytest.mark.usefixtures("fetched")
def test_weights_that_are_here_are_not_asked_about() -> None:
    fetch_weights(SMALL, yes=True, may_ask=False)


@pytest.mark.usefixtures("cache")
def test_nobody_to_ask_and_no_yes_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="remit model fetch small"):
        fetch_weights(SMALL, yes=False, may_ask=False)


def test_the_list_says_which_weights_are_here(cli: Cli, fetched: Path) -> None:
    models = {model["name"]: model for model in cli("model", "list", "--json").json["models"]}
    assert (models["small"]["path"], models["base"]["path"]) == (str(fetched), None)
    assert models["base"]["bytes"] == BASE.size
    lines = cli("model", "list").out.splitlines()
    assert str(fetched) in lines[1]
    assert lines[2].split()[:4] == ["base", "1.1", "GB", "no"]


def test_fetching_what_is_here_says_where(cli: Cli, fetched: Path) -> None:
    assert cli("model", "fetch", "small").out == f"{fetched}\n"
    assert cli("model", "fetch", "small", "--json").json["path"] == str(fetched)


def test_a_model_is_chosen_when_it_is_first_asked(tmp_path: Path) -> None:
    lazy = EnvironmentModel({"REMIT_MODEL": f"scripted:{tmp_path / 'none.json'}"})
    with pytest.raises(SetupError, match=r"none\.json is not a script"):
        asyncio.run(lazy.start())


def test_a_model_is_started_once_and_stopped_with_its_command(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text('{"script": ["hello"]}')

    async def use() -> None:
        lazy = EnvironmentModel({"REMIT_MODEL": f"scripted:{script}"})
        first, second = await asyncio.gather(lazy.start(), lazy.start())
        assert first is second
        await lazy.close()
        assert await lazy.start() is not first

    asyncio.run(use())


@pytest.mark.usefixtures("cache")
def test_a_check_refuses_weights_that_are_not_here() -> None:
    with pytest.raises(SetupError, match="get them with: remit model fetch base"):
        EnvironmentModel({}).check()


def test_an_endpoint_without_a_key_is_said_before_the_run_begins(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "openai:some-model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    assert "OPENAI_API_KEY is not set" in done.err
    assert cli.runs() == []


def test_a_model_of_pydantic_ai_is_asked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "pydantic-ai:openai-chat:gpt-x")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 1
    assert "remit: MODEL_ERROR: gpt-x of openai: " in done.err


@pytest.mark.parametrize(
    ("name", "why"),
    [("anthropic:claude-x", "anthropic"), ("nobody:x", "Unknown model: nobody:x"), ("x", "Unknown model: x")],
)
def test_a_provider_whose_package_is_missing_or_that_nobody_knows_is_said_before_the_run_begins(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.setenv("REMIT_MODEL", f"pydantic-ai:{name}")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    assert f"the model '{name}' cannot be had from PydanticAI: " in done.err
    assert why in done.err
    assert cli.runs() == []


def test_without_the_extra_it_is_said_how_to_get_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.delitem(sys.modules, "remit.models.pydantic_ai", raising=False)
    monkeypatch.setenv("REMIT_MODEL", "pydantic-ai:test")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    assert "install it with: pip install 'remit[pydantic-ai]'" in done.err


def test_an_endpoint_that_is_not_there_fails_the_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "openai:some-model")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 1
    assert "remit: MODEL_ERROR: some-model at http://127.0.0.1:9/v1/ cannot be reached" in done.err
