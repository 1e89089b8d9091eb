"""Mutants of the figure about texts of strangers."""

from __future__ import annotations

from typing import Final

from figures.edges import measure_mail_pages_and_values, measure_models, measure_yaml
from figures.mutants.mutant import edited, mutants_of

_FIGURE: Final = "edges.unread"
_MAIL_PAGES_AND_VALUES: Final = mutants_of(
    _FIGURE,
    {
        "mail is decoded by any codec of Python": edited(
            "remit.charsets:_find_codec",
            "return charset if charset in MULTIBYTE or _SINGLE_BYTE.fullmatch(charset) else None",
            "return charset",
        ),
        "an attached mail is the letter": edited(
            "remit_casefile.google.mime:_is_attached",
            'if disposition == "attachment" or part.filename or kind in _ATTACHED_MAIL or',
            "if",
        ),
        "digits are a time": edited(
            "remit.schemas.formats:_find_other_format", "not pattern.fullmatch(value)", "False"
        ),
        "a number becomes the nearest float": edited(
            "remit.schemas.formats:_find_lost_digits", "and not is_written_as(value, value)", "and False"
        ),
        "a schema that contradicts itself is accepted": edited(
            "remit.schemas.satisfiable:refuse_contradiction",
            "if reason := find_contradiction(document):",
            'if reason := "":',
        ),
        "a default that no journal can hold is filled in": edited(
            "remit.schemas.schema_binding:_Binding._default_of", " or not _is_storable(bound)", ""
        ),
        "tags in code are executed": edited(
            "remit.workers.literal_text:_Scanner._keep", 'token["raw"]) and not is_code', 'token["raw"])'
        ),
        "constants in prompts are rendered": edited(
            "remit.workers.literal_text:_Scanner._is_text", " or not self._reads_names(whole)", ""
        ),
        "a time needs no zone": edited(
            "remit.schemas.formats:_find_other_format", "fullmatch(value)", 'fullmatch(value.removesuffix("Z") + "Z")'
        ),
        "a comment cuts a description": edited(
            "remit.schemas.yaml_lines:_DocumentReader._check_comment", "if comment is None", "if True"
        ),
        "a number is a time of change": edited(
            "remit_casefile.google.payloads.drive:_is_time", "_RFC_3339.match(text) is not None", "True"
        ),
        "one half of a sign hides all files": edited(
            "remit_casefile.google.transport:_whole_text", "_HALF.search(body) is None", "True"
        ),
        "text is in the charset that is named, and not in the larger one that is meant": edited(
            "remit.charsets:_find_codec", "_READ_AS.get(found, found)", "found"
        ),
        "signs of Windows in Japanese mail are lost": edited(
            "remit.charsets:_find_added", "offset = _JIS_OFFSETS.get(charset)", "offset = None"
        ),
        "text of seven bits becomes signs and digits": edited(
            "remit_casefile.google.mail_text:decode_text", "(charset,) if content.isascii() else", ""
        ),
        "a letter is taken for an attachment because it is not the first part": edited(
            "remit_casefile.google.mime:_find_root", "return next(named, part.parts[0])", "return part.parts[0]"
        ),
        "text that no person sees is the letter": edited(
            "remit.markup.reading:_Reader._begin", "if hides:", "if False:"
        ),
        "where a link leads is dropped": edited(
            "remit.markup.reading:_Reader._end_link", "if target and", "if False and"
        ),
        "a picture is read as a page": edited(
            "remit.http.decoding:is_binary", "or controls > len(start) * _MOST_CONTROLS + 1", ""
        ),
        "a hidden element ends with an element around it": edited(
            "remit.markup.elements:OpenElements._find_limit",
            'return self._find(_LIMITS.get(name, "(scope)"))',
            "return -1",
        ),
        "of a page nothing is left out": edited(
            "remit.markup.reading:_choose_main", "return main or", "return lines or"
        ),
        "what is left out of a page is not said": edited(
            "remit_cms.web.extraction:_extract", "for count, which in omitted if count", "for count, which in ()"
        ),
        "a page that was cut is given as whole": edited(
            "remit_cms.web.extraction:extract_text", "is_cut=reply.is_cut", "is_cut=False"
        ),
        "signs become others on pages": edited(
            "remit_cms.rich_text.html:render_rich_text",
            "parse_markdown(markdown, top)",
            'parse_markdown(markdown.replace("(c)", "\\u00a9"), top)',
        ),
    },
    measure_mail_pages_and_values,
)
_MODELS: Final = mutants_of(
    _FIGURE,
    {
        "an answer that is not numbered as the first is left out": edited(
            "remit.models.answer_stream:AnswerStream._choose_answer", "not self._has_answer and others", "False"
        ),
        "parts of an answer replace its text": edited(
            "remit.models.answer_stream:_as_one_kind", "isinstance(value, list) and isinstance(known, _Text)", "False"
        ),
        "an event is whole at each line": edited(
            "remit.models.answer_stream:AnswerStream._feed_line", "if all(map(_is_whole, lines))", "if True"
        ),
        "events that come unasked are no answer": edited(
            "remit.models.chat_response:read_response", "not _WHOLE.match(body)", "False"
        ),
        "a name that providers refuse is taken": edited(
            "remit.engine.given_message:_check_name", "MESSAGE_NAME.fullmatch(name)", "True"
        ),
        "a text of a user is trimmed": edited(
            "remit.engine.given_message:_read_content", "return content, ()", "return content.strip(), ()"
        ),
        "the result of a tool becomes what it looks like": edited(
            "remit.inventory.requests:_load_result", "callee.schema_out.load_json(content)", "float(content)"
        ),
        "the metadata of a request is lost": edited(
            "remit.inventory.requests:_call", "metadata=request.metadata", "metadata=None"
        ),
    },
    measure_models,
)
_YAML: Final = mutants_of(
    _FIGURE,
    {
        "a number with an exponent is a text": edited(
            "remit.schemas.yaml_lines:_DocumentReader._read_scalar", "_NUMBER.fullmatch(text) or", ""
        ),
        "an anchor takes the first word of a text": edited(
            "remit.schemas.yaml_lines:_DocumentReader._is_json", "if anchor is not None:", "if False:"
        ),
        "a byte order mark is a part of the first key": edited(
            "remit.schemas.yaml_lines:read_text", '"utf-8-sig"', '"utf-8"'
        ),
        "a template that is a list ends the reading": edited(
            "remit.inventory.reader:_InventoryReader._extract_policies", "not isinstance(template, str) or", ""
        ),
    },
    measure_yaml,
)
MUTANTS: Final = (*_YAML, *_MODELS, *_MAIL_PAGES_AND_VALUES)
"""The first is planted by every run of the suite: the inputs that notice it are read in the least time."""
