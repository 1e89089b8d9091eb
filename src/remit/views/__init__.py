"""One fold of a journal: what every display of a run, and its receipt, is made from."""

from remit.views.parts import (
    AttemptView,
    CallState,
    CallView,
    FailureView,
    MessageView,
    NoteView,
    QuestionView,
    WritingView,
)
from remit.views.run_view import RunView

__all__ = [
    "AttemptView",
    "CallState",
    "CallView",
    "FailureView",
    "MessageView",
    "NoteView",
    "QuestionView",
    "RunView",
    "WritingView",
]
