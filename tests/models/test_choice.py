"""The operator's choice of a model is kept in one private file, and says nothing of its key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remit.errors import NoModelError, SetupError
from remit.models.choice import REHEARSAL, ChoiceFile, ModelChoice, find_default_model

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


def test_a_key_is_read_from_a_variable_for_keys_alone() -> None:
    assert ModelChoice(name="openai:x", key="env:X_API_KEY").read_key({"X_API_KEY": KEY}) == KEY
    with pytest.raises(NoModelError, match="X_API_KEY, which is not set"):
        ModelChoice(name="openai:x", key="env:X_API_KEY").resolve({})
    with pytest.raises(NoModelError, match=r"a name that ends in _API_KEY, such as env:OPENAI_API_KEY"):
        ModelChoice(name="openai:x", key="env:REMIT_DATABASE").read_key({"REMIT_DATABASE": "secret"})


def test_another_address_never_gets_the_key_of_the_environment() -> None:
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://one.example/v1"}
    model = ModelChoice(name="openai:x", address="https://two.example/v1").resolve(environ)
    assert model.origin == "x at two.example"
    assert KEY not in str(vars(model))
    assert ModelChoice(name="openai:x").resolve(environ).origin == "x at one.example"
    with pytest.raises(NoModelError, match="takes no address; write openai:NAME"):
        ModelChoice(name="anthropic:x", address="https://two.example").resolve(environ)
