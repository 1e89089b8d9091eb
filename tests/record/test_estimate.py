"""Tokens are estimated before a request: a quarter of the bytes, and the most that each file and image may cost."""

from __future__ import annotations

import json

import pytest

from remit.record.arguments import Limits
from remit.record.artifact import new_artifact
from remit.record.current_run import CURRENT_RUN, CurrentRun
from remit.record.estimate import PDF, READS_IMAGES, Reads, estimate_tokens, image_tokens


def reference(content: bytes = b"x", media_type: str = "image/png") -> str:
    return new_artifact(content, name="a", media_type=media_type, max_bytes=99).model_dump_json()


def beside_text(*texts: str, model: str = "openai:gpt-4o", reads: Reads = READS_IMAGES) -> int:
    """The tokens beside those of the texts' letters."""
    return estimate_tokens(texts, model, reads=reads) - -(-sum(map(len, texts)) // 4)


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("anthropic:claude-sonnet-4-5", 4_784),
        ("openrouter:anthropic/Claude-Opus", 4_784),
        ("google:gemini-3-pro", 2_240),
        ("openai:gpt-4o-mini", 48_169),
        ("openai:gpt-4o-2024-11-20", 1_445),
        ("openai:gpt-4.1-mini", 2_489),
        ("openai:gpt-5", 15_000),
        ("", 15_000),
    ],
)
def test_an_image_costs_the_most_of_its_models_family(model: str, tokens: int) -> None:
    assert image_tokens(model) == tokens


def test_references_to_images_count_once_in_any_message_and_files_do_not() -> None:
    one, two = reference(b"1"), reference(b"2", "image/webp")
    user, tool = json.dumps({"content": f"File: {one}"}), json.dumps({"content": f"[{two},{one}]"})
    assert beside_text(user) == 1_445
    assert beside_text(user, tool, user) == 2 * 1_445
    assert beside_text(reference(media_type="application/pdf"), reference(media_type="image/svg+xml")) == 0


def test_an_image_above_the_limit_stays_a_reference_and_counts_nothing() -> None:
    token = CURRENT_RUN.set(CurrentRun(limits=Limits(image_bytes=2)))
    try:
        assert beside_text(reference(b"12"), reference(b"123")) == 1_445
    finally:
        CURRENT_RUN.reset(token)


def test_embedded_and_linked_images_count_too() -> None:
    data = "iVBORw0K" * 1_000
    assert estimate_tokens([f"data:image/png;base64,{data}"], "gpt-4o") == 1_445
    assert estimate_tokens([data], "gpt-4o") == 1_000
    binary = f'{{"data":"{data}","identifier":null,"kind":"binary","media_type":"image/png"}}'
    assert 1_445 <= estimate_tokens([binary], "gpt-4o") < 1_455
    assert estimate_tokens([binary.replace("image/png", "application/pdf")], "gpt-4o") > 1_000
    assert beside_text('{"image_url":{"url":"https://example.org/a.png"}}') == 1_445


def test_a_model_that_reads_no_images_is_sent_none() -> None:
    assert beside_text(reference(), reads=Reads(images=False)) == 0
    assert (
        estimate_tokens([f"data:image/png;base64,{'iVBORw0K' * 1_000}"], "gpt-4o", reads=Reads(images=False)) == 1_000
    )


def test_a_pdf_counts_once_for_a_model_that_is_sent_it() -> None:
    large = reference(media_type=PDF).replace('"size":1,', '"size":800000,')
    assert beside_text(large, large) == 0
    assert beside_text(large, large, reads=Reads(pdfs=True)) == 100_000
    assert beside_text(reference(media_type=PDF), reads=Reads(pdfs=True)) == 3_000
