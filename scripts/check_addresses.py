"""No committed file ties the project to one machine: no registry's address, no path of somebody's home.

A lock that names a registry installs only where that registry is reached, and a path only where it exists.
"""

import re
import sys

from committed import ROOT, list_project_files

# The brackets keep this file from finding itself.
FORBIDDEN: dict[str, re.Pattern[str]] = {
    "a registry's address": re.compile(
        r"(?:pypi|pythonhosted|npmjs|yarnpkg|nodejs)[.](?:org|com)\b|://registry[.]|://\S+/simpl[e]\b"
    ),
    "a path of one machine": re.compile(r"(?<![\w.~-])/(?:root|home|Users|work)/[A-Za-z_.]"),
}


def main() -> int:
    """Name every line that holds one of them."""
    found = 0
    paths = list_project_files()
    for path in paths:
        try:
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for what, pattern in FORBIDDEN.items():
                if match := pattern.search(line):
                    print(f"{path}:{number} names {what}: {match[0]}", file=sys.stderr)
                    found += 1
    print(f"addresses: {found} in {len(paths)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
