"""Mutants of the figures that kill processes: of each crash sweep."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.crash import Kill, Kind, measure_postgres, measure_sweep
from figures.mutants.mutant import Mutant, Plant, edited
from figures.mutants.resumed import TARGET_LOST

_BASE: Final = "remit.dispatch.base:Base"

CRASH_DEFECTS: Final[tuple[tuple[Kind, str, Plant], ...]] = (
    (
        "doubled",
        "an unsafe call that was under way runs again",
        edited(
            f"{_BASE}.__call__",
            "self._run_unsafe if started is None else self._settle_or_run",
            "self._run_unsafe",
        ),
    ),
    (
        "doubled",
        "the start of a call is not durable before its effect",
        edited(f"{_BASE}._write_item", "await call.ledger.commit(item)", "call.ledger.add(item)"),
    ),
    (
        "doubled",
        "a call that has ended runs again",
        edited(
            "remit.layers.record:_Record.__call__",
            "if isinstance(item, ToolOutput) and not is_reexecuted:",
            "if False:",
        ),
    ),
    (
        "lost",
        "a call that did not happen is recorded as done",
        edited(
            f"{_BASE}._resolve_outcome", "decision is not None and decision.approved is True", "decision is not None"
        ),
    ),
    (
        "lost",
        "a recorded result is not given back",
        edited(
            "remit.layers.record:_Record.__call__",
            "Reply.from_journal(content,",
            'Reply.from_journal("{}",',
        ),
    ),
    (
        "lost",
        "the key of a call is another one in each execution",
        edited(
            "remit.dispatch.context:CallContext.__init__", "self._key = call.id", 'self._key = f"{id(self)}{call.id}"'
        ),
    ),
)

_REFERENCES: Final[dict[str, tuple[str, Plant]]] = {
    "a large result or a file is recorded before its content is stored": (
        "sqlite",
        edited(
            "remit.engine.artifacts:StoredArtifacts._own_artifact",
            "await self._store.add_artifact(artifact.digest, self._scope, content)",
            "asyncio.get_running_loop().call_later(0.05, lambda: asyncio.ensure_future("
            "self._store.add_artifact(artifact.digest, self._scope, content)))",
        ),
    ),
    "a resumed run has lost its target": (
        "sqlite",
        TARGET_LOST,
    ),
    "a nested call loses the target of its run": (
        "nested",
        edited("remit.record.principal:Caller.enter_call", "self.target,", '"",'),
    ),
    "the correction of a result is not on record": (
        "postgres",
        edited(
            "remit.agent.typed_result:record_reply",
            'chat.ledger.add(Message(call=chat.call_id, agent=chat.agent_call_id, text=text, by="loop"))',
            "pass",
        ),
    ),
    "the reply to a result given by a call is not on record": (
        "workers",
        edited(
            "remit.agent.typed_result:record_reply",
            'chat.ledger.add(Message(call=chat.call_id, agent=chat.agent_call_id, text=text, by="loop"))',
            "pass",
        ),
    ),
    "a resumed run is compacted in another way": (
        "sqlite",
        edited("remit.agent.compactor:_list_compactions", "item.turn <= chat.turn", "item.turn < 0"),
    ),
    "a resumed run remembers anew": (
        "sqlite",
        edited("remit.agent.first_messages:record_message", "if recorded is None:", "if True:"),
    ),
    "what a search found is not shown to the model": (
        "sqlite",
        edited(
            "remit.agent.tool_search:names_found",
            'found.update(dict.fromkeys(names_in_reply(message.get("content")), index))',
            "pass",
        ),
    ),
    "the pieces of an answer that a killed process was writing are not withdrawn": (
        "stalled",
        edited("remit.client.following:_Cursor.drop_lost", "if known not in ids]", "if known is None]"),
    ),
    "a reader who goes on misses an item": (
        "sqlite",
        edited("remit.client.following:_follow", "store.read(run, cursor.seq)", "store.read(run, cursor.seq + 1)"),
    ),
}
"""What loses files, targets, typed results and parts of the whole agent, each with the sweep that must notice it."""

_POINTS: Final = (Kill(1, "before send"), Kill(1, "after send"), *map(Kill, range(1, 1000, 3)))
"""Kills before an unsafe effect and between it and its end, wherever these stand, and at each third point."""

_MEASURES: Final = {
    "sqlite": partial(measure_sweep, "sqlite", "flat"),
    "nested": partial(measure_sweep, "nested", "nested"),
    "workers": partial(measure_sweep, "workers", "workers"),
    "stalled": partial(measure_sweep, "stalled", "stalled"),
    "postgres": partial(measure_postgres, "postgres"),
    "postgres_stalled": partial(measure_postgres, "postgres_stalled"),
}


def _mutant(world: str, kind: Kind, defect: str, plant: Plant) -> Mutant:
    measure = partial(_MEASURES[world], points=_POINTS, until=kind)
    return Mutant(figure=f"crash.{world}.{kind}", defect=defect, plant=plant, measure=measure)


MUTANTS: Final = (
    *(_mutant(world, *defect) for world in _MEASURES for defect in CRASH_DEFECTS),
    *(_mutant(world, "lost", defect, plant) for defect, (world, plant) in _REFERENCES.items()),
)
