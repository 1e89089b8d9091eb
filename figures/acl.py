"""The access list of casefiles: whoever may not see one learns nothing and changes nothing, by any tool that names one.

The rows are made of the inventory, so that a new tool is looked at by itself: every tool that takes a casefile, for
every way in which somebody can stand to it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from sqlalchemy import select

from remit import App, Principal, Runtime, Stack, Tool
from remit.inventory import ToolDefinition
from remit.layers import Validate
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_casefile.app import INVENTORY_FOLDER, CasefileApplication, build
from remit_casefile.casefiles.access import Level
from remit_casefile.policies.casefile_resolver import CASEFILE_PARAMETER
from remit_casefile.policies.sections import CasefileRules
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Base, Casefile, Grant, Session

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
ALL: Final = frozenset({"*"})
ABSENT_CASEFILE: Final = "cf_260101_eeeeee"
EXTRA_ARGUMENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "update_casefile": {"title": "changed"},
    "grant_permission": {"target_user_id": "newcomer"},
    "revoke_permission": {"target_user_id": "zoe"},
    "process_tool_request": {"tool_name": "list_casefiles"},
}
"""What the schema of a tool does not tell: arguments that mean something."""


TOOL_REQUEST: Final = "process_tool_request"
"""The tool by which another is called by its name."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A way to stand to a casefile: in which tenant, as its owner or by what is granted, and what that comes to."""

    name: str
    level: Level
    tenant: str = "default"
    owns: bool = False
    granted: str = ""
    is_expired: bool = False
    is_revoked: bool = False
    public: str | None = None


STANDINGS: Final = (
    Standing("owner", Level.OWNER, owns=True),
    Standing("co-owner", Level.OWNER, granted="owner"),
    Standing("admin", Level.ADMIN, granted="admin"),
    Standing("editor", Level.EDITOR, granted="editor"),
    Standing("viewer", Level.VIEWER, granted="viewer"),
    Standing("public", Level.VIEWER, public="viewer"),
    Standing("nobody", Level.NONE),
    Standing("expired", Level.NONE, granted="owner", is_expired=True),
    Standing("revoked", Level.NONE, granted="owner", is_revoked=True),
    Standing("foreign", Level.NONE, tenant="other"),
    Standing("foreign namesake of the owner", Level.NONE, tenant="other", owns=True),
    Standing("foreign with a grant", Level.NONE, tenant="other", granted="owner"),
    Standing("foreign to a public one", Level.NONE, tenant="other", public="admin"),
)
SAMPLE: Final = ("owner", "expired", "revoked", "foreign namesake of the owner")
"""The principals that the tests of a sample add to the viewer and the anonymous caller of the short figure."""


def needed_by(tool: ToolDefinition) -> Level | None:
    """The level that a tool needs of the casefile it names; None where it takes none."""
    whole = tool.tool if tool.method is None else tool.method.contract
    if CASEFILE_PARAMETER not in whole.schema_in.json_schema.get("properties", {}):
        return None
    rules = tool.policies["business_rules"]
    return (
        Level.parse(rules.casefile_permission_level or "viewer") if isinstance(rules, CasefileRules) else Level.VIEWER
    )


