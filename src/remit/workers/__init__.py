"""Workers: a model that PydanticAI drives, told in a file what it is for, what it may call and what it gives.

Needs the extra ``pydantic-ai``.
"""

from remit.models.resolve import AnyModel, ModelResolver, resolve_model
from remit.workers.attachments import Attachment, AttachmentPolicy, PromptWithAttachments
from remit.workers.definition import PROVIDER_TOOLS, WorkerDefinition, WorkerLimits
from remit.workers.name_checks import check_names
from remit.workers.reader import read_worker, read_workers
from remit.workers.source import WorkerFileError
from remit.workers.team import load_workers
from remit.workers.worker import Worker

__all__ = [
    "PROVIDER_TOOLS",
    "AnyModel",
    "Attachment",
    "AttachmentPolicy",
    "ModelResolver",
    "PromptWithAttachments",
    "Worker",
    "WorkerDefinition",
    "WorkerFileError",
    "WorkerLimits",
    "check_names",
    "load_workers",
    "read_worker",
    "read_workers",
    "resolve_model",
]
