"""Agents as files: `.worker` files, and the PydanticAI driver that runs their agents by default.

Needs the extra ``pydantic-ai``.
"""

from remit.agent.attachments import Attachment, AttachmentPolicy, PromptWithAttachments
from remit.models.resolve import AnyModel, ModelResolver, resolve_model
from remit.workers.definition import PROVIDER_TOOLS, WorkerDefinition
from remit.workers.driver import PydanticAIDriver
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
