"""Where redirects of the owner and items of the navigation may lead in a file of a site: where operations let them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from remit.errors import InvalidArgumentsError
from remit_cms.models import Content, LocaleCode, View
from remit_cms.redirects.paths import MAX_PATH, normalize_path
from remit_cms.singles.hosts import is_web_address
from remit_cms.singles.targets import LINKED
from remit_cms.storage.singles import REDIRECTS
from remit_cms.storage.snapshots import Snapshot


class _RedirectContent(View):
    """What a redirect of the owner holds: where from, where to, and in which language."""

    path: str
    locale: LocaleCode | None = None
    target: dict[str, str]


def check_redirects(state: Snapshot, locales: Sequence[str], documents: Mapping[str, str]) -> None:
    """Refuse redirects of the owner that the CMS would not have written.

    Args:
        state: the document that holds them.
        locales: the languages of the site, the first one first.
        documents: the kinds of its documents, by id. A redirect may lead to one that is gone.

    Raises:
        ValueError: names the redirect.
    """
    if len(state.sections) > REDIRECTS.most:
        raise ValueError(f"it has {len(state.sections):,} redirects, and a site has at most {REDIRECTS.most}")
    paths = set[str]()
    for section in state.sections:
        path = _check_redirect(section.contents, state.locale, locales, documents)
        if path in paths:
            raise ValueError(f"it has the redirect from {path!r} twice")
        paths.add(path)


def _check_redirect(
    contents: Mapping[str, Content], written: str, locales: Sequence[str], documents: Mapping[str, str]
) -> str:
    """The path of a redirect that may be written, whose contents are in the language ``written`` alone."""
    given = next((each.get("path") for each in contents.values()), None)
    what = f"the redirect from {given[:MAX_PATH]!r}" if isinstance(given, str) else "a redirect"
    if {*contents} != {written}:
        raise ValueError(f"{what} is written in {', '.join(sorted(contents)) or 'no language'}, not in {written} alone")
    try:
        content = _RedirectContent.model_validate(contents[written])
        path = normalize_path(content.path, locales)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        raise ValueError(f"{what}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except InvalidArgumentsError as error:
        raise ValueError(str(error)) from error
    if path != content.path:
        raise ValueError(f"{what} is written as {path!r}")
    if content.locale not in (None, *locales):
        raise ValueError(f"{what} leads to a language that the site does not have")
    if len(content.target) != 1:
        raise ValueError(f"{what} has {len(content.target)} targets, and a redirect has one")
    check_target(what, content.target)
    if content.locale is not None and "url" in content.target:
        raise ValueError(f"{what} leads to another server, where it has no language")
    if any(kind in LINKED and documents.get(target, kind) != kind for kind, target in content.target.items()):
        raise ValueError(f"{what} leads to a document of another kind than it says")
    return path


def check_target(what: str, target: Mapping[str, str]) -> None:
    """Refuse a target that is neither a page, an entry nor an address that visitors can follow safely.

    Raises:
        ValueError: says whose target it is.
    """
    if not {*target} <= {*LINKED, "url"} or ("url" in target and not is_web_address(target["url"])):
        raise ValueError(f"{what} leads to a page, an entry or an address with https and a valid host")
