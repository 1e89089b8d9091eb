"""The files and slices of an inventory: what cannot be read, or is not there, is said with its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from figures.notebook import NOTES, VOCABULARY, Env, Notebook, Notes, table
from remit.errors import SetupError
from remit.inventory.document import Inventory
from remit.inventory.reader import read_inventory
from remit.schemas.finding import InventoryError


def read(folder: Path) -> Inventory:
    return read_inventory(folder, table(Env(), Notes()), VOCABULARY)


def test_a_slice_that_there_is_not_is_refused_with_those_there_are(tmp_path: Path) -> None:
    Notebook(tmp_path).write()
    inventory = read(tmp_path)
    with pytest.raises(SetupError, match=r"has no slice office\.nope; available: office\.notes, office\.weather"):
        inventory.slice("office", "nope")
    nothing = replace(inventory, methods={}, tools={})
    with pytest.raises(SetupError, match=r"has no slice office\.notes; available: none"):
        nothing.slice("office", "notes")


def not_utf8(file: Path) -> None:
    file.write_bytes(b"domain: office\nsubdomain: caf\xe9\n")


def dangling(file: Path) -> None:
    file.symlink_to(file.with_name("nowhere"))


def nested(file: Path) -> None:
    file.write_text(f"domain: office\nmethods: {'[' * 2000}{']' * 2000}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("plant", "code", "where", "said"),
    [
        (not_utf8, "unreadable", "zz.yaml:2", "it is not UTF-8 text; save it as UTF-8"),
        (Path.mkdir, "unreadable", "zz.yaml:1", "it cannot be read: Is a directory; make it a file that can be read"),
        (dangling, "unreadable", "zz.yaml:1", "it cannot be read: No such file or directory; make it a file"),
        (nested, "yaml", "zz.yaml:2", "nested more than 100 levels deep; nest less deeply"),
    ],
    ids=["not UTF-8", "a folder", "a dangling link", "too deep"],
)
def test_a_file_that_cannot_be_read_is_found(
    tmp_path: Path, plant: Callable[[Path], None], code: str, where: str, said: str
) -> None:
    Notebook(tmp_path).write()
    plant(tmp_path / "zz.yaml")
    with pytest.raises(InventoryError) as raised:
        read(tmp_path)
    (found,) = raised.value.findings
    assert (found.code, found.where.rpartition("/")[2]) == (code, where)
    assert f"{found.what}; {found.fix}".startswith(said)


@pytest.mark.parametrize("said", ["1.0e+400", f"1{'0' * 400}"], ids=["a float", "a whole number"])
def test_a_time_that_never_ends_is_none(tmp_path: Path, said: str) -> None:
    Notebook(tmp_path).write(NOTES.replace("{template: authenticated_access,", f"{{timeout_seconds: {said},", 1))
    with pytest.raises(InventoryError) as raised:
        read(tmp_path)
    assert [each.where.rpartition("/")[2] for each in raised.value.findings] == ["notes.yaml:8"]
