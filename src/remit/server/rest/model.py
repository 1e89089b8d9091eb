"""The model of a server: which one it is, and choosing another while the server runs."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from remit.errors import RequestConflictError, RequestDeniedError
from remit.models.choice import ModelChoice
from remit.server.documents.model import ChooseModel, FetchWeights, ModelDocument
from remit.server.model_switch import ModelInUse, ModelSwitch
from remit.server.permissions import CHOOSE_PERMISSION
from remit.server.rest.operation import NoQuery, Operation, Sent

_PATH: Final = "/api/model"
_WEIGHTS: Final = f"{_PATH}/weights"


async def read_model(sent: Sent[NoQuery, Any]) -> ModelDocument:
    """The model that agents ask which name none, and what can be chosen instead."""
    switch = sent.serving.models
    used = ModelInUse("application") if switch is None else switch.in_use
    problem = await asyncio.to_thread(used.find_problem)
    may_choose = switch is not None and switch.may_choose(sent.client.principal)
    return ModelDocument.of(used, switch, may_choose=may_choose, problem=problem)


async def choose_model(sent: Sent[NoQuery, ChooseModel]) -> ModelDocument:
    """Choose another model, after one request to it. Needs `models:choose`.

    Runs that wait for a model go on. The key is kept in a private file of the server and never sent back.
    """
    body = sent.body
    await _find_switch(sent).choose(ModelChoice(name=body.name, key=body.key.strip(), address=body.address.strip()))
    return await read_model(sent)


async def forget_model(sent: Sent[NoQuery, None]) -> ModelDocument:
    """Forget the chosen model and its key. Needs `models:choose`."""
    await _find_switch(sent).forget()
    return await read_model(sent)


async def fetch_weights(sent: Sent[NoQuery, FetchWeights]) -> ModelDocument:
    """Fetch weights in the background, or continue a fetch. Needs `models:choose`.

    They are used when they have come, if no model is chosen.
    """
    switch = _find_switch(sent)
    switch.check_free()
    switch.weights.start(sent.body.name)
    return await read_model(sent)


async def stop_weights(sent: Sent[NoQuery, None]) -> ModelDocument:
    """Stop fetching weights. What is here is kept. Needs `models:choose`."""
    await _find_switch(sent).weights.stop()
    return await read_model(sent)


def _find_switch(sent: Sent[Any, Any]) -> ModelSwitch:
    """What chooses the model.

    Raises:
        RequestDeniedError: the person may not. RequestConflictError: it is fixed.
    """
    switch = sent.serving.models
    if switch is None:
        raise RequestConflictError("the program that mounts this server sets its model")
    if not switch.may_choose(sent.client.principal):
        raise RequestDeniedError(f"choosing a model needs the permission {CHOOSE_PERMISSION}, in the operator's tenant")
    return switch


OPERATIONS: Final = (
    Operation(method="GET", path=_PATH, handle=read_model, answer=ModelDocument),
    Operation(method="POST", path=_PATH, handle=choose_model, answer=ModelDocument, body=ChooseModel),
    Operation(method="DELETE", path=_PATH, handle=forget_model, answer=ModelDocument),
    Operation(method="POST", path=_WEIGHTS, handle=fetch_weights, answer=ModelDocument, body=FetchWeights, status=202),
    Operation(method="DELETE", path=_WEIGHTS, handle=stop_weights, answer=ModelDocument),
)
