"""Agents as files: `.worker` files, and the PydanticAI driver that runs their agents by default.

Needs the extra ``pydantic-ai``.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.attachments import Attachment, AttachmentPolicy, PromptWithAttachments
    from remit.chat.provider_tool import PROVIDER_TOOLS
    from remit.drivers.pydantic_ai import PydanticAIDriver
    from remit.models.resolve import AnyModel, ModelResolver, resolve_model
    from remit.workers.definition import WorkerDefinition
    from remit.workers.name_checks import check_names
    from remit.workers.reader import read_worker, read_workers
    from remit.workers.source import WorkerFileError
    from remit.workers.team import build_agent, definition_of, load_workers

__all__ = [
    "PROVIDER_TOOLS",
    "AnyModel",
    "Attachment",
    "AttachmentPolicy",
    "ModelResolver",
    "PromptWithAttachments",
    "PydanticAIDriver",
    "WorkerDefinition",
    "WorkerFileError",
    "build_agent",
    "check_names",
    "definition_of",
    "load_workers",
    "read_worker",
    "read_workers",
    "resolve_model",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.attachments": ("Attachment", "AttachmentPolicy", "PromptWithAttachments"),
            "remit.chat.provider_tool": ("PROVIDER_TOOLS",),
            "remit.models.resolve": ("AnyModel", "ModelResolver", "resolve_model"),
            "remit.workers.definition": ("WorkerDefinition",),
            "remit.drivers.pydantic_ai": ("PydanticAIDriver",),
            "remit.workers.name_checks": ("check_names",),
            "remit.workers.reader": ("read_worker", "read_workers"),
            "remit.workers.source": ("WorkerFileError",),
            "remit.workers.team": ("build_agent", "definition_of", "load_workers"),
        },
        extras={
            f"remit.workers.{module}": "pydantic-ai"
            for module in ("definition", "driver", "name_checks", "reader", "source", "team")
        },
    )
