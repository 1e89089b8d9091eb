"""Vectors as numpy has them. Needs numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def to_rows(vectors: Sequence[Sequence[float]]) -> list[Floats]:
    """Vectors as numpy has them, of length 1. Numbers that are none, or infinite, count as 0."""
    matrix = np.nan_to_num(np.asarray(vectors, np.float32), posinf=0, neginf=0)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return [*(matrix / np.where(lengths > 0, lengths, 1))]
