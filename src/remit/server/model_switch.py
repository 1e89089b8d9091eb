"""Which model the agents of a server ask that name none. The operator changes it while the server runs.

| source | the model |
| --- | --- |
| `application` | every agent has its own, or the program that mounts the server gives one |
| `environment` | the one that ``REMIT_MODEL`` names; it cannot be chosen |
| `chosen` | the operator's choice, kept in the home folder |
| `rehearsal` | none: the script of the application, which says so in every message |
| `weights` | local weights that are here |
| `none` | none: runs rest as stalled, and go on when one is chosen |
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal

from msgspec import Struct

from remit.agent.agent import Agent
from remit.agent.linking import needs_model
from remit.agent.model import MODEL_VARIABLE, MissingModel, Model, ModelByName, model_name
from remit.app import App
from remit.errors import NoModelError, RemitError, RequestConflictError, RequestError, SetupError
from remit.journal.ports import RunFilter
from remit.models.choice import REHEARSAL, ChoiceFile, ModelChoice
from remit.models.rehearsal import Rehearsal
from remit.models.resolve import ResolvedModel, resolve_model
from remit.models.secret_key import without_key
from remit.record.principal import Principal
from remit.runtime import Runtime
from remit.server.permissions import CHOOSE_PERMISSION
from remit.server.weights import WeightsFetcher, list_weights

ModelSource = Literal["application", "environment", "chosen", "rehearsal", "weights", "none"]
_PREFERRED: Final = "base"
_BATCH: Final = 1000
_TEST_SECONDS: Final = 120.0
_NO_MODEL: Final = "no model is chosen; choose one in the console under Settings, Model, or set REMIT_MODEL"


class ModelInUse(Struct, frozen=True):
    """The model that a server asks, where it is from, and the choice behind it. ``missing`` says why there is none."""

    source: ModelSource
    model: Model | None = None
    choice: ModelChoice | None = None
    missing: str = ""

    @property
    def name(self) -> str:
        """Its name; empty without a model."""
        if self.source == "rehearsal":
            return REHEARSAL
        return model_name(self.model) if self.model is not None else self.choice.name if self.choice else ""

    @property
    def description(self) -> str:
        """A phrase for people."""
        match self.source:
            case "application":
                return "as the application sets it"
            case "none":
                return "no model"
            case "rehearsal":
                return "a script, not a model"
            case _:
                return self.model.description if isinstance(self.model, ResolvedModel) else self.name

    @property
    def is_script(self) -> bool:
        """Whether a script answers in the place of a model."""
        return self.source == "rehearsal" or (isinstance(self.model, ResolvedModel) and self.model.kind == "scripted")

    def find_problem(self) -> str:
        """Why it cannot be used, without a request; empty if it can, as far as that is known."""
        try:
            if isinstance(self.model, ModelByName):
                self.model.check()
        except NoModelError as error:
            return error.message
        return self.missing


class ModelSwitch:
    """Chooses the model of a runtime, at the start and while it runs.

    Args:
        runtime: the runtime. file: the operator's choice. environ: may name the model.
        tenant: the operator's, whose principals may choose: another tenant would learn what all others ask.

    Raises:
        SetupError: the file is no choice.
    """

    def __init__(
        self,
        runtime: Runtime,
        file: ChoiceFile,
        environ: Mapping[str, str],
        *,
        tenant: str,
    ) -> None:
        self._runtime, self._file, self._environ, self._tenant = runtime, file, environ, tenant
        self.wake: Callable[[str], Awaitable[None]] | None = None
        self._lock = asyncio.Lock()
        self._resolved = dict[ModelChoice, ResolvedModel]()
        self.weights = WeightsFetcher(self._take_weights)
        self.in_use = self._find_first()
        self._ask(self.in_use)

    @property
    def has_rehearsal(self) -> bool:
        """Whether the application has a script to rehearse with."""
        return any(each.script for each in self._runtime.app.examples)

    def may_choose(self, principal: Principal) -> bool:
        """Whether a principal may choose the model of all tenants."""
        return principal.tenant == self._tenant and principal.may(CHOOSE_PERMISSION)

    def explain_fixed(self) -> str:
        """Why no model can be chosen here; empty if it can be chosen."""
        if self.in_use.source == "environment":
            return f"REMIT_MODEL names the model {self.in_use.name}; unset it to choose one here"
        return "the application sets its models" if self.in_use.source == "application" else ""

    async def choose(self, choice: ModelChoice) -> None:
        """Use another model from now on, if one request to it succeeds, and keep the choice.

        Raises:
            RequestConflictError: the model is not to be chosen. RequestError: the model could not be used, and why.
        """
        async with self._lock:
            self.check_free()
            found = self._find_chosen(choice)
            await _try(found, choice.read_key(self._environ))
            await asyncio.to_thread(self._file.write, choice)
            await self._use(found)

    async def forget(self) -> None:
        """Keep no choice. Local weights answer if they are here.

        Raises:
            RequestConflictError: the model is not to be chosen.
        """
        async with self._lock:
            self.check_free()
            await asyncio.to_thread(self._file.remove)
            await self._use(self._find_first())

    async def close(self) -> None:
        """Stop what is being fetched."""
        await self.weights.close()

    async def _take_weights(self) -> None:
        """Use the weights that have come, if nothing else is chosen."""
        async with self._lock:
            if self.in_use.source == "none":
                await self._use(self._find_weights())

    def check_free(self) -> None:
        """Refuse to choose a model where it is fixed.

        Raises:
            RequestConflictError: says what sets it.
        """
        if why := self.explain_fixed():
            raise RequestConflictError(why)

    async def _use(self, found: ModelInUse) -> None:
        self._ask(found)
        self.in_use = found
        if found.model is not None and self.wake is not None:
            for run in await self._find_stalled():
                await self.wake(run)

    def _ask(self, found: ModelInUse) -> None:
        if found.source != "application":
            self._runtime.update(self._runtime.app, model=found.model or MissingModel(NoModelError(found.missing)))

    async def _find_stalled(self) -> list[str]:
        """The runs that may wait for a model."""
        found, where = list[str](), RunFilter(application=self._runtime.app.name, status="stalled", limit=_BATCH)
        while rows := await self._runtime.store.list_runs(**where):
            found += [each.run for each in rows]
            where["before"] = found[-1]
        return found

    def _find_first(self) -> ModelInUse:
        if not _needs_model(self._runtime.app):
            return ModelInUse("application")
        if name := self._environ.get(MODEL_VARIABLE):
            return ModelInUse("environment", resolve_model(name, self._environ))
        choice = self._file.read()
        if choice is not None and (choice.name != REHEARSAL or self.has_rehearsal):
            try:
                return self._find_chosen(choice)
            except RequestError as error:
                return ModelInUse("none", None, choice, error.message)
        return self._find_weights()

    def _find_chosen(self, choice: ModelChoice) -> ModelInUse:
        """What a choice means here.

        Raises:
            RequestError: its key is missing, or it is none to choose, or the application has no rehearsal.
        """
        try:
            choice.check()
            if choice.name != REHEARSAL and choice not in self._resolved:
                self._resolved[choice] = choice.resolve(self._environ)
        except SetupError as error:
            raise RequestError(error.message) from error
        if choice.name == REHEARSAL:
            if not self.has_rehearsal:
                raise RequestError(f"the application {self._runtime.app.name} has no rehearsal")
            return ModelInUse("rehearsal", Rehearsal(self._runtime.app.examples), choice)
        return ModelInUse("chosen", self._resolved[choice], choice)

    def _find_weights(self) -> ModelInUse:
        here = [each.name for each in list_weights() if each.is_downloaded]
        if not here:
            return ModelInUse("none", missing=_NO_MODEL)
        name = _PREFERRED if _PREFERRED in here else here[0]
        return ModelInUse("weights", resolve_model(f"local:{name}", self._environ))


def _needs_model(app: App) -> bool:
    callees = [*app.agents, *app.tools]
    return any(needs_model(callees, each.name) for each in callees)


async def _try(found: ModelInUse, key: str) -> None:
    """Ask a model once, in a run that is not kept. Local weights are loaded.

    Raises:
        RequestError: what is wrong, without the key.
    """
    try:
        async with asyncio.timeout(_TEST_SECONDS):
            problem = await asyncio.to_thread(found.find_problem) or await _ask_once(found)
    except TimeoutError:
        problem = f"the model {found.name} did not answer within {_TEST_SECONDS:.0f} seconds"
    except RemitError as error:
        problem = error.message
    if problem:
        raise RequestError(without_key(problem, key))


async def _ask_once(found: ModelInUse) -> str:
    """Ask a model for one word; why it did not answer, or empty."""
    if isinstance(found.model, ResolvedModel) and found.model.kind == "local":
        await found.model.start()
        return ""
    if found.is_script:
        return ""
    probe = Agent("probe", instructions="Answer in one word.")
    result = await Runtime(App(name="probe", agents=[probe]), model=found.model).run("Are you there?", by=_PROBE)
    if result.status == "done":
        return ""
    return result.reason or f"the run is {result.status}"


_PROBE: Final = Principal("probe")
