"""A service is an async callable with one argument. Everything else is built from services."""

from __future__ import annotations

from typing import Protocol, TypeVar

Q_contra = TypeVar("Q_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Service(Protocol[Q_contra, R_co]):
    """An async callable from a request to a response.

    Functions, bound methods, closures and objects with ``__call__`` all fit. The argument is positional-only, so that
    its name is not part of the interface.
    """

    async def __call__(self, request: Q_contra, /) -> R_co:
        """Answer the request or raise."""
        ...
