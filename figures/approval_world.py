"""What the matrix of approvals is tried on: every tool of both applications, and what calls it; bodies that count."""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, cast

from pydantic import BaseModel

from apps.cms.tests.images.files import SITE, SITE_UPLOADED, UPLOAD, UPLOADED
from figures import approval_casefile
from remit import (
    Agent,
    App,
    Ask,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Risk,
    Runtime,
    Stack,
    Tool,
    When,
    preset,
    tool,
)
from remit.app import Env
from remit.call.tool import build_tool
from remit.journal.ports import Store
from remit.layers import CallLayer
from remit.pipeline import Pipeline, Step
from remit.policies import HasApprover
from remit.record.arguments import Limits, parse_arguments
from remit.record.artifact import ArtifactScope
from remit.testing import Scripted, superuser
from remit.tools import Candidate
from remit_casefile.app import CasefileApplication
from remit_casefile.sessions.requests import RECORD_TOOLS
from remit_cms.app import build
from remit_cms.sections.payloads import join_page_and_section

AnyTool = Tool[..., Any]

ADA: Final = superuser(name="ada")
BEA: Final = superuser(name="bea")

_SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "cms_addToChangeSet": {"changeSetId": "set_1", "pageIds": ["page_1"]},
    "cms_createChangeSet": {"name": "Spring", "pageIds": ["page_1"]},
    "cms_addSite": {"key": "bakery", "name": "Bakery"},
    "cms_importContent": {"file": SITE_UPLOADED},
    "cms_createPreviewLink": {"pageId": "page_1"},
    "cms_createPageWithContent": {"title": "About", "sections": [{"definitionId": "hero"}]},
    "cms_getPage": {"slug": "about"},
    "cms_updatePageMeta": {"pageId": "page_1", "description": "Bread."},
    "cms_movePage": {"pageId": "page_1", "slug": "moved"},
    "cms_translatePage": {"pageId": "page_1", "localeCode": "de", "title": "Wir"},
    "cms_updateImage": {"imageId": "image_1", "altText": "A loaf"},
    "cms_updatePage": {"pageId": "page_1", "title": "About"},
    "cms_updateSectionContent": {"pageSectionId": "section_1", "content": {"heading": "Bread"}},
    "cms_defineType": {"name": "Team", "fields": [{"key": "role", "type": "text"}]},
    "cms_addLanguage": {"localeCode": "fr"},
    "cms_removeLanguage": {"localeCode": "de"},
    "cms_changeType": {"typeId": "posts", "name": "News"},
    "cms_updatePost": {"postSlug": "entry_1", "title": "News"},
    "cms_updateEntry": {"entryId": "entry_1", "title": "News"},
    "cms_updateNavigationItem": {"label": "item_1", "newLabel": "Us"},
    "cms_updateRedirect": {"path": "redirect_1", "newHref": "about"},
    "cms_updateSiteSettings": {"tagline": "Daily bread"},
    "cms_uploadImage": {"file": UPLOADED, "altText": "A loaf"},
    "http_get": {"url": "https://example.com/"},
    "http_post": {"url": "https://example.com/", "body": "{}"},
    "web_fetchContent": {"urls": ["https://example.com/"]},
}
"""Arguments for tools whose schema alone does not say which are valid together."""


