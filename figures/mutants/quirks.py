"""Mutants of the figures about quirks of models."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.mutants.mutant import edited, mutants_of, together
from figures.quirks import ENDED, WRONG_CALL, measure_until

_CALLS: Final = "remit.models.call_pieces"

MUTANTS: Final = (
    *mutants_of(
        ENDED,
        {
            "an empty end after a call ends its run": edited(
                "remit.agent.answer_end:told_text",
                "note = _explain_end(completion, max_tokens)",
                'raise RecursionError("the answer is empty")',
            ),
            "an invented name goes back as it is": edited(
                "remit.chat.chat:ChatRequest.for_model", "if not self.history.is_legal:", "if False:"
            ),
            "the page of a proxy ends a run": edited(
                "remit.models.chat_response:read_response", "raise CompletionError(", "raise ModelError("
            ),
            "an error in a success ends a run unless its words are known": edited(
                "remit.chat.provider_error:_classify_sentence",
                "if is_wrong else ModelUnavailableError",
                "if 1 else None",
            ),
            "the page of a proxy with 400 ends a run": edited(
                "remit.chat.provider_error:_is_page", "return not error.codes and", "return False and"
            ),
            "a wrong key ends a run": edited(
                "remit.agent.model_recorder:_to_signal",
                "if isinstance(failure, ModelUnavailableError):",
                "if isinstance(failure, ModelUnavailableError) and failure.retryable:",
            ),
            "an empty event breaks a stream": edited(
                "remit.models.answer_stream:AnswerStream._read_event",
                "elif data.strip() and not self._has_ended and (",
                "elif not self._has_ended and (",
            ),
            "a cut answer is asked again as it was": edited(
                "remit.layers.retry_model:is_incomplete",
                "read_finish(answer.finish_reason) in (Ending.CUT, Ending.FILTERED)",
                "False",
            ),
            "an answer that an error ended is taken for a whole one": edited(
                "remit.agent.answer_end:_explain_end",
                "read_finish(completion.finish_reason)",
                'read_finish(completion.finish_reason.replace("network_error", "stop"))',
            ),
            "arguments go back as an endpoint wrote them": edited(
                "remit.chat.stand_in:_legal_arguments", "text = given_arguments(text)", "return text"
            ),
            "a call without a type goes back so": edited(
                "remit.chat.stand_in:_is_written_so", 'written.get("type") != "function"', "False"
            ),
            "a field of another form is given to a library that refuses it": edited(
                "remit.models.readable_body:_drop_others", " if key not in forms or _has_form(value, forms[key])", ""
            ),
            "an answer is read to any depth": edited(
                "remit.models.chat_completion:parse_completion", "raw = limit_depth(received)", "raw = received"
            ),
            "an error without a word says that a request is wrong": edited(
                "remit.models.reported_error:read_refusal", " or _is_without_words(value)", ""
            ),
            "a text and a refusal are joined": edited(
                "remit.agent.answer_end:_explain_end", "if refusal and refusal not in text:", "if False:"
            ),
            "half an emoji goes back": edited("remit.chat.stand_in:_without_halves", 'if "\\\\u" in text', "if False"),
            "an id of any length goes back": edited(
                "remit.agent.recorded_answer:to_legal_answer", " and is_kept_id(first.id)", " and first.id"
            ),
            "an event of an error is read as a piece of the answer": edited(
                "remit.models.answer_stream:AnswerStream._read_event", 'self._event == b"error" or', "False or"
            ),
        },
        partial(measure_until, ENDED),
    ),
    *mutants_of(
        WRONG_CALL,
        {
            "pieces of calls are joined by their index alone": together(
                edited(
                    f"{_CALLS}:_find_candidate",
                    'is_named and number and same_index[-1].get("id")',
                    "False",
                ),
                edited(f"{_CALLS}:find_call", "if found is None or not name:", "if True:"),
            ),
            "pieces of calls are joined by their id alone": edited(
                f"{_CALLS}:_find_candidate", "None if is_named else same_id[-1]", "same_id[-1]"
            ),
            "the first of several choices is the answer": edited(
                "remit.models.choices:find_answer", "if index_of(each) == FIRST", ""
            ),
            "the choices of a stream are joined": edited(
                "remit.models.answer_stream:AnswerStream._add_chunk", "index_of(choice) in (None, FIRST)", "True"
            ),
            "a call that was cut before its arguments has none": edited(
                "remit.agent.recorded_answer:requested_calls",
                "read_finish(completion.finish_reason) is Ending.WHOLE",
                "True",
            ),
            "the calls of an answer that a filter held back in part are made": edited(
                "remit.agent.recorded_answer:is_held_back",
                "read_finish(completion.finish_reason) is Ending.FILTERED or ",
                "",
            ),
            "the calls beside a refusal are made": edited(
                "remit.agent.recorded_answer:is_held_back", "bool(refusal_of_text(completion.message))", "False"
            ),
            "a stream without an end has ended well": edited(
                "remit.models.answer_stream:AnswerStream.body", "finish = NO_FINISH", 'finish = "stop"'
            ),
            "arguments that belong to no call are those of none": edited(
                "remit.agent.recorded_answer:requested_calls", "all(each.name != UNNAMED for each in calls)", "True"
            ),
            "a part of a name begins another call": edited(
                f"{_CALLS}:find_call", "return None if arguments.strip() else found", "return None"
            ),
            "what stands in the place of arguments is dropped": edited(
                "remit.chat.wire:_read_tool_call",
                """if arguments[:2] != '{"' and is_blank(arguments):""",
                "if False:",
            ),
            "the whole message of an event is joined to the pieces": edited(
                "remit.models.answer_stream:AnswerStream._add_choice", '"delta", "index", "message"', '"delta", "index"'
            ),
            "white space stands for arguments": edited(
                "remit.record.arguments:given_arguments", 'text.strip() in ("", "null")', 'text == ""'
            ),
            "the older function_call is dropped": edited(
                "remit.chat.wire:with_tool_calls", "if '\"function_call\"' not in text:", "if True:"
            ),
        },
        partial(measure_until, WRONG_CALL),
    ),
)
