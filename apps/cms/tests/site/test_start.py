"""The server of a site tells in one line why it does not start."""

from __future__ import annotations

import asyncio
import shutil
import socket
from pathlib import Path

import pytest

from remit_cms.site.__main__ import main, make_site
from remit_cms.site.preview_key import KEY_VARIABLE
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Target


@pytest.fixture
def home(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of Remit with the database of the CMS."""
    for name in ("REMIT_DATA", "REMIT_DATABASE", KEY_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    return Path(shutil.copy(fresh, tmp_path / "cms.db"))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("target", ["nosuch/main", "local-site/nosuch", "nosuch", ""])
def test_a_site_that_does_not_exist_is_refused(target: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--target", target])
    text = str(stopped.value)
    assert text.startswith(f"No site '{target if '/' in target else f'{target}/main'}'")
    assert "local-site/main, other-site/main" in text
    assert "\n" not in text


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("key", ["short", "too-short", "k" * 31])
def test_a_key_of_previews_that_is_too_short_is_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    with pytest.raises(SystemExit) as stopped:
        main([])
    told = f"the key of previews, env:{KEY_VARIABLE}, is too short; give 32 characters or more"
    assert str(stopped.value) == told


@pytest.mark.usefixtures("home")
def test_a_port_in_use_is_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit) as stopped:
            main(["--port", str(port)])
    assert str(stopped.value) == f"cannot listen at 127.0.0.1:{port}: Address already in use; give another --port"
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("port", ["99999", "0", "-1"])
def test_a_port_that_does_not_exist_is_refused_in_one_line(port: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--port", port])
    assert str(stopped.value) == f"there is no port {port}; give --port from 1 to 65535"


def test_a_site_that_exists_starts_without_a_key(home: Path) -> None:
    async def start() -> str:
        database = Database(home)
        site = await make_site(database, Target("local-site", "main"), "http://x.example")
        reply = await site.respond("/robots.txt")
        await database.close()
        return reply.body.decode()

    assert "http://x.example/sitemap.xml" in asyncio.run(start())


def test_without_the_server_the_site_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(_name: str) -> None:
        return None

    monkeypatch.setattr("remit_cms.site.__main__.find_spec", find)
    with pytest.raises(SystemExit, match=r"pip install '\./apps/cms\[site\]'"):
        main([])