@dataclass
class Clock:
    """Seconds that pass when a case says so."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now


def _as_found(name: str) -> dict[str, str]:
    return {"id": name, "name": name, "revision": "1"}


@dataclass
class Target:
    """A tool under trial: arguments that are valid, and others."""

    tool: AnyTool
    arguments: dict[str, Any]
    others: dict[str, Any] | None
    inner: tuple[AnyTool, ...] = ()
    inside: tuple[CallLayer, ...] = ()

    def canonical(self, arguments: dict[str, Any]) -> str:
        """The canonical form of arguments of this tool."""
        schema = self.tool.schema_in
        if schema.references:  # as `_find_any` resolves them
            names = (
                "pageId",
                "pageSectionId",
                "changeSetId",
                "imageId",
                "newImageId",
                "oldImageDescription",
                "entryId",
                "postSlug",
                "actionId",
            )
            if "navigation-item" in schema.references:
                names = (*names, "label")
            if "redirect" in schema.references:
                names = (*names, "path")
            arguments = cast("dict[str, Any]", join_page_and_section(arguments))
            found: dict[str, Any] = {name: _as_found(arguments[name]) for name in names if name in arguments}
            if "pageIds" in arguments:
                found["pageIds"] = [_as_found(each) for each in arguments["pageIds"]]
            arguments = {**arguments, **found}
        return schema.dump_canonical(schema.bind(parse_arguments(json.dumps(arguments), Limits()), strict=True))


@dataclass
class ExecutionLog:
    """The bodies that ran: tool and canonical arguments."""

    executions: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def count(self, name: str, canonical: str = "") -> int:
        """How often a tool ran; with these arguments, if they are named."""
        return sum(each == name and canonical in ("", said) for each, said in self.executions)


async def add_upload(store: Store) -> None:
    """Give everybody the file that a sample uploads."""
    for name in ("ada", "bea"):
        for reference, content in ((UPLOADED, UPLOAD), (SITE_UPLOADED, SITE)):
            await store.add_artifact(reference["digest"], ArtifactScope("default", name), content)


def cms_targets(ran: ExecutionLog, folder: Path) -> list[Target]:
    """Every tool of the CMS as the application has it, called by a model and by a composed callee."""
    app = build(folder).app
    tools = [each for agent in app.agents for each in agent.tools] + list(app.tools)
    made = [_with_recording_body(each, ran) for each in tools if isinstance(each, Tool)]
    direct = [_target(each, _SAMPLES.get(each.name) or _minimal_arguments(each.schema_in.json_schema)) for each in made]
    return [*direct, *(_composed_target(target, ran) for target in direct)]


def casefile_targets(ran: ExecutionLog, made: CasefileApplication) -> list[Target]:
    """Every tool of the casefile application, called by a model and by a pipeline."""
    # The writes of the record are refused to everyone but their own methods before anybody is asked.
    tools = [each for each in approval_casefile.inventory_tools(made) if each.name not in RECORD_TOOLS]
    counted = [_with_recording_body(each, ran) for each in tools]
    samples = [
        approval_casefile.sample_arguments(each.name, _minimal_arguments(each.schema_in.json_schema))
        for each in counted
    ]
    session_layers = (approval_casefile.InChatSession(),)
    direct = [_target(each, said, session_layers) for each, said in zip(counted, samples, strict=True)]
    return [*direct, *(_pipeline_target(target, ran) for target in direct)]


def _target(made: AnyTool, arguments: dict[str, Any], inside: Iterable[CallLayer] = ()) -> Target:
    confirm = made.facts.confirm
    arguments = {**arguments, confirm: True} if confirm else arguments
    others = next(iter(_changed_arguments(arguments, confirm)), None)
    found = Target(made, arguments, others, inside=tuple(inside))
    found.canonical(arguments)
    found.canonical(others or arguments)
    return found


def _with_recording_body(made: AnyTool, ran: ExecutionLog) -> AnyTool:
    """The same contract, facts and layers; the body only says that it ran."""
    operation, schema = made.function, made.schema_in

    @functools.wraps(operation)
    async def body(*given: Any) -> Any:
        payload = given[-1] if given and hasattr(given[-1], "model_dump") else schema.model()
        ran.executions.append((made.name, schema.dump_canonical(payload)))
        raise LookupError("it ran")

    return redefine(made, body)


def redefine(
    made: AnyTool,
    body: Callable[..., Awaitable[Any]],
    *,
    description: str = "",
    risk: Risk | None = None,
    egress: bool = False,
    effect: Effect | None = None,
) -> AnyTool:
    """The tool with another body, another description, risk, egress or effect."""
    facts = replace(made.facts, risk=risk or made.facts.risk, egress=egress, effect=effect or made.facts.effect)
    again = build_tool(body, facts, name=made.name, description=description or made.description)
    return again.layer(made.layers) if len(made.layers) else again


def _composed_target(target: Target, ran: ExecutionLog) -> Target:
    """A high-risk composed callee in Python that calls the tool."""
    target_tool, arguments = target.tool, target.arguments

    recorded = set[str]()

    @tool(name=f"through_{target_tool.name}"[:64], effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def through(ctx: Context, note: str) -> str:
        """Call another tool. Driven again until it ends, it is one call."""
        if ctx.key not in recorded:
            ran.executions.append((f"through_{target_tool.name}", json.dumps({"note": note}, separators=(",", ":"))))
        recorded.add(ctx.key)
        await getattr(ctx.tools, target_tool.name)(**arguments)
        return "called"

    return Target(through, {"note": "go"}, {"note": "gone"}, (target_tool,))


def _pipeline_target(target: Target, ran: ExecutionLog) -> Target:
    """As `_within`, of which the body is a pipeline of one step."""
    target_tool = target.tool
    step = Step(name="only", callee=target_tool, takes=target.arguments)
    recorded = set[str]()

    @tool(name=f"pipeline_{target_tool.name}"[:64], effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def pipeline(ctx: Context, note: str) -> str:
        """Go through a pipeline. Driven again until it ends, it is one call."""
        if ctx.key not in recorded:
            ran.executions.append((f"pipeline_{target_tool.name}", json.dumps({"note": note}, separators=(",", ":"))))
        recorded.add(ctx.key)
        await Pipeline("only", _Nothing, (step,), description="Call it.").run_within(ctx, _Nothing())
        return "called"

    return Target(pipeline, {"note": "go"}, {"note": "gone"}, (target_tool,), target.inside)


class _Nothing(BaseModel):
    """What that pipeline takes."""


def _minimal_arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """The least that a schema asks for."""
    named: dict[str, Any] = schema.get("properties", {})
    return {name: _minimal_value(_resolve_schema(named[name], schema), schema) for name in schema.get("required", [])}


def _resolve_schema(part: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    name = str(part.get("$ref", "")).rpartition("/")[2]
    return whole["$defs"][name] if name else part


def _minimal_value(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return _minimal_value(_resolve_schema(schema["anyOf"][0], whole), whole)
    match schema.get("type"):
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [_minimal_value(_resolve_schema(schema["items"], whole), whole)] * int(schema.get("minItems", 0))
        case "object":
            return _minimal_arguments({**schema, "$defs": whole.get("$defs", {})})
        case _:
            return str(schema.get("enum", ["about"])[0])


def _changed_arguments(arguments: dict[str, Any], confirm: str | None) -> list[dict[str, Any]]:
    """Valid arguments that differ in one text; none where a tool takes no text that is free."""
    other = approval_casefile.ALTERNATIVES
    texts = [name for name, value in arguments.items() if isinstance(value, str) and name not in (confirm, "outcome")]
    return [{**arguments, name: other.get(arguments[name], f"{arguments[name]}x")} for name in texts]


def ask_always() -> Policy:
    """Asks about every tool, by the name of the rule ``asked``."""
    return Policy.only(When("asked", lambda call: call.callee.name != "agent", Ask(reason="it is asked about")))


@dataclass
class Stage:
    """One case: a target, a store, a clock; the runs that it makes."""

    target: Target
    ran: ExecutionLog
    store: Store
    clock: Clock
    today: dict[str, Principal | None] = field(default_factory=dict[str, "Principal | None"])
    """What the directory says of those who have changed since."""

    def make_runtime(
        self,
        *script: Any,
        made: AnyTool | None = None,
        more: tuple[AnyTool, ...] = (),
        policy: Policy | None = None,
        env: HasApprover | None = None,
        inside: tuple[CallLayer, ...] = (),
    ) -> Runtime:
        """A runtime with the target, of an agent that says ``script``."""
        tools = (made or self.target.tool, *self.target.inner, *more)
        layers = Stack[CallLayer](preset(env or Env(), policy=policy or ask_always()), *inside, *self.target.inside)
        agent = Agent("agent", instructions="Work.", tools=tools)
        kinds = {kind for each in tools for kind in each.schema_in.references}
        app = App(name="matrix", agents=(agent,), references=dict.fromkeys(kinds, _find_any))
        model = Scripted([*script, "done", "done", "done"])
        return Runtime(app, store=self.store, model=model, clock=self.clock, layers=layers, directory=self._find)

    def _find(self, name: str, tenant: str) -> Principal | None:
        return self.today.get(name, superuser(name=name, tenant=tenant))

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.target.tool.name


async def _find_any(_ctx: LeafContext, text: str) -> list[Candidate]:
    """The object that any text names."""
    return [Candidate(text, text, "1")]
