"""The settings of a site: typed, with drafts and revisions, published with change sets."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import HOME, World
from remit import Principal
from remit.agent import RunInfo
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.images.payloads import DeleteImage
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.settings.payloads import (
    GetSiteSetting,
    GetSiteSettings,
    SettingsChange,
    UpdateSiteSettings,
)
from remit_cms.settings.settings import Settings, SettingsInForce
from remit_cms.settings.theme import theme_css


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


async def update(editor: Editor, **changes: Any) -> SettingsChange:
    settings = Settings(editor.world.database)
    return await settings.update_site_settings(editor.call(), UpdateSiteSettings.model_validate(changes))


async def read(editor: Editor, locale: str | None = None) -> dict[str, Any]:
    payload = GetSiteSettings(locale_code=locale)
    reply = await Settings(editor.world.database).get_site_settings(editor.call(), payload)
    return reply.settings.model_dump(by_alias=True)


async def test_a_site_without_settings_has_its_name_and_language(ann: Editor) -> None:
    assert await read(ann) == {"name": "Local site", "language": "en"}


async def test_the_logo_is_an_image_that_stands_in_for_the_name_once_it_is_published(ann: Editor, world: World) -> None:
    image = await world.image("Our sign", caption="Old")
    await publish(world, "Home")
    site = make_site(world)
    assert (await update(ann, logo="our sign")).message == "Changed logo of the site"
    assert await read(ann) == {
        "name": "Local site",
        "language": "en",
        "logo": {"imageId": image.id, "alt": "Our sign", "caption": "Old"},
    }
    assert (await update(ann, logo={"imageId": image.id})).message == "The settings are like that already"
    assert 'class="logo"' in await world.rendering.render(HOME, "home")
    assert 'class="logo"' not in (await visit(site, "/")).text
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id="Site settings"))
    shown = (await visit(site, "/")).text
    (source,) = re.findall(r'<img class="logo" src="(.*?)" alt="Local site" width="8" height="4">', shown)
    assert (await visit(site, source)).status == 200
    with pytest.raises(ConflictError, match="Site settings"):
        await world.images.delete_image(world.call(), DeleteImage(image_id=image.id))
    await update(ann, logo="")
    assert "logo" not in await read(ann)
    with pytest.raises(NotFoundError, match="There is no image 'sign'"):
        await update(ann, logo="sign")


async def test_settings_change_one_by_one_and_an_empty_value_removes_one(ann: Editor) -> None:
    first = await update(ann, tagline="Daily bread", theme={"--accent": "#a30", "paper": "white"})
    assert (first.message, first.changed) == ("Changed tagline, theme of the site", ["tagline", "theme"])
    second = await update(ann, settings={"site_title": "Bakery"}, theme={"paper": ""})
    assert second.message == "Changed name, theme of the site"
    again = await update(ann, name="Bakery")
    assert (again.message, again.changed) == ("The settings are like that already", [])
    assert await read(ann) == {
        "name": "Bakery",
        "tagline": "Daily bread",
        "language": "en",
        "theme": {"accent": "#a30"},
    }
    await update(ann, tagline="", theme={})
    assert await read(ann) == {"name": "Bakery", "language": "en"}


async def test_name_and_tagline_are_translated_and_the_rest_is_the_same_in_each_language(ann: Editor) -> None:
    await update(ann, name="Bakery", tagline="Daily bread", localeCode="en")
    await update(ann, name="Bäckerei", language="de", localeCode="de")
    german = await read(ann, "de")
    assert german == {"name": "Bäckerei", "tagline": "Daily bread", "language": "de"}
    assert (await read(ann))["name"] == "Bakery"


async def test_visitors_see_settings_when_their_change_set_is_published_and_no_more_when_it_is_reverted(
    ann: Editor, world: World
) -> None:
    page = await ann.create("About")
    await update(ann, tagline="Daily bread", instructions="Write plainly.")
    look = await ann.look()
    assert {each.title: [(d.where, d.after) for d in each.differences] for each in look.pages}["Site settings"] == [
        ("tagline (en)", "Daily bread"),
        ("instructions (en)", "Write plainly."),
    ]
    ada = RunInfo(
        principal=Principal("ada", "local-site"), target="", conversation="", now=datetime(2026, 1, 1, tzinfo=UTC)
    )
    in_force = SettingsInForce(world.database)
    assert await in_force.find_instructions(ada) == ""
    set_id = (await ann.publish()).change_set.id
    assert await in_force.find_instructions(ada) == "Write plainly."
    await ann.revert(set_id)
    assert await in_force.find_instructions(ada) == ""
    assert (await ann.draft(page.id)).status == "draft"


async def test_a_person_publishes_the_settings_alone_and_goes_back_to_a_revision(world: World) -> None:
    person = Editor(world, "pat")
    await update(person, name="Bakery")
    await person.publishing.publish_page(person.call(), PublishPage(page_id="Site settings"))
    await update(person, name="Baker", postHosts=["hooks.example.com"])
    assert await SettingsInForce(world.database).find_post_hosts(person.call()) == ("local-site", frozenset())
    of_other = SettingsInForce(world.database).find_post_hosts(world.call(tenant="other"))
    assert await of_other == ("other-site", frozenset())
    assert await person.differences("Site settings") == [
        ("name (en)", "Bakery", "Baker"),
        ("postHosts (en)", "", '["hooks.example.com"]'),
    ]


async def test_who_discards_the_first_settings_leaves_those_that_the_site_was_made_with(ann: Editor) -> None:
    await update(ann, name="Bakery")
    await ann.discard()
    assert await read(ann) == {"name": "Local site", "language": "en"}
    await update(ann, name="Baker")
    assert await ann.differences("Site settings") == [("name (en)", "", "Baker")]


async def test_what_changes_nothing_makes_no_settings(ann: Editor, world: World) -> None:
    before = await world.rows()
    assert (await update(ann, tagline="", theme={})).changed == []
    made = {name: number for name, number in (await world.rows()).items() if number != before[name]}
    assert made == {"remit_effects": 1}


async def test_the_settings_are_no_page(ann: Editor, world: World) -> None:
    await update(ann, name="Bakery")
    with pytest.raises(NotFoundError):
        await ann.draft("Site settings")
    with pytest.raises(NotFoundError, match="There is no page 'Site settings'"):
        await world.references["page"](ann.call(), "Site settings")
    with pytest.raises(NotFoundError):
        await ann.live_title("_settings")


async def test_stale_writes_and_unknown_languages_are_refused(ann: Editor) -> None:
    await update(ann, name="Bakery")
    shown = GetSiteSettings(with_token=True)
    token = (await Settings(ann.world.database).get_site_settings(ann.call(), shown)).token
    await update(ann, name="Bakers", ifUnchanged=token)
    with pytest.raises(ConflictError, match="'Bakery' is now 'Bakers'"):
        await update(ann, name="Baker", ifUnchanged=token)
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr'"):
        await update(ann, language="fr")


WRONG_COLOURS = (
    "notacolour",
    "#12345",
    "#1234567",
    "rgb(,,,,)",
    "rgb(1, 2)",
    "rgb(1 2, 3)",
    "hsl(1, 2, 3)",
    "rgb(1,2,3",
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"taglin": "x"}, "There is no setting 'taglin'. Did you mean 'tagline'"),
        ({}, "nothing to change"),
        ({"postHosts": ["https://example.com"]}, "is no host name"),
        ({"postHosts": ["127.0.0.1"]}, "is no host name"),
        ({"theme": {"accnt": "red"}}, "no theme variable 'accnt'"),
        ({"theme": {"accent": "red;}</style>"}}, "takes a colour"),
        ({"theme": {"text": "url(//evil)"}}, "takes names of fonts"),
        *(({"theme": {"head": font}}, "takes names of fonts") for font in ('"Evil', "a, ", "1a", "inherit", "'a\"")),
        *(({"theme": {"ink": colour}}, f"a colour such as #9a3f12, not {colour!r}") for colour in WRONG_COLOURS),
    ],
)
def test_what_no_setting_takes_is_refused_with_what_it_takes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        UpdateSiteSettings.model_validate(changes)


async def test_one_setting_is_read_by_any_usual_name(ann: Editor) -> None:
    await update(ann, name="Bakery", postHosts=["Hooks.Example.com"])
    settings = Settings(ann.world.database)
    for key, value in (("siteName", "Bakery"), ("post_hosts", ["hooks.example.com"]), ("tagline", None)):
        assert (await settings.get_site_setting(ann.call(), GetSiteSetting(key=key))).value == value
    with pytest.raises(NotFoundError, match="Did you mean 'tagline'"):
        await settings.get_site_setting(ann.call(), GetSiteSetting(key="tag-lines"))


async def test_who_sets_colours_that_cannot_be_read_is_told(ann: Editor) -> None:
    yellow = await update(ann, theme={"accent": "#ffff00"})
    assert yellow.remarks == ["Hard to read: accent on paper (1.1); texts need a contrast of 4.5"]
    assert "--on-accent:#000000;" in theme_css({"accent": "#ffff00"})
    both = await update(ann, theme={"accent": "#a30", "on-accent": "brown"})
    assert "Hard to read: on-accent on accent (" in (both.remarks or [""])[0]
    for theme in ({}, {"accent": "#a30"}, {"accent": "oklch(0.5 0.1 20)", "ink": "black"}):
        await update(ann, theme={})
        assert (await update(ann, tagline=str(theme), theme=theme)).remarks is None
        assert "--on-accent" not in theme_css(theme)


async def test_a_rendered_page_has_name_tagline_and_theme_of_its_site(ann: Editor, world: World) -> None:
    await ann.create("About")
    await update(ann, name="Bakery & Co", tagline="Daily bread", theme={"accent": "#a30", "paper": "white"})
    document = await world.rendering.render(HOME, "about")
    assert "<p>Bakery &amp; Co <span>Daily bread</span></p>" in document
    assert "@media (prefers-color-scheme:light){:root{--accent:#a30;--paper:white;}}" in document
    dark = document.partition("@media (prefers-color-scheme:dark)")[2]
    assert "--accent:oklch(from #a30 max(l,.75) c h)" in dark  # as light as texts on dark need it
    assert "white" not in dark


def test_all_kinds_of_colours_and_fonts_make_a_theme_and_wrong_ones_of_older_settings_are_left_out() -> None:
    colours = ("tomato", "#FA0", "#ff880080", "rgb(1, 2, 3)", "rgba(1%, 2%, 3%, .5)", "hsl(120deg, 10%, 20%)")
    colours += ("rgb(1 2% 3 / 50%)", "hsl(.5turn 10% 20%)", "oklch(60% 0.2 30)", "lab(50% -20 30)")
    for colour in colours:
        assert f":root{{--ink:{colour};}}" in theme_css({"ink": colour})
    fonts = "\"Gill Sans\", Iowan Old Style, -apple-system, 'Segoe UI', serif"
    assert theme_css({"head": fonts, "text": '"Evil', "ink": "red}", "accnt": "red"}) == f":root{{--head:{fonts};}}"


@pytest.mark.parametrize("zone", ["Mars/Base", "../etc", "Europe"])
def test_a_time_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="is no time zone; give a name such as Europe/Berlin"):
        UpdateSiteSettings(time_zone=zone)
