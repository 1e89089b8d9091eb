"""The illustrator keeps an attached picture and puts it on a page, through the tools of the CMS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.workers.test_editor import ANN, replies, with_page
from remit import Runtime
from remit.messages import ChatRequest
from remit.testing import Scripted, calls
from remit.tools import Arguments
from remit_cms.workers.illustrating import Illustrate, Illustrated


async def test_it_keeps_an_attached_picture_and_puts_it_on_a_page(tmp_path: Path) -> None:
    cms = await with_page(tmp_path)

    def place(request: ChatRequest) -> dict[str, Any]:
        image = replies(request)[0]["image"]["id"]
        return calls(("cms_addImageToSection", {"pageSectionId": "about/hero", "imageId": image}))

    def report(request: ChatRequest) -> dict[str, Any]:
        image = replies(request)[0]["image"]["id"]
        return calls(("final_result", {"images": [image], "summary": "The hero shows the loaf."}))

    def upload(_request: ChatRequest) -> dict[str, Any]:
        return calls(("cms_uploadImage", {"file": file.model_dump(mode="json"), "altText": "A loaf"}))

    model = Scripted([upload, place, report])
    runtime = Runtime(cms.app, model=model)
    file = await runtime.artifacts.add(picture_file(), by=ANN, name="loaf.png")
    (illustrator,) = (each for each in cms.app.tools if each.name == "illustrator")
    result = await runtime.call(illustrator, ANN, Illustrate(task="Put the loaf on About.", files=[file]))
    done = result.value()
    assert isinstance(done, Illustrated)
    placed = replies(model.requests[-1])[1]
    assert (placed["image"]["id"], placed["changed"]) == (done.images[0], ["image"])
    assert file.digest in json.loads(model.requests[0].history[0])["content"]
    assert (await runtime.replay(result.run)).is_identical
    await cms.database.close()


async def test_it_looks_at_a_picture_of_the_site_before_it_writes_its_alternative_text(tmp_path: Path) -> None:
    cms = await with_page(tmp_path)
    look = calls(("cms_getImageRendition", {"imageId": "loaf.png"}))
    write = calls(("cms_updateImage", {"imageId": "loaf.png", "altText": "An orange square"}))
    model = Scripted([look, write, calls(("final_result", {"images": ["loaf.png"], "summary": "It has a text."}))])
    runtime = Runtime(cms.app, model=model)
    file = await runtime.artifacts.add(picture_file(), by=ANN, name="loaf.png")
    arguments = {"file": file.model_dump(mode="json"), "altText": "To do"}
    await runtime.call_by_name("cms_uploadImage", Arguments(json.dumps(arguments), arguments), by=ANN)
    (illustrator,) = (each for each in cms.app.tools if each.name == "illustrator")
    result = await runtime.call(illustrator, ANN, Illustrate(task="Write what loaf.png shows."))
    assert isinstance(result.value(), Illustrated)
    shown, written = replies(model.requests[-1])
    assert shown["rendition"]["media_type"] == "image/webp"  # of which the model is sent the picture, if it sees any
    assert written["changed"] == ["altText"]
    await cms.database.close()
