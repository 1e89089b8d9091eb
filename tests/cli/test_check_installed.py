"""The applications that are installed hold every point of the checklist."""

from __future__ import annotations

import json

import pytest

from remit.inventory.drift import CHECKLIST
from tests.cli.kit import Cli


@pytest.mark.parametrize("app", ["cms", "casefile"])
def test_an_installed_application_holds_all_points(cli: Cli, app: str) -> None:
    done = cli("check", app)
    assert done.status == 0, done.out
    points, *entities = done.out.split("\n\n")
    rows = [line.split()[:3] for line in points.splitlines()[1:]]
    assert entities
    assert [(name, found) for name, _, found in rows] == [(name, "0") for name in CHECKLIST]
    assert len(CHECKLIST) == 8


def test_each_point_of_the_casefile_application_has_been_looked_at(cli: Cli) -> None:
    told = json.loads(cli("check", "casefile", "--json").out)
    assert told["holds"] is True
    assert all(point["looked_at"] > 0 for point in told["points"])
