"""Numbers and lists of names in prose are those of the code and of what is installed."""

from __future__ import annotations

import re
from inspect import getmembers_static, getmro
from pathlib import Path

import pytest

from remit import Context
from remit.stores import Store
from tests.docs.reading import ROOT

NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
COUNTED = re.compile(rf"\b{NUMBER} (?:\w+ )?(?:ports|members)\b", re.IGNORECASE)
GUIDES = ROOT / "docs" / "guides"
PIN = re.compile(r"^([a-z0-9-]+)==(\d+\.\d+)", re.MULTILINE)


def _texts() -> list[Path]:
    sources = (ROOT / "src").rglob("*.py")
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *sources]


def test_no_text_counts_the_ports_of_a_store_or_the_members_of_a_context() -> None:
    """They change, and a number in prose does not."""
    found = {
        str(path.relative_to(ROOT)): counted
        for path in _texts()
        if (counted := COUNTED.findall(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_the_guide_names_every_member_of_a_context() -> None:
    (sentence,) = re.findall(
        r"A `Context` has the members ([^.]*), and no others\.",
        (GUIDES / "write-a-tool.md").read_text(encoding="utf-8"),
    )
    members = {name for name, _ in getmembers_static(Context) if not name.startswith("_")}
    assert set(re.findall(r"`(\w+)`", sentence)) == members


def test_the_architecture_names_every_port_of_a_store() -> None:
    text = " ".join((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split())
    (named,) = re.findall(r"so that one transaction spans them: ([^.]*)\.", text)
    ports = [base for base in getmro(Store)[1:] if base.__module__.startswith("remit.journal.")]
    assert len(re.split(r", (?:and )?", named)) == len(ports)


@pytest.mark.parametrize("guide", ["coming-from-langgraph", "coming-from-openai-agents", "coming-from-pydanticai"])
def test_a_guide_for_readers_of_another_framework_names_the_release_that_is_compared(guide: str) -> None:
    pins = dict(PIN.findall((ROOT / "requirements" / "compare.txt").read_text(encoding="utf-8")))
    text = (GUIDES / f"{guide}.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"runs both programs below, theirs with\s+([^:]*?)\.\n", text)
    named = re.findall(r"([a-z-]+) (\d+\.\d+)", sentence)
    assert named
    assert {name: pins[name] for name, _ in named} == dict(named)
