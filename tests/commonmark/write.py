"""Writes the examples from the text of the specification: ``python -m tests.commonmark.write spec.txt``.

The npm package ``commonmark-spec`` has that text.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Final

from tests.commonmark import FILE

_FENCE: Final = "`" * 32
_PART: Final = re.compile(
    rf"^{_FENCE} example\n(.*?)^\.\n(.*?)^{_FENCE}$|^#{{1,6}} *([^\n]*)$", re.DOTALL | re.MULTILINE
)


def main() -> None:
    """Write all examples, one a line."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8").partition("<!-- END TESTS -->")[0].replace("→", "\t")
    section, examples = "", list[tuple[str, str, str]]()
    for found in _PART.finditer(text):
        if found[3] is not None:
            section = found[3]
        else:
            examples.append((section, found[1], found[2]))
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in examples)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
