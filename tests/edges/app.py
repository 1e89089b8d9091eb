"""The CMS, where hiding a page from visitors is asked about for a few seconds only."""

from __future__ import annotations

from dataclasses import replace

from remit import App, Ask, Policy, When
from remit.policies import ConfirmationFlag
from remit_cms.app import app as build_cms

QUESTION_SECONDS = 4.0


def app() -> App:
    """The application, for `remit serve`."""
    soon = When(
        "answered soon",
        verdict=Ask(reason="visitors miss a page", expires_in=QUESTION_SECONDS),
        tools={"cms_unpublishPage"},
    )
    return replace(build_cms(), policy=Policy(soon, ConfirmationFlag()))