class Trial:
    """The application over a database, in which each row gets a casefile and a session of its own.

    One that does not enforce has no layers of policy: what the rows are worth is seen there.
    """

    def __init__(self, folder: Path, *, enforces: bool = True, inventory_in: Path = INVENTORY_FOLDER) -> None:
        self._digits = itertools.count(1)
        database = Database(folder / "casefile.db", clock=lambda: NOW)
        self.parts: CasefileApplication = build(
            folder, database=database, users=Principal, inventory_folder=inventory_in
        )
        app = self.parts.app
        defined: Mapping[str, ToolDefinition] = {} if app.operations is None else app.operations.tools
        self.tools: Mapping[str, ToolDefinition] = {name: each for name, each in defined.items() if each.policies}
        if not enforces:
            bare = tuple(_without_layers(each.tool) for each in self.tools.values())
            app = App(name="casefile", tools=bare)
        self.runtime = Runtime(app, store=InMemoryStore(), layers=None if enforces else Stack(Validate()))

    async def aclose(self) -> None:
        """Close the database."""
        await self.parts.database.close()

    async def violations(self, tool: ToolDefinition, needed: Level, standing: Standing) -> list[str]:
        """What is wrong with a call of ``tool`` by somebody who stands so to its casefile."""
        casefile, session, by = await self.create_case(standing)
        before = await self.stored_rows(casefile)
        text, waits = await self._call(tool, casefile, session, by)
        wrong: list[str] = []
        if standing.level >= needed:
            if is_refused_by_gate(text):
                wrong.append(f"is kept out or not understood: {text[:200]}")
        elif standing.level is Level.NONE:
            absent, _ = await self._call(tool, ABSENT_CASEFILE, session, by)
            if waits or text.replace(casefile, ABSENT_CASEFILE) != absent or "NOT_FOUND" not in text:
                wrong.append(f"sees that there is one: {text[:200]}")
        elif waits or f"needs the level {needed.label}" not in text:
            wrong.append(f"is not kept out: {text[:200]}")
        if standing.level is Level.NONE and mark_of(casefile) in text:
            wrong.append("reads it")
        if standing.level < needed and before != await self.stored_rows(casefile):
            wrong.append("changes it")
        return [f"{standing.name} {each} (by {tool.name})" for each in wrong]

    async def mention_violations(self, tool: ToolDefinition, standing: Standing) -> list[str]:
        """What is wrong with a call of ``tool``, which names no casefile, by somebody who may see none."""
        casefile, session, by = await self.create_case(standing)
        text, _ = await self._call(tool, None, session, by)
        is_mentioned = mark_of(casefile) in text or casefile in text
        return [f"{standing.name} reads of it (by {tool.name})"] if is_mentioned else []

    async def tool_request_violations(self, request_tool: ToolDefinition, standing: Standing) -> list[str]:
        """What is wrong with a call of a tool by ``request_tool``, which calls it by name.

        By somebody who may see nothing.
        """
        casefile, session, by = await self.create_case(standing)
        arguments = {"tool_name": "get_casefile", "parameters": {CASEFILE_PARAMETER: casefile}}
        text, _ = await self.run(request_tool, arguments, session, by)
        refused = "No casefile '" in text and mark_of(casefile) not in text
        return [] if refused else [f"{standing.name} gets at it (by {request_tool.name}): {text[:200]}"]

    async def create_case(self, standing: Standing) -> tuple[str, str, Principal]:
        """A casefile, a session of somebody, and that person, who stands so to the casefile."""
        number = f"{next(self._digits):06x}"
        casefile, session = f"cf_260101_{number}", f"ts_260101_pers0000_{number}"
        owner, person = f"owner{number}", f"person{number}"
        if standing.owns:
            person = owner
        rows: list[Base] = [
            casefile_of(casefile, owner, standing.public),
            _session(session, person, standing.tenant),
            grant_of(casefile, "zoe", "viewer", ended=False),
        ]
        if standing.granted:
            rows.append(grant_of(casefile, person, standing.granted, ended=standing.is_expired))
        async with self.parts.database.write() as writing:
            writing.add_all(rows)
        by = Principal(person, standing.tenant, ALL)
        if standing.is_revoked:
            await self._revoke(casefile, owner, by)
        return casefile, session, by

    async def _revoke(self, casefile: str, owner: str, by: Principal) -> None:
        """What was granted is used once, and then taken back."""
        named = {CASEFILE_PARAMETER: casefile}
        await self._prepare("get_casefile", named, by)
        await self._prepare("revoke_permission", {**named, "target_user_id": by.name}, Principal(owner, by.tenant, ALL))

    async def _prepare(self, name: str, arguments: dict[str, Any], by: Principal) -> None:
        """Call a tool that must do what it is asked."""
        result = await self.runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=by)
        if result.reply is None or result.reply.error is not None:
            raise RuntimeError(f"{name} was to prepare a row: {result.text}")

    async def _call(self, tool: ToolDefinition, casefile: str | None, session: str, by: Principal) -> tuple[str, bool]:
        return await self.run(tool, arguments_for(tool, casefile, session), session, by)

    async def run(
        self, tool: ToolDefinition, arguments: dict[str, Any], session: str, by: Principal
    ) -> tuple[str, bool]:
        """Call a tool in a session: what it says, and whether it waits for a person."""
        call_arguments = Arguments(json.dumps(arguments), arguments)
        result = await self.runtime.call_by_name(tool.name, call_arguments, by=by, conversation=session)
        return result.text, result.status == "waiting"

    async def stored_rows(self, casefile: str) -> list[str]:
        """Everything that is kept of a casefile."""
        tables = [
            each for each in Base.metadata.sorted_tables if "casefile" in each.columns or each.name == "casefiles"
        ]
        async with self.parts.database.read() as reading:
            found: list[str] = []
            for table in tables:
                column = table.columns["id" if table.name == "casefiles" else "casefile"]
                rows = (await reading.execute(select(table).where(column == casefile))).all()
                found += sorted(repr(tuple(row)) for row in rows)
            return found


