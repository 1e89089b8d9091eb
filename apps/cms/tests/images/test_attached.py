"""A picture that a person attaches to a message becomes an image of the site."""

from __future__ import annotations

from typing import Any

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.artifacts import Artifact, RunArtifacts
from remit.messages import ChatRequest
from remit.testing import Scripted, calls
from remit_cms.agent import editor
from remit_cms.images.library import Images
from remit_cms.tools import image_operations

ADA = Principal("ada", "local-site", permissions=frozenset({"*"}))


async def test_the_editor_uploads_a_picture_that_came_with_a_message(world: World) -> None:
    attached: list[Artifact] = []

    def upload(_request: ChatRequest) -> dict[str, Any]:
        return calls(("cms_uploadImage", {"file": attached[0].model_dump(), "altText": "A loaf"}))

    tools = image_operations(Images(world.database, RunArtifacts(), world.renditions), world.placing).callees
    app = App(name="cms", agents=(editor(tools),), references=world.references)
    ada = Runtime(app, model=Scripted([upload, "It is there."])).client(ADA)
    attached.append(await ada.add_artifact(picture_file(), name="loaf.png"))
    result = await ada.run("Keep this picture.", files=attached, conversation="talk")
    assert result.value() == "It is there."
    assert [each.name for each in await ada.working_memory("talk")] == ["loaf.png"]
