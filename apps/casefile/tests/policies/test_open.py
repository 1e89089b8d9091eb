"""An inventory that leaves a casefile open, or looks at one that is not there, is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import BaseModel

from remit import LeafContext
from remit.inventory import InventoryError, Operations, read_inventory
from remit_casefile.policies.access_check import check_access_is_governed
from remit_casefile.policies.env import Env
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import VOCABULARY
from remit_casefile.storage.database import Database


class Nothing(BaseModel):
    """Names no casefile."""


class Usual(BaseModel):
    """Names one without being told."""

    casefile_id: str = "cf_260101_000001"


@dataclass
class Domain:
    """Two operations."""

    async def nothing(self, payload: Nothing) -> Nothing:
        """Do nothing."""
        return Nothing()

    async def usual(self, payload: Usual) -> Nothing:
        """Do something with the usual casefile."""
        return Nothing()

    async def plain(self, ctx: LeafContext, casefile_id: str) -> str:
        """Do something with a casefile."""
        return casefile_id


def operations(
    folder: Path, nothing: str = "", usual: str = "viewer", plain: str = "casefile_permission_level: viewer"
) -> Operations:
    """Both operations and a function, governed so."""
    text = f"""\
domain: workspace
subdomain: casefile
methods:
  nothing:
    classification: {{capability: read}}
    business_rules: {{{nothing}}}
  usual:
    classification: {{capability: read}}
    business_rules: {{casefile_permission_level: {usual}}}
  plain:
    classification: {{capability: read}}
    business_rules: {{{plain}}}
"""
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    env = Env(database=Database(folder / "casefile.db"))
    return Operations(read_inventory(folder, build_section_table(env, version="1.0"), VOCABULARY), (Domain(),))


@pytest.mark.parametrize("rule", ["requires_casefile: true", "casefile_permission_level: viewer"])
def test_rules_that_look_at_a_casefile_nobody_takes_are_refused(tmp_path: Path, rule: str) -> None:
    with pytest.raises(InventoryError) as refused:
        check_access_is_governed(operations(tmp_path, nothing=rule))
    assert refused.value.findings[0].what == "nothing takes no casefile_id, and its rules look at one"


def test_a_default_that_no_gate_would_see_and_a_function_that_is_open_are_refused_together(tmp_path: Path) -> None:
    with pytest.raises(InventoryError) as refused:
        check_access_is_governed(operations(tmp_path, plain="requires_auth: true"))
    assert [finding.what for finding in refused.value.findings] == [
        "usual takes a casefile_id with a default, which no gate would see",
        "plain takes a casefile_id, and nothing looks at its access list",
    ]
