"""The Google tools as the inventory governs them, for clients at the fake."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import remit_casefile
from remit import App, Principal, Runtime
from remit.inventory import Inventory, Operations, read_inventory
from remit.runtime import RunResult
from remit.tools import Arguments
from remit_casefile.google.operations import ClientsOfCaller, DriveOperations, GmailOperations, SheetsOperations
from remit_casefile.google.tools import with_google_hooks
from remit_casefile.policies.env import Env
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import VOCABULARY
from remit_casefile.storage.database import Database

ANN = Principal("ann", permissions=frozenset({"*"}))
FOLDER = Path(remit_casefile.__file__).parent / "inventory"
SLICES = (("communication", "gmail"), ("workspace", "google_drive"), ("workspace", "google_sheets"))


@cache
def inventory() -> Inventory:
    """The inventory of the application. Nothing of these slices touches the database."""
    return read_inventory(
        FOLDER, build_section_table(Env(database=Database(Path("unused.db"))), version="1.0"), VOCABULARY
    )


def operations(clients: ClientsOfCaller) -> tuple[Operations, ...]:
    """The operations on Google, slice by slice."""
    domains = (GmailOperations(clients), DriveOperations(clients), SheetsOperations(clients))
    made = (Operations(inventory().slice(*named), (domain,)) for named, domain in zip(SLICES, domains, strict=True))
    return tuple(each.with_tools(partial(with_google_hooks, clients)) for each in made)


def google_app(clients: ClientsOfCaller) -> App:
    """An application of the Google tools alone."""
    return App(name="casefile", tools=tuple(tool for each in operations(clients) for tool in each.callees))


async def call(runtime: Runtime, name: str, arguments: dict[str, Any], by: Principal = ANN) -> RunResult[Any]:
    """Call a tool by its name, as a run of its own."""
    return await runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=by)
