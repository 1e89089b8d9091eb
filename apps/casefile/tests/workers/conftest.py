"""The application at a Google of its own."""

from __future__ import annotations

from apps.casefile.tests.workspace.conftest import casefile, desk

__all__ = ["casefile", "desk"]
