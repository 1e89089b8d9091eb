"""A model as every driver asks it: traced, recorded and charged to the budget."""

from __future__ import annotations

from functools import partial

from remit.agent.layered_model import LayeredModel
from remit.agent.media import reads_of
from remit.agent.model import Model, NamedModel, ask_directly, model_name
from remit.agent.model_recorder import RecordModel
from remit.call.call import ModelService
from remit.call.guard import compose_models
from remit.layers.trace import TraceModel


def recorded_model(model: Model, layers: LayeredModel) -> ModelService:
    """The model inside the layers of an agent, with the recorder around them."""
    traced = TraceModel(model=model.model, vendor=model.vendor) if isinstance(model, NamedModel) else TraceModel()
    recorder = RecordModel(layers, model_name(model), reads=reads_of(model))
    return compose_models([traced, recorder], partial(ask_directly, model))
