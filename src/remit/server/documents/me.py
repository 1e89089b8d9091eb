"""Who is signed in, and the application that the server serves."""

from __future__ import annotations

from collections.abc import Sequence

from remit.agent.agent import Agent
from remit.agent.model import model_name
from remit.app import App
from remit.approvals.policy import DECIDE_PERMISSION
from remit.engine.loosening import LOOSEN_PERMISSION
from remit.engine.sharing import CANCEL_PERMISSION, MANAGE_PERMISSION, READ_PERMISSION
from remit.record.principal import Principal
from remit.server.documents.document import Document
from remit.server.identity import Identity
from remit.server.permissions import PEOPLE_PERMISSION, WORDS


class AgentDocument(Document):
    """An agent that people talk to. The first one of an application is the default.

    ``files``: it takes files. ``model`` is the one that it names, empty if it asks the model of the server.
    """

    name: str
    description: str
    files: bool
    model: str

    @staticmethod
    def of(agent: Agent) -> AgentDocument:
        """The document of an agent."""
        return AgentDocument(
            name=agent.name,
            description=agent.description,
            files=agent.takes_files,
            model="" if agent.model is None else model_name(agent.model) or "its own",
        )


class ViewDocument(Document):
    """How the objects of a kind are shown; see `remit.app.App`.

    ``listed``: they have a list. ``hasEvents``: they have a calendar.
    """

    kind: str
    title: str
    listed: bool
    has_changes: bool
    has_events: bool


class ExampleDocument(Document):
    """Something to ask the first agent for, and what comes of it."""

    prompt: str
    note: str


class PermissionDocument(Document):
    """A permission, and what its holder may do: "see runs of others"."""

    name: str
    meaning: str


class ApplicationDocument(Document):
    """The application with its agents, its views of objects, and examples of what it can be asked for.

    ``permissions`` are those that Remit or the application has words for; tools may require others. ``targets`` are
    those that the person can choose, the default one first; empty if there is nothing to choose.
    """

    name: str
    agents: tuple[AgentDocument, ...]
    views: tuple[ViewDocument, ...]
    permissions: tuple[PermissionDocument, ...]
    examples: tuple[ExampleDocument, ...]
    targets: tuple[str, ...]

    @staticmethod
    def of(app: App, targets: Sequence[str]) -> ApplicationDocument:
        """The document of an application, with the targets of a person."""
        views = (
            ViewDocument(
                kind=each.kind,
                title=each.title,
                listed=each.list is not None,
                has_changes=each.has_changes,
                has_events=each.events is not None,
            )
            for each in app.views
        )
        examples = tuple(ExampleDocument(prompt=each.prompt, note=each.note) for each in app.examples)
        return ApplicationDocument(
            name=app.name,
            agents=tuple(map(AgentDocument.of, app.agents)),
            views=tuple(views),
            permissions=tuple(
                PermissionDocument(name=name, meaning=meaning) for name, meaning in {**WORDS, **app.permissions}.items()
            ),
            examples=examples,
            targets=tuple(targets),
        )


class Can(Document):
    """What the permissions allow for every target. They may allow more for some targets."""

    decide: bool
    read_all: bool
    cancel_all: bool
    loosen: bool
    manage_conversations: bool
    manage_people: bool

    @staticmethod
    def of(principal: Principal, *, account: bool) -> Can:
        """What a principal can do. Only a person with an account can manage people."""
        return Can(
            decide=principal.may(DECIDE_PERMISSION),
            read_all=principal.may(READ_PERMISSION),
            cancel_all=principal.may(CANCEL_PERMISSION),
            loosen=principal.may(LOOSEN_PERMISSION),
            manage_conversations=principal.may(MANAGE_PERMISSION),
            manage_people=account and principal.may(PEOPLE_PERMISSION),
        )


class Me(Document):
    """The signed-in person. Unsafe requests with a session cookie carry ``csrf`` in the header ``X-CSRF-Token``.

    ``account``: this server keeps their password, sessions and tokens. What is read after this document, and
    followed with ``/api/watch`` from ``place`` on, misses no change.
    """

    name: str
    tenant: str
    roles: tuple[str, ...]
    permissions: tuple[str, ...]
    can: Can
    application: ApplicationDocument
    account: bool
    place: str
    csrf: str = ""

    @staticmethod
    def of(identity: Identity, app: App, targets: Sequence[str], place: str) -> Me:
        """The document of the person of a request."""
        principal = identity.principal
        return Me(
            name=principal.name,
            tenant=principal.tenant,
            roles=tuple(sorted(principal.roles)),
            permissions=tuple(sorted(principal.permissions)),
            can=Can.of(principal, account=identity.account),
            application=ApplicationDocument.of(app, targets),
            account=identity.account,
            place=place,
            csrf=identity.csrf,
        )
