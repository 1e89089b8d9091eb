"""SQL functions for applications that behave the same in SQLite and Postgres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from remit.core.call_checks import check_arguments
from remit.core.checks import check_text, wrong_value


@check_arguments()
@dataclass(frozen=True, kw_only=True)
class SqlFunction:
    """An SQL function of texts. It returns NULL for NULL.

    Args:
        python: the function that SQLite calls.
        postgres: the expression for Postgres, in which ``$1`` is the first parameter; or a function that returns it.
        parameters: how many texts it takes.
        returns: the result type in Postgres.
    """

    python: Callable[..., Any]
    postgres: str | Callable[[], str]
    parameters: int = 1
    returns: str = "text"

    def __post_init__(self) -> None:
        """Refuse an expression that could end its own quotes."""
        if not callable(self.postgres):
            check_text("SqlFunction: postgres", self.postgres)
            if "$remit$" in self.postgres:
                raise wrong_value("SqlFunction: postgres", self.postgres, "leave out $remit$, which quotes it")

    def call_python(self, *arguments: object) -> object:
        """The function that SQLite calls."""
        return None if None in arguments else self.python(*arguments)

    @cached_property
    def body(self) -> str:
        """The source of the function in Postgres."""
        return f"SELECT {self.postgres() if callable(self.postgres) else self.postgres}"

    def definition(self, name: str) -> str:
        """The statement that creates or replaces the function in Postgres."""
        parameters = ", ".join(["text"] * self.parameters)
        return (
            f'CREATE OR REPLACE FUNCTION "{name}"({parameters}) RETURNS {self.returns} '
            f"LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $remit${self.body}$remit$"
        )


_CASED_END: Final = 0x20000
"""The code point beyond which no letter has two cases."""


def _casefold_expression() -> str:
    """`str.casefold` as an expression that is independent of the locale and version of Postgres."""
    folded = {char: fold for char in map(chr, range(_CASED_END)) if (fold := char.casefold()) != char}
    single = {char: fold for char, fold in folded.items() if len(fold) == 1}
    expression = f"translate($1, '{''.join(single)}', '{''.join(single.values())}')"
    for char, fold in folded.items():
        if len(fold) > 1:
            expression = f"replace({expression}, '{char}', '{fold}')"
    return expression


CASEFOLD: Final = SqlFunction(python=str.casefold, postgres=_casefold_expression)
"""Folds the case of all letters like `str.casefold`. SQLite itself folds only ASCII; Postgres uses its locale."""
