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
    "    indented code\n\ttoo",
    "`{% raw %}` and `{% endraw %}` and {{1}}\nb",
    "```\n~~~\n{% a %}\n```` \nafter",
    "   ```liquid\n{% assign a = 1 %}\n   ```",
    "```\n{% include 'header.html' %}",
    "In C # and F # people write #include; 100 % of {x} and }} stay.",
    "awk '{print $1}' | sed 's/{/}/' # not a comment",
    "``` `inline` {a} ```",
    'JSON: {"a": {"b": [1, 2]}} ends',
    "A lone ` tick and {a}",
    "1. Run:\n\n     ```django\n     {% set x = 1 %}\n     ```\n2. End",
    "> ```\n> {% if user %}\n> ```",
    "- ~~~\n  {% set x = 1 %}\n  ~~~\n2) ```\n   {% y %}\n   ```",
    "Hello {{1}}, your code is {{ 2 }}.",
    "Write {{ 'text' }}, {{ true }}, {{ [1, 2] }} and {{ {'a': {'b': 1}} }}.",
    "\\frac{{1}}{{2}} and a {{- 1 -}} b",
    'Helm: `{{ "x" | quote }}`, {{ "%s" | format(1) }}, {{ \'{%\' }} and {{ "a\\"b" }}',
    "{{ '{{' }} is how another program writes {{ \"it's\" }}",
    "Rust has {{ self }} and {{ range(3) }}",
    "{{ 1\n+ 1 }} on\ntwo lines",
    "```x {% if user %} ``` in one line",
    "`` a \\` {% if user %} ``",
    "\\\\`{% if user %}`",
    "Hugo: `{{% note %}}` and `{{%`\n```\n{{% notice tip %}}\n{{%/ notice %}}\n{{%}\n```",
    "A tick \\` and `a {% if user %} \\` b",
)
"""Prompts that are rendered as they are."""

RENDERED: Final = (
    ("Quote:\n```\n{{ prompt }}\n```", "Quote:\n```\ngo\n```"),
    ("`{{ prompt }}`", "`go`"),
    ("{% if prompt %}yes{% endif %}", "yes"),
    ("{% raw %}`{{ x }}`{% endraw %}", "`{{ x }}`"),
    ("a\n{% raw %}```\n{{ x }} {% y %}\n```{% endraw %}\nb", "a\n```\n{{ x }} {% y %}\n```\nb"),
    ("```\n{% raw %}\n{{ prompt }}\n{% endraw %}\n```", "```\n{% raw %}\ngo\n{% endraw %}\n```"),
    ("Write `{% raw %}` before {{ prompt }}.", "Write `{% raw %}` before go."),
    ("- a{% if prompt %} b{% endif %}\n- c", "- a b\n- c"),
    ("a\n{% if prompt %}\nb\n{% endif %}\nc", "a\nb\nc"),
    ("{% if prompt %}{% set x = 1 %}\nb{% endif %}", "b"),
    ("{% if prompt -%}\nb {%- endif -%}\nc {% set a = 1 +%}\nd", "bc \nd"),
    ("{{ prompt }}{% set a = 1 %}\nb", "go\nb"),
    ("{% raw %}a {% x %}\nb{% endraw %}\nc", "a {% x %}\nb\nc"),
    ("{% raw %}`{% a %}`\n```{% endraw %} {% if prompt %}b{% endif %}", "`{% a %}`\n``` b"),
    ("```a`b\n{% if prompt %}c{% endif %}", "```a`b\nc"),
    ("```\n``\n```\n{% if prompt %}c{% endif %}", "```\n``\n```\nc"),
    ("\\`{% if prompt %}a{% endif %}\\`", "\\`a\\`"),
    ("\\``{% if x %}` {% if prompt %}b{% endif %}", "\\``{% if x %}` b"),
    ("\\\\\\`{% if prompt %}c{% endif %}`", "\\\\\\`c`"),
    ("{{ prompt ~ '{{1}}' }} {{ prompt if true }}", "go{{1}} go"),
    ("{% set a = '{{ 1 }} `' %}{{ a }}{% if prompt %}`{% endif %}", "{{ 1 }} ``"),
    ("{% raw %}{{1}}{% endraw %}{{1}}", "{{1}}{{1}}"),
    ("Use `a` {% if prompt %}b{% endif %} and `c` {{ prompt }}.", "Use `a` b and `c` go."),
    ("`a`{% raw %}{{ x }}{% endraw %}`{% y %}`", "`a`{{ x }}`{% y %}`"),
    ("{% for i in range(2) %}{{ i }}{{ loop.last }}{% endfor %}", "0False1True"),
)
"""Prompts with tags and fields, and what becomes of them for the input ``go``."""

