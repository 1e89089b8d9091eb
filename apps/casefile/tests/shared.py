"""The application, built once in a process: no part of it has state, so each test gives it another database file."""

from __future__ import annotations

import socket
from functools import cache
from pathlib import Path
from typing import TypeVar

from apps.casefile.tests.google.fake.serving import url_of
from apps.casefile.tests.world import Clock, Digits
from remit import Principal
from remit_casefile.app import CasefileApplication, build
from remit_casefile.google.account import Account
from remit_casefile.google.transport import Hosts, Transport
from remit_casefile.storage.database import Database

CHAT_MODELS = ("openai:other",)
"""The models that users of a chat may choose."""
D = TypeVar("D", bound=Database)


@cache
def google_address() -> socket.socket:
    """Where one Google after another is served to the shared application, whose clients keep the address."""
    return socket.create_server(("127.0.0.1", 0))


@cache
def shared_application(kind: type[Database] = Database) -> CasefileApplication:
    """The application over a database of this kind, which `reopen` gives a file."""
    account = Account(hosts=Hosts.all_at(url_of(google_address())))
    return build(Path(), account=account, database=kind(Path("unused.db")), users=Principal, chat_models=CHAT_MODELS)


def reopen(kind: type[D], location: Path | str, clock: Clock, account: Account | None = None) -> D:
    """The database of the shared application as a new one would be, at ``location``."""
    application = shared_application(kind)
    credentials = (account or Account()).load_credentials
    transport = application.clients.shared_transport
    Transport.__init__(transport, credentials, hosts=transport.hosts)
    database = application.database
    assert isinstance(database, kind)
    Database.__init__(database, location, busy_timeout=20.0, clock=clock, new_id=Digits())
    return database


def application_of(database: Database) -> CasefileApplication:
    """The application over a database: the shared one, or one that is built for it."""
    shared = shared_application(type(database))
    return shared if shared.database is database else build(Path(), database=database, users=Principal)
