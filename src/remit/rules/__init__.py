"""Policy files: rules over the run, windows, and their tests as YAML, with expressions in CEL."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.rules.expression import Expression as Expression
    from remit.rules.policy_file import PolicyFile as PolicyFile
    from remit.rules.policy_test import PolicyTestResult as PolicyTestResult
    from remit.rules.policy_test import run_tests as run_tests
else:
    __getattr__ = lazy_exports(__name__)
