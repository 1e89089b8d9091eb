"""Puts the application together. The only place that reads the environment, and nothing is opened before it is used."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from remit import Agent, App, Callee, Tool, preset
from remit.errors import ContractError
from remit.home import data_folder
from remit.inventory import Foresee, Operations, read_inventory
from remit_casefile.agent import clerk
from remit_casefile.casefiles.access_list import AccessList
from remit_casefile.casefiles.cases import Cases
from remit_casefile.chat.chat import Chat
from remit_casefile.chat.sessions import ChatSessions
from remit_casefile.google.account import Account
from remit_casefile.google.tools import Clients, with_google
from remit_casefile.google.transport import Transport
from remit_casefile.pipelines.filing import Filing
from remit_casefile.policies.env import Env
from remit_casefile.policies.open import refuse_open
from remit_casefile.policies.sections import table
from remit_casefile.policies.words import WORDS
from remit_casefile.sessions.events import ToolEvents
from remit_casefile.sessions.gate import InSession
from remit_casefile.sessions.requests import ToolRequests
from remit_casefile.sessions.sessions import ToolSessions
from remit_casefile.sessions.standing import Standing
from remit_casefile.storage.database import Database
from remit_casefile.workers import workers
from remit_casefile.workspace.stored import Stored
from remit_casefile.workspace.storing import Storing
from remit_casefile.workspace.syncing import Syncing

AnyTool: TypeAlias = Tool[..., Any]
Domains: TypeAlias = dict[tuple[str, str], tuple[object, ...]]
"""The objects whose methods stand in a slice of the inventory, by its domain and subdomain."""

INVENTORY: Final = Path(__file__).parent / "inventory"
PIPELINES: Final = ("automation", "pipelines")


@dataclass(frozen=True, slots=True, kw_only=True)
class Casefiles:
    """The application in parts, for whoever needs more than its agent."""

    database: Database
    env: Env
    cases: Cases
    access_list: AccessList
    transport: Transport
    app: App

    async def close(self) -> None:
        """Close what was opened: the database, and the connections to Google."""
        await self.transport.close()
        await self.database.close()


def build(
    home: Path, *, account: Account | None = None, database: Database | None = None, inventory_in: Path = INVENTORY
) -> Casefiles:
    """The application whose data is in a folder.

    Args:
        home: the folder, for ``casefile.db``.
        account: the Google account that it works with; without one its tools say how to give it.
        database: another than that in ``home``, as tests have.
        inventory_in: the folder of another inventory than the application's own.
    """
    database = database or Database(home / "casefile.db")
    transport = (account or Account()).transport()
    clients = Clients.over(transport)
    events = ToolEvents(database)
    env = Env(database=database, sessions=Standing(database), events=events)
    inventory = read_inventory(inventory_in, table(env, version=version("remit-casefile")), WORDS)
    cases, access_list = Cases(database), AccessList(database)
    desk: Domains = {
        ("workspace", "casefile"): (cases,),
        ("workspace", "casefile_acl"): (access_list,),
        ("workspace", "google_workspace"): (Storing(database), Syncing(database, clients), Stored(database)),
        ("workspace", "google_drive"): (clients.drive,),
        ("workspace", "google_sheets"): (clients.sheets,),
        ("communication", "gmail"): (clients.gmail,),
    }
    more = partial(_more, cases, clients)
    parts = [Operations(inventory.slice(*name), own).with_tools(more) for name, own in desk.items()]
    tools = [tool for part in parts for tool in part.callees]
    parts.append(Operations(inventory.slice(*PIPELINES), (), composed=partial(_pipelines, tools)))
    agent = clerk(tool for part in parts for tool in part.callees)
    talk = (ToolSessions(database), events, ToolRequests(database), ChatSessions(database), Chat(database, agent))
    return Casefiles(
        database=database,
        env=env,
        cases=cases,
        access_list=access_list,
        transport=transport,
        app=_app(env, agent, Operations(inventory, talk, parts=parts), workers(tools)),
    )


def _app(env: Env, agent: Agent, operations: Operations, given: tuple[Callee[..., Any], ...]) -> App:
    """The application: its agent works with the tools it has, persons and programs with all there are."""
    refuse_open(operations)
    agents = {tool.name for tool in agent.tools}
    layers = preset(env).layer(Foresee(operations.callees)).layer(InSession(env))
    return App(
        name="casefile",
        agents=(agent,),
        tools=(*(tool for tool in operations.callees if tool.name not in agents), *given),
        env=env,
        layers=lambda: layers,
        operations=operations,
    )


def _pipelines(tools: Iterable[AnyTool], _own: object) -> tuple[Filing, ...]:
    """What calls ``tools`` in an order of its own. The tools of its own slice of the inventory are not looked at."""
    by_name = {tool.name: tool for tool in tools}

    def named(name: str) -> AnyTool:
        if name not in by_name:
            raise ContractError(f"the pipelines call {name}, and the inventory has no such tool")
        return by_name[name]

    return (Filing(named),)


def _more(cases: Cases, clients: Clients, tool: AnyTool) -> AnyTool:
    """The tool, with what no inventory can say of it."""
    return tool.with_shown(cases.show_deletion) if tool.name == "delete_casefile" else with_google(clients, tool)


def app() -> App:
    """The application, for Remit's command line."""
    return build(data_folder(os.environ), account=Account.of(os.environ)).app
