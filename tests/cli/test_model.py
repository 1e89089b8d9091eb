"""Which model: `REMIT_MODEL` alone decides, and weights are fetched only after somebody said yes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from remit.cli.model import fetch_weights, missing_weights
from remit.cli.status import UsageError
from remit.models.local import LocalModel
from remit.models.resolve import resolve_model
from remit_local.weights import BASE, SMALL
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


def weights_of(name: str) -> LocalModel:
    found = resolve_model(name).find_weights()
    assert found is not None
    return found


def test_only_weights_of_a_known_name_that_are_not_here_are_missing(fetched: Path) -> None:
    assert fetched.exists()
    assert missing_weights(resolve_model("local:base")) == weights_of("local:base")
    assert missing_weights(resolve_model("local:small")) is None
    assert missing_weights(resolve_model("local:/some.gguf")) is None
    assert missing_weights(resolve_model("openai:base")) is None


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
    fetch_weights(weights_of("local:small"), yes=True, may_ask=False)


@pytest.mark.usefixtures("cache")
def test_nobody_to_ask_and_no_yes_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="remit model fetch small"):
        fetch_weights(weights_of("local:small"), yes=False, may_ask=False)


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


@pytest.mark.parametrize("words", [("run", APP, "--ask", "hello"), ("model", "list"), ("model", "fetch", "base")])
def test_without_the_package_of_local_models_each_command_says_in_one_line_how_to_get_it(
    words: tuple[str, ...], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_MODEL", "local:base")
    monkeypatch.setattr("remit.models.local.ENTRY_POINT_GROUP", "none.installed")
    done = cli(*words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert (
        "local models need remit-local; in a checkout of Remit, run: pip install ./packages/remit-local; " in done.err
    )
    assert cli.runs() == []


def test_a_model_of_pydantic_ai_is_asked(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "pydantic-ai:openai-chat:gpt-x")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 3
    assert "stalled: MODEL_UNAVAILABLE: gpt-x of openai: " in done.err


def test_without_the_extra_it_is_said_how_to_get_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.delitem(sys.modules, "remit.models.pydantic_ai", raising=False)
    monkeypatch.setenv("REMIT_MODEL", "pydantic-ai:test")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 2
    assert "in a checkout of Remit, run: pip install '.[pydantic-ai]'" in done.err


def test_an_endpoint_that_cannot_be_reached_stalls_the_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMIT_MODEL", "openai:some-model")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = cli("run", APP, "--ask", "hello")
    assert done.status == 3
    assert "stalled: MODEL_UNAVAILABLE: some-model at http://127.0.0.1:9/v1/ cannot be reached" in done.err
    (row,) = cli.runs()
    assert row.status == "stalled"
    assert f"nothing is lost: run `remit executor --app {APP}` to try again at " in done.err
    assert f"or now:  remit resume {row.run} --app {APP}\n" in done.err
