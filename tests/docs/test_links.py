"""What a document points at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.reading import ROOT, anchors, documents, links, name_of, prose

PLACES = (ROOT, ROOT / "src/remit", ROOT / "apps/cms", ROOT / "apps/cms/src/remit_cms")
MADE_BY_RECIPES = "build/"
EVERY = pytest.mark.parametrize("document", documents(), ids=name_of)


@EVERY
def test_every_link_leads_somewhere(document: Path) -> None:
    dead: list[str] = []
    for link in links(document):
        target, _, anchor = link.partition("#")
        path = (document.parent / target).resolve() if target else document
        if not path.exists() or (anchor and anchor not in anchors(path)):
            dead.append(link)
    assert dead == []


@EVERY
def test_every_file_that_is_named_exists(document: Path) -> None:
    named = re.findall(r"`([\w.-]+(?:/[\w.*-]+)+/?)`", prose(document))
    written = [name for name in named if not name.startswith(MADE_BY_RECIPES)]
    files = [name for name in written if re.search(r"\.(py|toml|md|json|txt|html)$|/$", name)]
    missing = [name for name in files if not any(list(place.glob(name)) for place in PLACES)]
    assert missing == []


def test_every_document_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path.is_dir():
            ahead += [page for page in path.glob("*.md") if page not in reached]
        elif path.suffix == ".md" and path not in reached:
            reached.add(path)
            ahead += [(path.parent / link.partition("#")[0]).resolve() for link in links(path)]
    assert [name_of(path) for path in documents() if path not in reached] == []
