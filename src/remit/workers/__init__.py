"""Agents as files: `.worker` files, and the PydanticAI driver that runs their agents by default.

Needs the extra ``pydantic-ai``.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.attachments import Attachment as Attachment
    from remit.agent.attachments import AttachmentPolicy as AttachmentPolicy
    from remit.agent.attachments import PromptWithAttachments as PromptWithAttachments
    from remit.chat.provider_tool import PROVIDER_TOOLS as PROVIDER_TOOLS
    from remit.drivers.pydantic_ai import PydanticAIDriver as PydanticAIDriver
    from remit.models.resolve import AnyModel as AnyModel
    from remit.models.resolve import ModelResolver as ModelResolver
    from remit.models.resolve import resolve_model as resolve_model
    from remit.workers.definition import WorkerDefinition as WorkerDefinition
    from remit.workers.name_checks import check_names as check_names
    from remit.workers.reader import read_worker as read_worker
    from remit.workers.reader import read_workers as read_workers
    from remit.workers.source import WorkerFileError as WorkerFileError
    from remit.workers.team import build_agent as build_agent
    from remit.workers.team import definition_of as definition_of
    from remit.workers.team import load_workers as load_workers
else:
    __getattr__ = lazy_exports(
        __name__,
        extras={
            f"remit.workers.{module}": "pydantic-ai"
            for module in ("definition", "driver", "name_checks", "reader", "source", "team")
        },
    )
