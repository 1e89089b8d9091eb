"""One fold of a journal, from which every display of a run and its receipt are made."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.record.sentence import Sentence as Sentence
    from remit.views.parts import AttemptView as AttemptView
    from remit.views.parts import CallState as CallState
    from remit.views.parts import CallView as CallView
    from remit.views.parts import FailureView as FailureView
    from remit.views.parts import MessageView as MessageView
    from remit.views.parts import NoteView as NoteView
    from remit.views.parts import QuestionView as QuestionView
    from remit.views.parts import WritingView as WritingView
    from remit.views.run_view import RunView as RunView
    from remit.views.sentences import UndoCall as UndoCall
    from remit.views.sentences import consequence_of as consequence_of
    from remit.views.sentences import sentence_of as sentence_of
    from remit.views.sentences import sentence_of_arguments as sentence_of_arguments
    from remit.views.sentences import sentence_of_question as sentence_of_question
    from remit.views.sentences import undo_of as undo_of
else:
    __getattr__ = lazy_exports(__name__)
