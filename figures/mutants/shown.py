"""Mutants of the figure about what was shown and what left."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

MUTANTS: Final = mutants_of(
    "shown.differs",
    {
        "an encoded word in a subject is sent as it is": edited(
            "remit_casefile.google.composing:_encode_text", 'and "=?" not in text', ""
        ),
        "a whole number is shown and sent as a fraction": edited(
            "remit.schemas.schema_binding:_Binding._fit_number",
            "return value\n",
            "return float(value) if type(value) is int and takes_fractions else value\n",
        ),
        "a text is sent without the white space at its end": edited(
            "remit_casefile.google.composing:_encode_body", "text).encode()", "text.rstrip()).encode()"
        ),
        "the first copy is hidden from the others": edited(
            "remit_casefile.google.composing:compose", '("Bcc", payload.bcc)', '("Bcc", payload.cc)'
        ),
        "the cells of a sheet are converted to text before they are sent": edited(
            "remit_casefile.google.sheets:SheetsClient.update_values",
            '"values": payload.values',
            '"values": [[str(cell) for cell in row] for row in payload.values]',
        ),
        "a body is posted without the white space around it": edited(
            "remit_cms.web.requests:HttpRequests.http_post", "payload.body.encode()", "payload.body.strip().encode()"
        ),
        "of the searches of a research, the first alone is shown": edited(
            "remit_cms.web.research:Research.preview_research", "_list_searches(payload)", "_list_searches(payload)[:1]"
        ),
        "an address is shown as it was written and not as it is requested": edited(
            "remit_cms.web.research:Research.preview_fetch", "self._http.check(url)", "self._http.check(url) and url"
        ),
        "a search engine is sent a field that is not shown": edited(
            "remit_cms.web.search_providers:Tavily.search",
            "self.build_fields(query)",
            '{**self.build_fields(query), "country": "de"}',
        ),
        "a preview of a message cuts a line without a word": edited(
            "remit_casefile.google.tools:_preview_text", 'f"{line[:_PREVIEW_WIDTH]}…"', "line[:_PREVIEW_WIDTH]"
        ),
        "a preview of a message leaves out how its text begins": edited(
            "remit_casefile.google.tools:_preview_text", "text.splitlines()", "text.strip().splitlines()"
        ),
        "nothing is sent of what should be": edited(
            "remit_casefile.google.tools:_Previews.show_message", "return Preview(summary)\n", "raise ValueError\n"
        ),
        "of two headers that differ in case, one is sent": edited(
            "remit.http.guarded:_check_headers", "if lowered in checked:", "if False:"
        ),
    },
)
