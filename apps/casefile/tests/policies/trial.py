"""A small application with one tool of each sort, whose policies each test declares anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from apps.casefile.tests.office import Kept, principal
from remit import App, LeafContext, Principal, Runtime
from remit.errors import ConflictError
from remit.inventory import Operations, read_inventory
from remit.record.items import Note
from remit.tools import Arguments
from remit_casefile.policies.access_check import check_access_is_governed
from remit_casefile.policies.env import Env, EventLog
from remit_casefile.policies.sections import build_section_table
from remit_casefile.policies.vocabulary import VOCABULARY
from remit_casefile.storage.database import Database

INVENTORY: Final = """\
domain: workspace
subdomain: casefile
methods:
  touch:
    classification: {{capability: update}}
    effect: {effect}
{policies}
    tools:
      touch: {{}}
{tools}
"""


class TouchPayload(BaseModel):
    """Which casefile, if any."""

    casefile_id: str | None = None
    password: str = ""
    fails: bool = False


class TouchedPayload(BaseModel):
    """What came of it."""

    casefile_id: str | None = None
    password: str = "hush"


@dataclass
class Probe:
    """Counts what reaches it, and says that it made the casefile ``makes``."""

    touched: list[str | None] = field(default_factory=list[str | None])
    makes: str | None = None

    async def touch(self, ctx: LeafContext, payload: TouchPayload) -> TouchedPayload:
        """Touch a casefile."""
        self.touched.append(payload.casefile_id)
        if payload.fails:
            raise ConflictError("it was touched already")
        return TouchedPayload(casefile_id=self.makes)


@dataclass(frozen=True, slots=True)
class Came:
    """How a call came out, and what its journal has of events."""

    reply: Mapping[str, Any]
    notes: Mapping[str, Any]

    @property
    def code(self) -> str:
        """The code of its error; empty where it went well."""
        return str(self.reply.get("errorCode", ""))

    @property
    def error(self) -> str:
        """What its error says."""
        return str(self.reply.get("error", ""))


@dataclass
class Trial:
    """The application over a database; ``declare`` says what governs its tool."""

    folder: Path
    database: Database
    probe: Probe = field(default_factory=Probe)
    kept: Kept = field(default_factory=Kept)
    runtime: Runtime | None = None

    def declare(self, *policies: str, tools: str = "", effect: str = "keyed", log: bool = True) -> Operations:
        """Declare sections of policy, and more tools; with ``log`` False nobody keeps events."""
        kept: EventLog | None = self.kept if log else None
        env = Env(database=self.database, events=kept)
        said = "\n".join(f"    {each}" for each in policies)
        self.folder.mkdir(exist_ok=True)
        text = INVENTORY.format(policies=said, tools=tools, effect=effect)
        (self.folder / "probe.yaml").write_text(text, encoding="utf-8")
        operations = Operations(
            read_inventory(self.folder, build_section_table(env, version="1.0"), VOCABULARY), (self.probe,)
        )
        check_access_is_governed(operations)
        app = App(name="trial", tools=operations.callees, env=env)
        self.runtime = Runtime(app)
        return operations

    async def call(
        self,
        arguments: Mapping[str, Any] | str = "{}",
        *,
        by: str | Principal = "ann",
        name: str = "touch",
        conversation: str = "",
    ) -> Came:
        """Call a tool as the application would be called."""
        assert self.runtime is not None, "declare first"
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        person = by if isinstance(by, Principal) else principal(by)
        said = Arguments(raw, json.loads(raw))
        result = await self.runtime.call_by_name(name, said, by=person, conversation=conversation)
        items = [position.item for position in await self.runtime.store.read(result.run)]
        notes = {item.name: json.loads(item.data) for item in items if isinstance(item, Note)}
        return Came(json.loads(result.text), notes)