ESCAPED: Final = (
    "{% if user %}",
    "{% unknown %}",
    "${{ github.ref }}",
    "{{ a b }}",
    "{% if prompt %}",
    "{{ range }}",
    "{{ namespace|length }}",
    "f-strings write {{}} for braces",
    "\\`{% if user %}\\`",
    "Use:\n```jinja\n{{ user }} {% for x in y %}{% endfor %}\n```\nEnd.",
    "Write `{{ user }}` and {{ name }}.",
    "```\n{% raw %}{{ x }}{% endraw %}\n```",
    "Jekyll: `{% raw %}{{ page.title }}{% endraw %}` in a page",
    "- ~~~\n  {{ x }}\n  ~~~\n- {{ y\n+ z }}",
    "> ```\n> {{ x }}\n> ```\n> {% x %}",
    "```\n{{ y }} is never closed",
    "{{ a.b }} and {{ b }}, {{ prompt.__class__ }}",
    "\\frac{{a}}{{b}} and {{\\bf x}} and {{\\it y}}",
    "Run ${x%%.*} {%",
    "Use {{ as in Go, and { b }.",
    "{% y %} {% y %}\n{% if a %}\nb",
    "a {% if user %}b{% endif %}\n\nc",
    "```\nimport {{ x }}\n```\n~~~\n{{ y }}\n~~~\n{{ x }}",
    "```\u200b{{ x }}\n{{ \u200by }}",
    '{% include name %} {% include "nope.md" %}',
    "{% for i in items %}\n{{ i }} {{ loop.index }}\n{% endfor %}\n{{ i }}",
    "{{ " + "a" * 100 + " }} in a long line, {{ b }}",
)
"""Prompts that are refused with the way to keep them as text."""

BRACES: Final = (
    *("{{ x }}", "{{y|length}}", "{{ prompt }}", "{{1}}", "{{\\bf x}}", "{{ x\ny }}", "{{", "}}", "{%", "%}"),
    *("{% if x %}", "{% endif %}", "{% else %}", "{% for x in prompt %}", "{% endfor %}", "{% y %}", "{% set x = 1 %}"),
    *("{% raw %}{{ x }}{% endraw %}", "{{ prompt.__class__ }}", "{#", "'", '"'),
    *("`", "``", "\\", "\n```\n", "\n~~~\n", "\n- ```\n  ", "\n> ", "\n    ", "\n", "\n\n", " ", "text"),
)
"""Pieces of which prompts of strangers are made."""

CUT: Final = (
    "Explains C # code to people",
    "Sorts mail by topic # and more",
    "Sorts issue #12 first",
    "Grüße 😀 an alle # und mehr",
    "ends on the\n  next line # here",
    "C # and F # code",
    "C # expert",
    "Fix #12",
    "Sorts mail\t# by topic",
    "Sorts\u00a0mail # by topic",
    "Sorts mail\n  # Topics",
    "Sorts\n\n    # Topics",
    "!!str C # expert",
)
"""Descriptions that YAML would cut without quotes."""

HIDDEN_BREAKS: Final = (
    "Fix item\x85# 3 of the list",
    "Fix\u2028item",
    "'Fix\u2029item'",
    "Fix\n# a comment\x85limits: {turns: 1}",
)
"""Descriptions with the end of a line where people see none."""

UNCUT: Final = (
    "Explains C# code",
    '"Explains C # code"',
    "'it is # text'",
    "'it is' # a comment",
    "> # a comment\n  Explains C # code",
    "Sorts mail\n# a comment of the file",
)
"""Descriptions in YAML that lose no word."""
