"""The operator's choice of a model is kept in one private file, and says nothing of its key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remit.errors import NoModelError, SetupError
from remit.models.choice import REHEARSAL, ChoiceFile, ModelChoice, find_default_model
from remit.models.secret_key import bare_address, without_key

KEY = "canary-of-a-key"


def test_the_environment_comes_first_then_the_choice_and_then_the_default() -> None:
    choice = ModelChoice(name="openai:y")
    assert find_default_model({"REMIT_MODEL": "openai:x"}, choice).name == "openai:x"
    assert find_default_model({"REMIT_MODEL": ""}, choice).name == "openai:y"
    assert find_default_model({}, ModelChoice(name=REHEARSAL)).name == find_default_model({}).name == "local:base"


def test_a_choice_is_kept_for_its_owner_alone_until_it_is_removed(tmp_path: Path) -> None:
    file = ChoiceFile(tmp_path)
    assert file.read() is None
    for name in ("openai:x", "openai:y"):
        file.write(ModelChoice(name=name, key=KEY))
    assert file.read() == ModelChoice(name="openai:y", key=KEY)
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    assert file.path.stat().st_mode & 0o777 == 0o600
    file.remove()
    file.remove()
    assert file.read() is None


@pytest.mark.parametrize("content", ["", "[]", '{"name": 1}', '{"name": "a", "more": 1}'])
def test_a_file_that_is_no_choice_is_refused_without_its_content(tmp_path: Path, content: str) -> None:
    file = ChoiceFile(tmp_path)
    file.path.write_text(content)
    with pytest.raises(SetupError, match=r"model\.json is not the choice of a model: .*; remove it, and choose again"):
        file.read()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_that_others_can_change_is_refused(tmp_path: Path) -> None:
    file = ChoiceFile(tmp_path)
    file.write(ModelChoice(name="openai:x"))
    file.path.chmod(0o666)
    with pytest.raises(SetupError, match="others can write"):
        file.read()


@pytest.mark.parametrize(("key", "source"), [(KEY, "kept on the server"), ("env:X_API_KEY", "env:X_API_KEY"), ("", "")])
def test_where_a_key_is_can_be_told_and_the_key_cannot(key: str, source: str) -> None:
    choice = ModelChoice(name="openai:x", key=key)
    assert choice.key_source == source
    assert KEY not in repr(choice)


def test_a_key_is_read_from_the_variable_of_its_provider_alone() -> None:
    assert ModelChoice(name="openai:x", key="env:OPENAI_API_KEY").read_key({"OPENAI_API_KEY": KEY}) == KEY
    with pytest.raises(NoModelError, match="OPENAI_API_KEY, which is not set"):
        ModelChoice(name="openai:x", key="env:OPENAI_API_KEY").resolve({})
    for variable in ("REMIT_DATABASE", "STRIPE_API_KEY", "PATH", ""):
        with pytest.raises(
            NoModelError, match=r"from no variable .*; write env:OPENAI_API_KEY, or give the key itself"
        ):
            ModelChoice(name="openai:x", key=f"env:{variable}").read_key({variable: "secret"})
    with pytest.raises(NoModelError, match="give it no key"):
        ModelChoice(name="local:base", key="env:LOCAL_API_KEY").check()


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai-responses:x", "OPENAI_API_KEY"),
        ("pydantic-ai:anthropic:x", "ANTHROPIC_API_KEY"),
        ("google-cloud:x", "GEMINI_API_KEY"),
        ("bedrock-mantle:x", "AWS_BEARER_TOKEN_BEDROCK"),
        ("github-copilot:x", "GITHUB_COPILOT_API_KEY"),
        ("gateway/openai:x", "PYDANTIC_AI_GATEWAY_API_KEY"),
    ],
)
def test_each_provider_has_its_own_variable(name: str, variable: str) -> None:
    assert ModelChoice(name=name, key=f"env:{variable}").read_key({variable: KEY}) == KEY


def test_another_address_never_gets_a_key_of_the_environment() -> None:
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://one.example/v1"}
    model = ModelChoice(name="openai:x", address="https://two.example/v1").resolve(environ)
    assert model.origin == "x at two.example"
    assert KEY not in str(vars(model))
    assert ModelChoice(name="openai:x").resolve(environ).origin == "x at one.example"
    with pytest.raises(NoModelError, match="takes no address; write openai:NAME"):
        ModelChoice(name="anthropic:x", address="https://two.example").resolve(environ)
    with pytest.raises(NoModelError, match="is sent no key of the environment; give the key itself"):
        ModelChoice(name="openai:x", key="env:OPENAI_API_KEY", address="https://two.example/v1").resolve(environ)


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{KEY}@two.example/v1",
        f"https://{KEY}@two.example/v1",
        f"https://two.example/v1?api-key={KEY}",
        f"https://two.example/v1#{KEY}",
        f"https://user:{KEY}/@two.example/v1",
        f"https://user:{KEY}@two.example:port/v1",
        f"https://[{KEY}",
        f"ftp://{KEY}",
        KEY,
    ],
)
def test_an_address_that_may_have_a_secret_is_refused_and_not_repeated(address: str) -> None:
    choice = ModelChoice(name="openai:x", address=address)
    with pytest.raises(NoModelError, match=r"the address of the endpoint .*write (one|it) like https://") as raised:
        choice.resolve({})
    assert KEY not in str(raised.value)


def test_errors_repeat_neither_the_key_nor_a_header_that_an_endpoint_repeats() -> None:
    said = '{"Authorization": "Basic dXNlcjpwYTU1d29yZA==", "key": "canary-of-a-key", "note": "basic authorization"}'
    told = '{"Authorization": "Basic [key]", "key": "[key]", "note": "basic authorization"}'
    assert without_key(said, KEY) == told
    assert without_key("bad key Bearer abc.def-1, sorry", "none") == "bad key Bearer [key], sorry"


def test_an_address_is_shown_without_what_may_be_a_secret() -> None:
    assert bare_address(f"http://user:{KEY}@two.example:8080/v1?key={KEY}#x") == "http://two.example:8080/v1"
    assert bare_address(f"http://user:{KEY}/@two.example/v1") == bare_address("http://[x") == "[address]"
