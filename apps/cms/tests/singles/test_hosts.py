"""The host of an address, in the one form in which browsers look it up."""

from __future__ import annotations

import pytest

from remit_cms.singles.hosts import find_host, is_web_address


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://shop.example.com", "shop.example.com"),
        ("HTTPS://SHOP.example.com:443/a?b#c", "shop.example.com"),
        ("https://ann:secret@shop.example.com", "shop.example.com"),
        ("https://my_files.example.com", "my_files.example.com"),
        ("https://shop.example.com.", "shop.example.com"),
        ("https://sh%6Fp.example.com", "shop.example.com"),
        ("https://\uff53hop.example.com", "shop.example.com"),
        ("https://\U0001f142hop.example.com", "shop.example.com"),
        ("https://sh\u00ad\U000e0100op.example\u3002com", "shop.example.com"),
        ("https://B\u00fccher.example", "xn--bcher-kva.example"),
        ("https://b%C3%BCcher.example", "xn--bcher-kva.example"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("https://127.1/", "127.0.0.1"),
        ("https://0x7f000001/", "127.0.0.1"),
        ("https://[::1]:8443/", "::1"),
        ("https://[0:0:0:0:0:0:0:1]/", "::1"),
    ],
)
def test_all_spellings_of_a_host_have_one_form(url: str, host: str) -> None:
    assert find_host(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https:///x",
        "https://.",
        "https://a..example",
        "https://shop.example..",
        "https://[e.example/",
        "https://[v1.e]/",
        "https://shop.example:99999/",
        "https://shop.example:0/",
        "https://shop.example:x/",
        "https://sh%op.example",
        "https://sh%2fop.example",
        "https://sh%ffop.example",
        "https://shop!.example",
        "https://sh\ufffdop.example",
        "https://xn--shop-.example",
        "https://xn--Bcher-KVA-9.example",
        "https://999.1.1.1/",
        "https://shop.1/",
        f"https://{'a' * 64}.example",
        f"https://{'a.' * 127}example",
        "https://shop.example\\@evil.example",
        "https://shop.exa\tmple/",
    ],
)
def test_an_address_without_a_valid_host_has_none(url: str) -> None:
    assert find_host(url) is None
    assert not is_web_address(url)


def test_an_address_that_an_item_may_lead_to_is_an_https_one_of_a_length_that_browsers_take() -> None:
    assert is_web_address("https://shop.example/")
    assert not is_web_address("http://shop.example/")
    assert not is_web_address("//shop.example/")
    assert not is_web_address("https://shop.example/" + "a" * 2048)
