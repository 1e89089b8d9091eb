"""The models that a run of an application can reach, checked before the run is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remit.cli.client import LocalClient

if TYPE_CHECKING:
    from remit.app import App


def needs_model(app: App, callee: str) -> bool:
    """Whether ``callee``, or a callee it can reach, uses the model of this client."""
    from remit.agent import linking

    return linking.needs_model([*app.agents, *app.tools], callee)


def check_models(client: LocalClient, app: App, callee: str) -> None:
    """Check that every model a run can reach is available, before the run is opened or continued by a decision.

    Raises:
        SetupError: names the model and the missing part. No request was sent.
    """
    from remit.agent.linking import reachable_from
    from remit.agent.model import ChecksModel
    from remit.models.resolve import resolve_model

    if needs_model(app, callee):
        client.model.check()
    for each in reachable_from([*app.agents, *app.tools], callee):
        if isinstance(each, ChecksModel) and each.model is not None:
            each.check_model()
            if isinstance(each.model, str):
                resolve_model(each.model, client.environ).check()
