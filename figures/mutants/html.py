"""Mutants of the figure about hostile texts in pages."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_RENDERER: Final = "remit_cms.rendering.renderer"

MUTANTS: Final = mutants_of(
    "html.scripts_run",
    {
        "the HTML in a Markdown text is neither escaped nor cleaned": edited(
            "remit_cms.rich_text.html:render_rich_text", "Markup(clean)", "Markup(markdown)"
        ),
        "templates do not escape": edited(f"{_RENDERER}:PageRenderer.__init__", "autoescape=True", "autoescape=False"),
        "the policy of documents allows scripts": edited(
            f"{_RENDERER}:content_security_policy", "default-src 'none'", "default-src *"
        ),
        "links may run scripts": edited(
            "remit_cms.templates.values:url_scheme",
            'return scheme if scheme in {"http", "https", "mailto", "tel"} else None',
            "return scheme",
        ),
        "pictures of other servers are loaded": edited(f"{_RENDERER}:_prepare_value", 'scheme == ""', "True"),
        "data for search engines may hold tags": edited(f"{_RENDERER}:_write_data", '.replace("<", "\\\\u003c")', ""),
        "a theme is shown without being checked again": edited(
            "remit_cms.settings.theme:valid_theme", " if _fault(name, value) is None", ""
        ),
    },
)
