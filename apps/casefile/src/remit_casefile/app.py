"""Builds the application. The only module that reads the environment; nothing is opened before it is used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from remit import Agent, App, Policy, Principal, Tool
from remit.errors import ContractError, SetupError
from remit.home import data_folder, data_location
from remit.inventory import Operations, read_inventory
from remit.models import resolve_model
from remit.object_views import ObjectView
from remit.policies import ConfirmationFlag
from remit.runtime import PrincipalDirectory
from remit.tools import Callee
from remit.users import os_user, read_users
from remit_casefile.agent import casefile_agent
from remit_casefile.casefiles.access_list import AccessList
from remit_casefile.casefiles.cases import Cases
from remit_casefile.chat.chat import Chat
from remit_casefile.chat.sessions import ChatSessions
from remit_casefile.google.account import Account
from remit_casefile.google.clients import AccountClients
from remit_casefile.google.operations import ClientsOfCaller, DriveOperations, GmailOperations, SheetsOperations
from remit_casefile.google.tools import with_google_hooks
from remit_casefile.object_views import object_views
from remit_casefile.pipelines.filing import Filing
from remit_casefile.policies.access_check import check_access_is_governed
from remit_casefile.policies.env import Env
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import PERMISSIONS, VOCABULARY
from remit_casefile.sessions.conversation_sessions import ConversationSessions
from remit_casefile.sessions.events import ToolEvents
from remit_casefile.sessions.gate import OwnSessionGate
from remit_casefile.sessions.requests import CasefileToolRequest, ToolRequests
from remit_casefile.sessions.sessions import ToolSessions
from remit_casefile.storage.database import Database
from remit_casefile.workers import load_workers
from remit_casefile.workspace.reading import CopyReader
from remit_casefile.workspace.storing import CopyStorer
from remit_casefile.workspace.syncing import CopySyncer

AnyTool: TypeAlias = Tool[..., Any]
DomainObjects: TypeAlias = dict[tuple[str, str], tuple[object, ...]]
"""The objects whose methods stand in a slice of the inventory, by its domain and subdomain."""

CHAT_MODELS_VARIABLE: Final = "REMIT_CASEFILE_MODELS"
"""The environment variable with the names of the models that users of a chat may choose, separated by commas."""
INVENTORY_FOLDER: Final = Path(__file__).parent / "inventory"
PIPELINES_SLICE: Final = ("automation", "pipelines")


@dataclass(frozen=True, slots=True, kw_only=True)
class CasefileApplication:
    """The parts of the application, for programs that need more than its agent."""

    database: Database
    env: Env
    cases: Cases
    access_list: AccessList
    clients: AccountClients
    app: App

    async def close(self) -> None:
        """Close the database and the connections to Google, for a program whose runtime does not: ``async with`` it."""
        await self.clients.close()
        await self.database.close()


def build(
    home: Path,
    *,
    account: Account | None = None,
    database: Database | None = None,
    users: PrincipalDirectory | None = None,
    chat_models: Iterable[str] = (),
    inventory_folder: Path = INVENTORY_FOLDER,
) -> CasefileApplication:
    """Build the application with its data in a folder.

    Args:
        home: the folder, for ``casefile.db``.
        account: the Google account to use, or a folder of accounts. Default: that of the environment variables, such as
            ``REMIT_GOOGLE_CREDENTIALS``; without one, its tools explain how to configure it.
        database: a database other than the file in ``home``.
        users: finds a user by name and tenant, so that access can be granted; without it, grants are refused.
        chat_models: names of the models that users of a chat may choose, such as ``openai:gpt-5``.
        inventory_folder: the folder of an inventory other than the application's own.
    """
    database = database or Database(home / "casefile.db")
    clients = AccountClients(Account.from_environ(os.environ) if account is None else account)
    events = ToolEvents(database)
    env = Env(database=database, sessions=ConversationSessions(database), events=events)
    inventory = read_inventory(
        inventory_folder, build_section_table(env, version=version("remit-casefile")), VOCABULARY
    )
    cases, access_list = Cases(database), AccessList(database, users)
    domains: DomainObjects = {
        ("workspace", "casefile"): (cases,),
        ("workspace", "casefile_acl"): (access_list,),
        ("workspace", "google_workspace"): (CopyStorer(database), CopySyncer(database, clients), CopyReader(database)),
        ("workspace", "google_drive"): (DriveOperations(clients),),
        ("workspace", "google_sheets"): (SheetsOperations(clients),),
        ("communication", "gmail"): (GmailOperations(clients),),
    }
    complete_tool = partial(_complete_tool, cases, clients)
    parts = [Operations(inventory.slice(*name), own).with_tools(complete_tool) for name, own in domains.items()]
    tools = [tool for part in parts for tool in part.callees]
    parts.append(Operations(inventory.slice(*PIPELINES_SLICE), (), compose=partial(_build_pipelines, tools)))
    agent = casefile_agent(tool for part in parts for tool in part.callees)
    parts.append(Operations(inventory.slice("automation", "tool_session"), (ToolSessions(database), events)))
    parts.append(Operations(inventory.slice("communication", "chat_session"), (ChatSessions(database),)))
    requests, chat = ToolRequests(database), Chat(database, agent, chat_models)
    record_tools = (*requests.record_tools, *chat.record_tools)
    operations = Operations(inventory, (requests, chat, *record_tools), parts=parts, tool_request=CasefileToolRequest)
    return CasefileApplication(
        database=database,
        env=env,
        cases=cases,
        access_list=access_list,
        clients=clients,
        app=_assemble_app(env, agent, operations, load_workers(tools), (database, clients), object_views(database)),
    )


def _assemble_app(
    env: Env,
    agent: Agent,
    operations: Operations,
    workers: tuple[Callee[..., Any], ...],
    resources: tuple[AbstractAsyncContextManager[object], ...],
    views: Sequence[ObjectView],
) -> App:
    """The application: its agent gets its own tools, users and programs get all tools."""
    check_access_is_governed(operations)
    agents = {tool.name for tool in agent.tools}
    return App(
        name="casefile",
        agents=(agent,),
        tools=(*(tool for tool in operations.callees if tool.name not in agents), *workers),
        env=env,
        policy=Policy(ConfirmationFlag()),
        layers=OwnSessionGate(env),
        operations=operations,
        resources=resources,
        views=views,
        permissions=PERMISSIONS,
    )


def _build_pipelines(tools: Iterable[AnyTool], _slice_tools: object) -> tuple[Filing, ...]:
    """The pipelines that call ``tools``. The tools of their own inventory slice are not used."""
    by_name = {tool.name: tool for tool in tools}

    def named(name: str) -> AnyTool:
        if name not in by_name:
            raise ContractError(f"the pipelines call {name}, and the inventory has no such tool")
        return by_name[name]

    return (Filing(named),)


def _complete_tool(cases: Cases, clients: ClientsOfCaller, tool: AnyTool) -> AnyTool:
    """The tool with what no inventory can declare, such as previews."""
    return (
        tool.with_preview(cases.preview_deletion)
        if tool.name == "delete_casefile"
        else with_google_hooks(clients, tool)
    )


def read_chat_models(environ: Mapping[str, str]) -> list[str]:
    """The models that users of a chat may choose.

    Raises:
        SetupError: a name is not that of a model.
    """
    models = [name.strip() for name in environ.get(CHAT_MODELS_VARIABLE, "").split(",") if name.strip()]
    for name in models:
        if remedy := resolve_model(name).explain_unknown():
            raise SetupError(f"{CHAT_MODELS_VARIABLE} names {name!r}, which is not a model: {remedy}")
    return models


def app() -> App:
    """The application, for Remit's command line."""
    home = data_folder(os.environ)

    def find_user(name: str, tenant: str) -> Principal | None:
        return read_users(home / "config.toml", os_user()).find_principal(name, tenant)

    models = read_chat_models(os.environ)
    database = Database(data_location(os.environ, "casefile"))
    return build(home, database=database, users=find_user, chat_models=models).app
