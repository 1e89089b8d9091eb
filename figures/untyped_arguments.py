"""Right arguments of single public callables, where the annotations of their parameters do not say enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from figures.notebook import Env, Notes, Weather, table
from figures.untyped_samples import (
    ADA,
    DATABASES,
    OPEN_API,
    agent,
    answer,
    call,
    double,
    echo,
    folder,
    grant,
    list_no_layers,
    notebook,
    one,
    one_in,
    operations,
    pass_on,
    pay,
    pipeline,
    question,
    runtime,
)
from remit import Agent, Allow, Policy
from remit.audit import LogHead
from remit.effects import effects_table
from remit.errors import NotFoundError
from remit.inventory import EnabledGate
from remit.items import Note
from remit.layers import Budget, Reply
from remit.mcp.upstream.child import ChildTransport
from remit.mcp.upstream.origin import McpOrigin
from remit.object_views import Viewer
from remit.policies import After, Block, Decision, When
from remit.rules import PolicyFile
from remit.sources import PinFolder
from remit.stores import encode_item
from remit.testing import Scripted


async def _ended_run() -> dict[str, Any]:
    return {"run": (await runtime().call(double, ADA, 1)).run}


_NUMBERS: Final = itertools.count()


async def _conversation() -> dict[str, Any]:
    name = f"talk {next(_NUMBERS)}"
    await runtime().run("go", by=ADA, conversation=name)
    return {"conversation": name}


async def _open_run() -> dict[str, Any]:
    return {"run": (await runtime().call(pay, ADA, 1)).run}


async def _open_question() -> dict[str, Any]:
    return {"question": (await runtime().call(pay, ADA, 1)).questions[0]}


async def _usable_grant() -> dict[str, Any]:
    grants = runtime().client(ADA)
    return {"grant": (await grants.create_grant("pay", principal="eve", count=1, expires_in=60)).id}


async def _stored_artifact() -> dict[str, Any]:
    return {"artifact": await runtime().client(ADA).add_artifact(b"x")}


SESSIONS: Final[list[AsyncSession]] = []
"""The open sessions; the sweep closes each after its attempt."""


async def _transaction() -> dict[str, Any]:
    engine = create_async_engine("sqlite+aiosqlite://")
    metadata = MetaData()
    effects_table(metadata)
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    SESSIONS.append(AsyncSession(engine))
    await SESSIONS[-1].begin()
    return {"session": SESSIONS[-1], "key": "k", "result_type": int, "produce": one}


async def _keyed_write() -> dict[str, Any]:
    made = await call()
    return {"ctx": SimpleNamespace(caller=made.caller, key="k"), "result_type": int, "write": one_in}


async def close_sessions() -> None:
    """Close what `_transaction` and `database` opened."""
    while DATABASES:
        await DATABASES.pop().close()
    while SESSIONS:
        session = SESSIONS.pop()
        await session.close()
        await cast("AsyncEngine", session.bind).dispose()


MESSAGE: Final = '{"role":"assistant","content":"x"}'
ARGUMENTS: Final[Mapping[str, Callable[[], Any]]] = {
    "AgentGroup": lambda: {"agents": (agent(), Agent("cook", instructions="Cook."))},
    "read_jsonl": lambda: {"text": ""},
    "Agent.build_arguments": lambda: {"payload": "x"},
    "Agent.layer": lambda: {"layer": EnabledGate(enabled=True)},
    "Attachment": lambda: {"name": "x.txt", "media_type": "text/plain", "content": b"x"},
    "Attachment.from_path": lambda: {"path": folder() / "script.json"},
    "AttachmentPolicy": lambda: {"suffixes": (".txt",), "max_files": 1, "max_bytes": 1},
    "Decision.from_json": lambda: {"text": Decision(question="x", approved=True, by="ada").to_json()},
    "DbosEngine": lambda: {"url": "postgresql://x", "local_data": True},
    "DeprecationGate": lambda: {"version": "1.0"},
    "Deprecation": lambda: {"since": "1"},
    "Fallback": lambda: {"models": (Scripted(["done"]),)},
    "Grant.from_json": lambda: {"text": grant().to_json()},
    "LogHead.from_json": lambda: {"text": LogHead(tenant="t", count=1, link="x", at=1.0).to_json()},
    "Operations": lambda: {"inventory": operations().inventory, "domain_objects": [notebook().notes, Weather()]},
    "Operations.later": lambda: {"inventory": operations().inventory, "make": operations},
    "Operations.find_tool": lambda: {"name": "create_note"},
    "Pipeline.build_arguments": lambda: {"payload": pipeline().schema_in.model(number=1)},
    "PolicyTable": lambda: {"sections": table(Env(), Notes()).sections.values()},
    "Question.from_json": lambda: {"text": question().to_json()},
    "Changed.from_item": lambda: {"item": Note(call="x", name="changed", data='{"kind": "page", "id": "1"}')},
    "Seen.from_item": lambda: {
        "item": Note(call="x", name="seen", data='{"kind": "page", "id": "1", "state": "1", "parts": []}')
    },
    "OpenRun.call": lambda: {"tool": "double", "arguments": {"number": 1}},
    "Client.call": lambda: {"tool": "double", "arguments": {"number": 1}},
    "Client.cancel": _ended_run,
    "Client.cancellable": _ended_run,
    "Client.conversation": _conversation,
    "Client.conversation_files": _conversation,
    "Client.conversation_runs": _conversation,
    "Client.delete_conversation": _conversation,
    "Client.export_conversation": _conversation,
    "Client.export_run": _ended_run,
    "Client.rename_conversation": _conversation,
    "Client.share_conversation": _conversation,
    "Client.unshare_conversation": _conversation,
    "Client.create_grant": lambda: {"tool": "pay"},
    "Client.check_decision": _open_question,
    "Client.check_place": lambda: {"after": ""},
    "Client.decide": _open_question,
    "Client.detach": _ended_run,
    "Client.details": _ended_run,
    "Client.grant": _usable_grant,
    "Client.history": _ended_run,
    "Client.items": _ended_run,
    "Client.loosen": _open_run,
    "Client.question": _open_question,
    "Client.read_artifact": _stored_artifact,
    "Client.replay": _ended_run,
    "Client.resumable": _ended_run,
    "Client.resume": _ended_run,
    "Client.revoke_grant": _usable_grant,
    "Client.run": lambda: {"prompt": "x"},
    "Client.schedule": lambda: {"tool": "double"},
    "Client.settled": _ended_run,
    "Client.try_policy": lambda: {"policy": Policy()},
    "Policy.with_rule": lambda: {"rule": When("closed", verdict=Block(reason="x"), tools={"pay"})},
    "Client.status": _ended_run,
    "Client.stream": _ended_run,
    "Client.submit": lambda: {"prompt": "x"},
    "Runtime.call_at": lambda: {"args": (1,)},
    "Runtime.call": lambda: {"args": (1,)},
    "Runtime.call_by_name": lambda: {"name": "double"},
    "Runtime.call_in_conversation": lambda: {"args": (1,)},
    "Runtime.run": lambda: {"prompt": "x"},
    "Runtime.stream": lambda: {"prompt": "x"},
    "Runtime.submit": lambda: {"prompt": "x"},
    "Runtime.cancel": _ended_run,
    "Runtime.decide": _open_question,
    "Runtime.history": _ended_run,
    "Runtime.loosen": _open_run,
    "Runtime.replay": _ended_run,
    "Runtime.resume": _ended_run,
    "Database.once": _keyed_write,
    "Embeddings": lambda: {"embed": answer},
    "PolicySection": lambda: {"make_layers": list_no_layers},
    "Sentences": lambda: {"asked": "Delete the page", "running": "Deleting", "done": "Deleted", "refused": "Kept"},
    "ObjectView.rows": lambda: {"viewer": Viewer(principal=ADA)},
    "ObjectView.detail": lambda: {"viewer": Viewer(principal=ADA)},
    "ObjectView.events_between": lambda: {"viewer": Viewer(principal=ADA)},
    "build_server": lambda: {"authenticate": answer, "engine": None, "console": None},
    "McpSettings": lambda: {"key": b"k" * 32},
    "undo_of": lambda: {"find_contract": {"double": double}.get},
    "Redact": lambda: {"fields": ["name"]},
    "Schema": lambda: {"name": "notes", "metadata": MetaData()},
    "When": lambda: {"tools": ["double"], "verdict": Allow()},
    "After": lambda: {"tools": ["double"]},
    "NotAfter": lambda: {"tools": ["double"]},
    "AllOf": lambda: {"tests": (After("double"), After("pay"))},
    "Window": lambda: {"calls": 1},
    "Expression": lambda: {"text": "tool == 'pay'"},
    "PolicyFile": lambda: {"policy": Policy(), "budget": Budget()},
    "PolicyFile.load": lambda: {"path": folder() / "policy.yaml"},
    "PolicyFile.parse": lambda: {"text": "rules: []"},
    "run_tests": lambda: {"file": PolicyFile.parse("rules: []"), "tools": ()},
    "Retry.where": lambda: {"tools": ["double"]},
    "Timeout.where": lambda: {"tools": ["double"]},
    "Scripted.load": lambda: {"path": folder() / "script.json"},
    "Secret": lambda: {"reference": "env:KEY", "value": "12345678"},
    "OpenApi": lambda: {"content": OPEN_API},
    "OpenApiOrigin": lambda: {"document": "openapi.yaml", "server": "https://shop.example", "credentials": {}},
    "OpenApi.load": lambda: {"path": folder() / "openapi.yaml"},
    "OpenApi.tools": lambda: {"server": "https://shop.example", "only": ["hours"], "facts": {}, "credentials": {}},
    "GuardedHttp.check": lambda: {"url": "https://example.com/", "headers": None},
    "GuardedHttp.for_server": lambda: {"url": "https://example.com/", "limits": None},
    "PinFolder": lambda: {"folder": folder()},
    "PinFolder.read": lambda: {"source": "files"},
    "Source": lambda: {
        "name": "files",
        "origin": McpOrigin("files", lambda: ChildTransport("files", ["files"]), None),
        "pins": PinFolder(folder()),
    },
    "Source.why_closed": lambda: {"name": "read"},
    "Trust": lambda: {"effects": {"read": "pure"}, "permissions": {"files:call"}},
    "find_sources": lambda: {"resources": []},
    "mcp_process": lambda: {"name": "files", "command": ["files"], "pins": PinFolder(folder()), "env": {"KEY": "1"}},
    "mcp_address": lambda: {"name": "files", "url": "https://example.com/mcp", "pins": PinFolder(folder())},
    "EnvSecrets.resolve": lambda: {"reference": "env:KEY"},
    "FileSecrets.resolve": lambda: {"reference": "file:key"},
    "SqlStore": lambda: {"url": f"sqlite+aiosqlite:///{folder()}/runs.db"},
    "Tool.build_arguments": lambda: {"args": (1,)},
    "Tool.from_schema": lambda: {"call": echo},
    "WorkerDefinition.resolve_model_name": lambda: {"default_name": "openai:x"},
    "completion_from_message": lambda: {"message": MESSAGE, "fields": ("model",)},
    "decode_item": lambda: {"kind": "note", "body": encode_item(Note(call="x", name="x", data="{}"))},
    "decode_message": lambda: {"text": MESSAGE},
    "error_from_reply": lambda: {"content": Reply.from_error(NotFoundError("x")).content},
    "layer_fn": lambda: {"function": pass_on},
    "load_examples": lambda: {"path": folder() / "examples.json"},
    "load_workers": lambda: {"folder": folder() / "workers"},
    "once": _transaction,
    "read_inventory": lambda: {"folder": folder() / "inventory"},
    "read_response": lambda: {"body": b'{"choices":[{"message":%b}]}' % MESSAGE.encode()},
    "read_worker": lambda: {"path": folder() / "workers" / "clerk.worker"},
    "read_workers": lambda: {"folder": folder() / "workers"},
}
"""Arguments by the name of the callable, where their annotations do not say enough."""
