"""The wheel of this distribution is complete, and Remit finds its entry point."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remit.models.local import find_local_models
from remit_local.models import LOCAL_MODELS

PROJECT = Path(__file__).parents[1]


@pytest.mark.process
def test_the_wheel_holds_the_lock_of_the_weights(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    program = (
        f"import sys; sys.path.insert(0, {str(wheel)!r}); import remit_local.models; "
        "print(remit_local.__file__, [len(each.parts) for each in remit_local.models.KNOWN_WEIGHTS.values()])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == f"{wheel / 'remit_local/__init__.py'} [6, 22]\n"


def test_remit_finds_the_models_by_their_entry_point() -> None:
    assert find_local_models() is LOCAL_MODELS


@pytest.mark.process
def test_finding_the_models_imports_neither_the_client_nor_the_native_library() -> None:
    program = (
        "import sys; from remit.models.resolve import resolve_model; resolve_model('local:base').find_weights(); "
        "print([each for each in ('openai', 'xllamacpp') if each in sys.modules], 'remit_local' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "[] True\n"
