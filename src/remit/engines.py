"""Engines decide which process executes a run, and when: tasks of this process, or a queue on Postgres.

`DbosEngine` needs the extra ``dbos``; an engine of your own satisfies `Engine`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.adapters.dbos import DbosEngine
    from remit.engine.local import LocalEngine
    from remit.engine.port import Engine, ErrorHandler, ExecuteFunction, ExecutionReport
    from remit.engine.run_schedules import RunSchedules
    from remit.engine.schedule import Schedule

__all__ = [
    "DbosEngine",
    "Engine",
    "ErrorHandler",
    "ExecuteFunction",
    "ExecutionReport",
    "LocalEngine",
    "RunSchedules",
    "Schedule",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.adapters.dbos": ("DbosEngine",),
            "remit.engine.local": ("LocalEngine",),
            "remit.engine.port": ("Engine", "ErrorHandler", "ExecuteFunction", "ExecutionReport"),
            "remit.engine.run_schedules": ("RunSchedules",),
            "remit.engine.schedule": ("Schedule",),
        },
        extras={"remit.adapters.dbos": "dbos"},
    )