def is_refused_by_gate(text: str) -> bool:
    """Whether a reply says that its caller is kept out, or that the arguments are none, so that no gate was tried."""
    signs = ("No casefile '", "needs the level", '"VALIDATION_ERROR"', "needs an active session")
    return any(sign in text for sign in signs)


def arguments_for(tool: ToolDefinition, casefile: str | None, session: str) -> dict[str, Any]:
    """The fewest arguments that a tool takes, by its schema, with a casefile."""
    schema = tool.tool.schema_in.json_schema
    extra = EXTRA_ARGUMENTS.get(tool.name.removeprefix("fixed_"), {})
    known = {CASEFILE_PARAMETER: casefile, "session_id": session, **extra}
    names = [*schema.get("required", ()), *extra]
    if casefile is not None and CASEFILE_PARAMETER in schema.get("properties", {}):
        names.append(CASEFILE_PARAMETER)
    return {
        name: known[name] if name in known else _minimal_value(schema["properties"][name], schema)
        for name in dict.fromkeys(names)
    }


def _minimal_value(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The smallest value that a schema takes, as far as those of the tools go."""
    if "$ref" in schema:
        return _minimal_value(root["$defs"][str(schema["$ref"]).rpartition("/")[2]], root)
    if "anyOf" in schema:
        return _minimal_value(cast("list[Mapping[str, Any]]", schema["anyOf"])[0], root)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [_minimal_value(schema["items"], root)] * schema.get("minItems", 0)
    if schema.get("type") == "object":
        return {name: _minimal_value(schema["properties"][name], root) for name in schema.get("required", ())}
    return {"integer": schema.get("minimum", 1), "number": 1.0, "boolean": False}.get(str(schema.get("type")), "x")


def mark_of(casefile: str) -> str:
    """What stands in every text of a casefile, and nowhere else."""
    return f"Zyzzyva{casefile[-6:]}"


def _without_layers(tool: Tool[..., Any]) -> Tool[..., Any]:
    """The same tool without its layers."""
    return tool.with_facts(tool.facts, name=tool.name, description=tool.description, where=tool.where)


def casefile_of(casefile: str, owner: str, public: str | None) -> Casefile:
    """A casefile, whose texts have a mark in them."""
    mark = mark_of(casefile)
    return Casefile(
        id=casefile,
        tenant="default",
        title=mark,
        description=mark,
        notes=mark,
        tags=[mark],
        owner=owner,
        state="active",
        public_access=public,
        created_at=NOW,
        updated_at=NOW,
    )


def _session(session: str, user: str, tenant: str) -> Session:
    return Session(
        id=session,
        conversation=session,
        tenant=tenant,
        kind="tool",
        user=user,
        title="",
        state="active",
        created_at=NOW,
        updated_at=NOW,
    )


def grant_of(casefile: str, user: str, level: str, *, ended: bool) -> Grant:
    """An entry of its access list, which may have ended."""
    until = NOW if ended else NOW + timedelta(days=1)
    return Grant(
        casefile=casefile,
        user=user,
        level=level,
        granted_by="owner",
        granted_at=NOW,
        expires_at=until,
        notes=mark_of(casefile),
    )


async def find_leaks(*, names: Sequence[str] | None = None, enforces: bool = True) -> tuple[list[str], int]:
    """What is wrong, and out of how many rows; ``names`` says which ways to stand are looked at."""
    wrong: list[str] = []
    looked_at = 0
    with TemporaryDirectory() as folder:
        async with aclosing(Trial(Path(folder), enforces=enforces)) as trial:
            for tool in trial.tools.values():
                needed = needed_by(tool)
                for standing in STANDINGS:
                    if names is not None and standing.name not in names:
                        continue
                    if needed is not None:
                        wrong += await trial.violations(tool, needed, standing)
                        looked_at += 1
                    elif standing.level is Level.NONE and tool.tool.facts.effect.value == "pure":
                        wrong += await trial.mention_violations(tool, standing)
                        looked_at += 1
                    if standing.level is Level.NONE and tool.name == TOOL_REQUEST:
                        wrong += await trial.tool_request_violations(tool, standing)
                        looked_at += 1
    return wrong, looked_at
