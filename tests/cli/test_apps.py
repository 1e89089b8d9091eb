"""An application is found by the name it is installed under, or by where it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from remit.cli.apps import collect_tools, find_app, installed_apps
from remit.cli.status import NoSuchError
from remit.errors import RemitError, SetupError
from tests.cli import shop


def test_an_entry_point_gives_an_application_or_makes_one() -> None:
    assert find_app("shop", {"shop": lambda: shop.app}) is shop.app
    assert find_app("shop", {"shop": lambda: shop.made}) is shop.app


def test_a_module_and_attribute_give_one_too() -> None:
    assert find_app("tests.cli.shop:app", {}) is shop.app
    assert find_app("tests.cli.shop:made", {}) is shop.app


def test_the_present_folder_is_searched_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corner_shop.py").write_text("from remit import App\napp = App(name='corner')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert find_app("corner_shop:app", {}).name == "corner"


def test_an_unknown_name_is_said_with_those_that_are_installed() -> None:
    with pytest.raises(
        NoSuchError, match=r"no application 'shap' is installed \(available: cms, shop\); similar: shop"
    ):
        find_app("shap", {"shop": lambda: shop.app, "cms": lambda: shop.app})


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("tests.cli.shop:number", "is not an application but int"),
        ("tests.cli.shop:made_later", "comes from an async function"),
        ("tests.cli.shop:broken", "cannot be loaded: RuntimeError: no shelf"),
        ("tests.cli.shop:nothing", "cannot be loaded: AttributeError: "),
        ("tests.cli.nowhere:app", "cannot be loaded: ModuleNotFoundError: No module named 'tests.cli.nowhere'"),
        ("tests.cli.shop:_book", "cannot be loaded: TypeError: "),
    ],
)
def test_what_is_no_application_is_refused_with_why(where: str, said: str) -> None:
    with pytest.raises(SetupError) as raised:
        find_app(where, {})
    assert said in raised.value.message


def test_an_error_of_remit_while_loading_is_told_as_it_is() -> None:
    def load() -> object:
        raise RemitError("as it is")

    with pytest.raises(RemitError, match="as it is"):
        find_app("shop", {"shop": load})


def test_an_entry_point_is_named_like_its_application_so_that_its_runs_are_found_again() -> None:
    with pytest.raises(SetupError, match="gives the application 'shop'; give both the same name"):
        find_app("store", {"store": lambda: shop.app})


def test_the_cms_is_installed() -> None:
    assert "cms" in installed_apps()


def test_tools_of_an_application_are_each_there_once() -> None:
    names = [tool.name for tool in collect_tools(shop.app)]
    assert len(names) == len(set(names))
    assert {"find", "restock"} <= set(names)
    assert [tool.name for tool in collect_tools(shop.other)] == ["find"]
