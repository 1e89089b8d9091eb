"""A service is an async callable of one argument. Everything else is built from it."""

from __future__ import annotations

from typing import Protocol, TypeVar

Q_contra = TypeVar("Q_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Service(Protocol[Q_contra, R_co]):
    """From one value to another, asynchronously.

    A function, a bound method, a closure and an object with ``__call__`` all fit. The argument is positional, so that
    nobody depends on its name.
    """

    async def __call__(self, request: Q_contra, /) -> R_co:
        """Answer the request, or raise."""
        ...
