"""Who is signed in, and the application that the server serves."""

from __future__ import annotations

from remit.app import App
from remit.approvals.policy import DECIDE_PERMISSION
from remit.engine.loosening import LOOSEN_PERMISSION
from remit.engine.sharing import CANCEL_PERMISSION, MANAGE_PERMISSION, READ_PERMISSION
from remit.record.principal import Principal
from remit.server.documents.document import Document


class AgentDocument(Document):
    """An agent that people talk to. The first one of an application is the default. ``files``: it takes files."""

    name: str
    description: str
    files: bool


class ViewDocument(Document):
    """How the objects of a kind are shown; see `remit.app.App`. ``listed``: they have a list."""

    kind: str
    title: str
    listed: bool
    has_changes: bool


class ApplicationDocument(Document):
    """The application with its agents and its views of objects."""

    name: str
    agents: tuple[AgentDocument, ...]
    views: tuple[ViewDocument, ...]

    @staticmethod
    def of(app: App) -> ApplicationDocument:
        """The document of an application."""
        agents = (
            AgentDocument(name=each.name, description=each.description, files=each.takes_files) for each in app.agents
        )
        views = (
            ViewDocument(kind=each.kind, title=each.title, listed=each.list is not None, has_changes=each.has_changes)
            for each in app.views
        )
        return ApplicationDocument(name=app.name, agents=tuple(agents), views=tuple(views))


class Can(Document):
    """What the permissions allow for every target. They may allow more for some targets."""

    decide: bool
    read_all: bool
    cancel_all: bool
    loosen: bool
    manage_conversations: bool

    @staticmethod
    def of(principal: Principal) -> Can:
        """What a principal can do."""
        return Can(
            decide=principal.may(DECIDE_PERMISSION),
            read_all=principal.may(READ_PERMISSION),
            cancel_all=principal.may(CANCEL_PERMISSION),
            loosen=principal.may(LOOSEN_PERMISSION),
            manage_conversations=principal.may(MANAGE_PERMISSION),
        )


class Me(Document):
    """The signed-in person. Unsafe requests with a session cookie carry ``csrf`` in the header ``X-CSRF-Token``."""

    name: str
    tenant: str
    roles: tuple[str, ...]
    permissions: tuple[str, ...]
    can: Can
    application: ApplicationDocument
    csrf: str = ""

    @staticmethod
    def of(principal: Principal, app: App, csrf: str) -> Me:
        """The document of a principal."""
        return Me(
            name=principal.name,
            tenant=principal.tenant,
            roles=tuple(sorted(principal.roles)),
            permissions=tuple(sorted(principal.permissions)),
            can=Can.of(principal),
            application=ApplicationDocument.of(app),
            csrf=csrf,
        )
