"""Texts of the site are sent packed to those who can unpack them."""

from __future__ import annotations

import gzip

import pytest

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        *((each, True) for each in ("gzip", "br, gzip;q=0.5", "GZIP", "*", "x-gzip", "identity;q=0, gzip;q=0.001")),
        *((each, False) for each in ("", "br", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzip;q=0, *")),
    ],
)
async def test_a_page_is_packed_for_those_who_accept_it(world: World, accepted: str, is_packed: bool) -> None:
    await publish(world, "About")
    site = make_site(world)
    plain = await visit(site, "/about")
    reply = await visit(site, "/about", accept_encoding=accepted)
    assert (reply.headers.get("content-encoding") == "gzip") == is_packed
    assert (gzip.decompress(reply.body) if is_packed else reply.body) == plain.body
    assert reply.headers["content-length"] == str(len(reply.body))
    assert reply.headers["vary"] == plain.headers["vary"] == "accept-encoding"


async def test_a_packed_page_is_not_sent_again(world: World) -> None:
    await publish(world, "About")
    site = make_site(world)
    packed = await visit(site, "/about", accept_encoding="gzip")
    assert packed.headers["etag"] == f"W/{(await visit(site, '/about')).headers['etag']}"
    again = await visit(site, "/about", accept_encoding="gzip", if_none_match=packed.headers["etag"])
    assert (again.status, again.body, again.headers["vary"]) == (304, b"", "accept-encoding")
    head = await visit(site, "/about", "HEAD", accept_encoding="gzip")
    assert (head.body, head.headers["content-length"]) == (b"", packed.headers["content-length"])


async def test_a_new_page_is_packed_anew(world: World) -> None:
    site = make_site(world)
    await publish(world, "Home")
    first = gzip.decompress((await visit(site, "/", accept_encoding="gzip")).body)
    await publish(world, "About")
    second = gzip.decompress((await visit(site, "/", accept_encoding="gzip")).body)
    assert (b"/about" in first, b"/about" in second) == (False, True)


async def test_pictures_and_short_texts_are_sent_as_they_are(world: World) -> None:
    image = await world.image("A loaf")
    await publish(world, "About", ("hero", {"heading": "x", "image": {"imageId": image.id}}))
    site = make_site(world)
    page = (await visit(site, "/about")).text
    picture = page.partition('<img src="')[2].partition('"')[0]
    for path in (picture, "/robots.txt"):
        reply = await visit(site, path, accept_encoding="gzip")
        assert (reply.status, "content-encoding" in reply.headers, "vary" in reply.headers) == (200, False, False)
