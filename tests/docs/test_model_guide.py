"""The model of the guide passes the suite that the guide says to run over it."""

from __future__ import annotations

from typing import Any

import pytest

from remit.testing.provider_suite import MakeModel, test_a_shape_ends_nothing
from tests.docs.reading import ROOT, blocks

__all__ = ["test_a_shape_ends_nothing"]


@pytest.fixture
def make_model() -> MakeModel:
    names: dict[str, Any] = {}
    exec(blocks(ROOT / "docs/guides/write-a-model.md", "python")[0], names)  # noqa: S102 - the guide's own program
    return lambda url: names["GatewayModel"]("small", base_url=url, token="t")
