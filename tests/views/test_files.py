"""The files of a run are those that a person gave and those that calls returned, each once."""

from __future__ import annotations

from remit.record.items import Item
from remit.views.files import files_of
from remit.views.run_view import RunView
from tests.views.test_run_view import output

REFERENCE = '{"digest":"sha256:' + "0" * 64 + '","size":3,"name":"menu.txt","media_type":"text/plain"}'


def names(*items: Item) -> list[tuple[str, str, float]]:
    view = RunView()
    for number, item in enumerate(items, start=1):
        view.add(item, float(number))
    return [(each.artifact.name, each.by, each.at) for each in files_of(view, "r")]


def test_a_file_that_a_result_has_inside_is_that_of_its_tool() -> None:
    assert names(output(content=f'{{"result": {{"files": [{REFERENCE}, {REFERENCE}]}}}}')) == [
        ("menu.txt", "save", 1.0)
    ]


def test_a_result_that_failed_gave_no_file() -> None:
    assert names(output("failed", f'{{"error": "no", "file": {REFERENCE}}}')) == []


def test_what_only_looks_like_a_reference_is_no_file() -> None:
    for content in (
        f"not JSON: {REFERENCE}",
        REFERENCE.replace("menu.txt", "../menu.txt"),
        REFERENCE.replace('"size":3', '"size":-3'),
        f'{{"remit_artifact":{REFERENCE}}}',
        "[" * 100_000 + REFERENCE,
    ):
        assert names(output(content=content)) == []
