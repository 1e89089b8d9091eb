"""Prompts and descriptions of agents as people write them in files: text first, with code of every kind."""

from __future__ import annotations

from typing import Final

KEPT: Final = (
    "If ${#files[@]} is 0, never delete. Map: {a: 1#}. End",
    "## Rules {#rules}\nAsk first.",
    "{# not a comment #} stays",
    "Use `{% if user %}` in Django, and ``{% `x` %}`` too.",
    "```django\n{% for item in items %}\n  - x\n{% endfor %}\n```",
    "~~~\n{% set x = 1 %}\n~~~\nafter",
    "```\n~~~\n{% a %}\n```` \nafter",
    "   ```liquid\n{% assign a = 1 %}\n   ```",
    "```\n{% include 'header.html' %}",
    "In C # and F # people write #include; 100 % of {x} and }} stay.",
    "awk '{print $1}' | sed 's/{/}/' # not a comment",
    "``` `inline` {a} ```",
    'JSON: {"a": {"b": [1, 2]}} ends',
    "A lone ` tick and {a}",
)
"""Prompts that are rendered as they are."""

RENDERED: Final = (
    ("Quote:\n```\n{{ prompt }}\n```", "Quote:\n```\ngo\n```"),
    ("`{{ prompt }}`", "`go`"),
    ("{% if prompt %}yes{% endif %}", "yes"),
    ("`{% raw %}{{ x }}{% endraw %}`", "`{{ x }}`"),
    ("```\n{% raw %}\n{{ x }} {% y %}\n{% endraw %}\n```", "```\n\n{{ x }} {% y %}\n```"),
    ("{% raw %}`{% a %}`\n```{% endraw %} {% if prompt %}b{% endif %}", "`{% a %}`\n``` b"),
    ("```a`b\n{% if prompt %}c{% endif %}", "```a`b\nc"),
    ("```\n``\n```\n{% if prompt %}c{% endif %}", "```\n``\n```\nc"),
)
"""Prompts with tags and fields, and what becomes of them for the input ``go``."""

ESCAPED: Final = ("{% if user %}", "{% unknown %}", "${{ github.ref }}", "{{ a b }}", "{% if prompt %}")
"""Prompts that are refused with the way to escape them."""

CUT: Final = (
    "Explains C # code to people",
    "Sorts mail by topic # and more",
    "Sorts issue #12 first",
    "Grüße 😀 an alle # und mehr",
    "ends on the\n  next line # here",
)
"""Descriptions that YAML would cut without quotes."""

UNCUT: Final = (
    "Explains C# code",
    '"Explains C # code"',
    "single # a comment",
    "'it is # text'",
)
"""Descriptions in YAML that lose no word."""
