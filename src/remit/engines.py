"""Engines decide which process executes a run, and when: tasks of this process, or a queue on Postgres.

`DbosEngine` needs the extra ``dbos``; an engine of your own satisfies `Engine`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.adapters.dbos import DbosEngine as DbosEngine
    from remit.engine.local import LocalEngine as LocalEngine
    from remit.engine.port import Engine as Engine
    from remit.engine.port import ErrorHandler as ErrorHandler
    from remit.engine.port import ExecuteFunction as ExecuteFunction
    from remit.engine.port import ExecutionReport as ExecutionReport
    from remit.engine.run_schedules import RunSchedules as RunSchedules
    from remit.engine.schedule import Schedule as Schedule
else:
    __getattr__ = lazy_exports(__name__, extras={"remit.adapters.dbos": "dbos"})
