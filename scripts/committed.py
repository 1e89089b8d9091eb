"""Which files the project consists of: what git knows, and what it would take in."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def list_project_files(*patterns: str) -> list[Path]:
    """The files under version control or about to be, relative to the root; deleted ones are left out."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    names = sorted({name for name in listing.stdout.split("\0") if name})
    return [Path(name) for name in names if (ROOT / name).is_file()]
