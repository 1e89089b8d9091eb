"""Vectors as numpy has them. Needs numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remit.errors import ExternalError

Floats = NDArray[np.float32]

MAX_WIDTH: Final = 16_000
"""The numbers of a vector that pgvector can keep. More are refused on every database."""


def to_rows(vectors: Sequence[Sequence[float]]) -> list[Floats]:
    """Vectors as numpy has them, of length 1. Numbers that are none, or infinite, count as 0.

    Raises:
        ExternalError: what the model gave is no list of vectors, all of one width, or they are too wide.
    """
    with np.errstate(over="ignore"):
        try:
            given = np.asarray(vectors, np.float32)
        except (ValueError, TypeError, OverflowError) as error:
            raise _no_vectors() from error
        if not given.size and given.ndim == 1:
            return []
        if given.ndim != 2:
            raise _no_vectors()
        if not 0 < given.shape[1] <= MAX_WIDTH:
            raise ExternalError(f"the model gave vectors of {given.shape[1]:,} numbers; 1 to {MAX_WIDTH:,} can be kept")
        matrix = np.nan_to_num(given, posinf=0, neginf=0)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        return [*(matrix / np.where(lengths > 0, lengths, 1))]


def _no_vectors() -> ExternalError:
    return ExternalError("the vectors that the model gave are not lists of numbers of one length")
