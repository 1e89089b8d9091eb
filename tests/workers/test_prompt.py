"""Prompts: rendered from the input alone, in a sandbox, and what can be seen to be wrong is found before."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.errors import InternalError, InvalidArgumentsError
from remit.workers.prompt import MAX_PROMPT_CHARS, Template
from remit.workers.render_cost import MAX_COST
from remit.workers.sandbox import MAX_ITEMS


def escape(part: str) -> str:
    return f"; or write {{% raw %}} before {part} and {{% endraw %}} after it"


def render(text: str, /, **fields: object) -> str:
    return Template(text).render(fields)


def faults(text: str, *known: str, includes: dict[str, str] | None = None) -> list[str]:
    template = Template(text, file="desk/sort.worker", line=7, includes=includes)
    return [str(each) for each in template.check(known)]


def test_fields_are_filled_in_and_nothing_is_escaped() -> None:
    assert render("Sort *{{ subject }}*.", subject="<b> & {{ secret }}") == "Sort *<b> & {{ secret }}*."


def test_a_line_of_a_block_leaves_no_blank_line_behind() -> None:
    text = "Drawers:\n{% for each in drawers %}\n- {{ each }}\n{% endfor %}\nOne alone.\n"
    assert render(text, drawers=["red", "blue"]) == "Drawers:\n- red\n- blue\nOne alone."


def test_an_object_of_json_has_its_items_before_the_methods_of_python() -> None:
    assert render("{{ order.items }} {{ order.keys()|list }}", order={"items": 3}) == "3 ['items']"


def test_a_text_that_is_included_sees_the_fields_and_what_is_set_around_it() -> None:
    includes = {"tone.md": "Be {{ tone }} to {{ each }}. "}
    template = Template('{% for each in ["a", "b"] %}{% include "tone.md" %}{% endfor %}', includes=includes)
    assert template.check(["tone"]) == []
    assert template.render({"tone": "kind"}) == "Be kind to a. Be kind to b."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ letter.sender.nam }}", "has no attribute 'nam'"),
        ("{{ drawers.__class__.__mro__ }}", "unsafe"),
        ("{{ drawers.append('x') }}", "SecurityError"),
        ("{{ drawers[0] * 10000000 }}", f"it takes more than {MAX_COST:,} steps"),
        ("{{ 10000000 * drawers }}", f"it takes more than {MAX_COST:,} steps"),
        ("{{ drawers and 9 ** 9 ** 9 ** 9 ** 9 }}", "a number of more than 4,096 bits"),
        (
            "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
            f"more than {MAX_ITEMS:,} numbers",
        ),
        ("{{ drawers|length / 0 }}", "division by zero"),
    ],
    ids=["unknown-attribute", "internals", "change", "product", "product-of-list", "power", "loops", "any-other"],
)
def test_what_goes_wrong_is_told_with_its_line(text: str, said: str) -> None:
    template = Template("One.\n" + text, file="desk/sort.worker", line=7)
    with pytest.raises(InternalError, match=r"^desk/sort\.worker:8: the prompt cannot be rendered: ") as caught:
        template.render({"letter": {"sender": {}}, "drawers": ["red"]})
    assert said in caught.value.message


OFTEN = "{% for i in range(60) %}"
GRAPH = (
    "{% set n = namespace(a=[1], b=[1]) %}" + OFTEN + "{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}"
)
LONG = "{% set s = 'x' * 9999 %}"
DOUBLING = "{% set n = namespace(s='xx', i=2) %}{% for i in range(60) %}{% set %s %}{% endfor %}"
COSTLY = {
    "a width of a filter": "{{ d and 'x'|center(2000000000) }}",
    "a width of a filter by name": "{{ d and ['x']|map('center', 2000000000)|list }}",
    "a width of a method": "{{ d and 'x'.ljust(2000000000)|length }}",
    "a width in a format": "{{ d and '%2000000000d' % 1 }}",
    "a width given to a format": "{{ d and '%*d' % (2000000000, 1) }}",
    "a width in the filter format": "{{ d and '%2000000000d'|format(1) }}",
    "a width in the method format": "{{ d and '{:>2000000000}'.format('x') }}",
    "a width given to the method format": "{{ d and '{0:>{w}}'.format('x', w=2000000000) }}",
    "a value as often as a format has fields": "{{ d and ('{0}' * 3000).format('x' * 9999)|length }}",
    "tabs": "{{ d and '\\t'.expandtabs(2000000000)|length }}",
    "an indent": "{{ d and 'x\n'|indent(2000000000)|length }}",
    "an indent of text for each line": LONG + "{{ ('x\n' * 9999)|indent(s)|length }}",
    "a list of batches": "{{ d and [1]|batch(2000000000, 'x')|list|length }}",
    "a replacement": LONG + "{{ s.replace('x', s)|length }}",
    "a replacement by a filter": LONG + "{{ s|replace('x', s)|length }}",
    "a translation": "{{ d and ('x' * 9999).translate({120: 'y' * 9999})|length }}",
    "a separator": LONG + "{{ s.join(s)|length }}",
    "a separator of what is read once": LONG + "{{ s.join(range(9999)|map('string'))|length }}",
    "a separator of a filter": LONG + "{{ range(9999)|join(s)|length }}",
    "bytes by themselves": "{{ d and 'x'.encode() }}",
    "sums that double": DOUBLING.replace("%s", "n.s = n.s + n.s"),
    "texts that double": DOUBLING.replace("%s", "n.s = n.s ~ n.s"),
    "blocks that double": DOUBLING.replace("%s %}", "n.s %}{{ n.s }}{{ n.s }}{% endset %}"),
    "numbers that double": DOUBLING.replace("%s", "n.i = n.i * n.i"),
    "loops in loops": "{% for a in range(99) %}{% for b in 'x' * 9999 %}{% endfor %}{% endfor %}",
    "a loop whose items are left out": "{% for a in 'x' * 9999 if false %}{% endfor %}" * 30,
    "a loop that calls itself": "{% for a in d recursive %}{{ loop(d) if loop.depth < 40 }}{% endfor %}",
    "a macro that calls itself": "{% macro m(n) %}{% if n %}{{ m(n-1) ~ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "the text of a macro": "{% macro m() %}"
    + "y" * 9999
    + "{% endmacro %}{% for i in range(9999) %}{% set s = m() %}{% endfor %}",
    "slices": LONG + "{% set t = s * 100 %}{% for i in range(9999) %}{% set u = t[1:] %}{% endfor %}",
    "a graph that is compared": GRAPH + "{{ n.a == n.b }}",
    "a graph that is tested": GRAPH + "{{ n.a is eq n.b }}",
    "a graph that is shown": "{% set n = namespace(a=()) %}" + OFTEN + "{% set n.a = (n.a, n.a) %}{% endfor %}{{ n }}",
    "a graph of objects": "{% set n = namespace(a={}) %}" + OFTEN + "{% set n.a = {1: n.a, 2: n.a} %}{% endfor %}",
}


@pytest.mark.parametrize("name", COSTLY)
def test_what_costs_too_much_ends_before_it_is_made(name: str) -> None:
    with pytest.raises(InternalError, match=r"more than 4,000,000 steps|more than 4,096 bits|returns bytes"):
        render(COSTLY[name], d=["a", "b"])


def test_an_included_text_that_includes_itself_twice_ends() -> None:
    again = "{% if n %}{% set n = n - 1 %}{% include 'a' %}{% include 'a' %}{% endif %}"
    with pytest.raises(InternalError, match="more than 4,000,000 steps"):
        Template("{% include 'a' %}", includes={"a": again}).render({"n": 40})


def test_each_rendering_has_all_of_its_cost() -> None:
    template = Template("{% for i in range(9000) %}{% set s = text|upper %}{% endfor %}done")
    assert [template.render({"text": "x" * 100}) for _ in range(5)] == ["done"] * 5


VALUES = {
    "{{ '%.2f' % n }} {{ '{:,}'.format(n * 1000) }} {{ '%s-%s'|format(n, 'b') }}": "1.50 1,500.0 1.5-b",
    "{{ a|join(', ') }} {{ 'x'.join(a) }} {{ a ~ 1 }}": "b, c bxc ['b', 'c']1",
    "{{ d.keys()|join('+') }} {{ '+'.join(d.values()) }}": "a+b 1+2",
    "{{ 'b' in a }} {{ (n, 2) < (n, 3) }} {{ ('abc' if n)[1:] }} {{ {'k': d}.k.a }}": "True True bc 1",
    "{% for a, b in d.items() if b != '1' %}{{ loop.length }}{{ a }}{% endfor %}": "1b",
}


@pytest.mark.parametrize("text", VALUES)
def test_values_are_formatted_joined_and_compared(text: str) -> None:
    assert render(text, a=["b", "c"], d={"a": "1", "b": "2"}, n=1.5) == VALUES[text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}", "it is nested too deeply"),
        ("{{ 1" + "+1" * 2_000 + " }}", "it is nested too deeply"),
        ("{% for a in [1] %}" * 30 + "{% endfor %}" * 30, "it is nested too deeply"),
        ("{{ 1 }}" * 20_001, "it has more than 20,000 expressions and tags"),
        ("{{ " + "9" * 5_000 + " }}", "4300 digits"),
    ],
    ids=["parentheses", "sums", "loops", "outputs", "digits"],
)
def test_a_text_that_cannot_be_compiled_cheaply_is_found_before_it_is_rendered(text: str, said: str) -> None:
    assert said in " ".join(faults(text))
    with pytest.raises(InternalError, match=said):
        render(text)


def test_what_goes_wrong_in_an_included_text_is_told_with_the_line_there() -> None:
    template = Template('{% include "tone.md" %}', file="desk/sort.worker", includes={"tone.md": "\n{{ n / 0 }}"})
    with pytest.raises(InternalError, match=r"^desk/tone\.md:2: "):
        template.render({"n": 1})


def test_what_is_no_template_is_told_with_its_line_when_it_is_rendered_all_the_same() -> None:
    with pytest.raises(InternalError, match=r"^desk/sort\.worker:2: .*unexpected '}'"):
        Template("a\n{{ name }", file="desk/sort.worker").render({"name": "x"})


def test_small_products_and_powers_and_ranges_are_allowed() -> None:
    assert (
        render("{{ 'ab' * n }} {{ n * 6 }} {{ n ** 10 }} {{ 2.5 * n }} {{ range(n + 1)|list }}", n=2)
        == "abab 12 1024 5.0 [0, 1, 2]"
    )


def test_ranges_are_counted_for_each_rendering_anew() -> None:
    template = Template(f"{{% for i in range({MAX_ITEMS}) %}}{{% endfor %}}done")
    assert [template.render({}), template.render({})] == ["done", "done"]


def test_a_field_may_be_called_range() -> None:
    assert render("{{ range }}", range="wide") == "wide"


def test_a_prompt_that_comes_out_too_long_is_refused() -> None:
    assert len(render("{{ text }}", text="x" * MAX_PROMPT_CHARS)) == MAX_PROMPT_CHARS
    with pytest.raises(InvalidArgumentsError, match="is longer than 262,144 characters"):
        render("{% for i in range(9000) %}{{ text }}{% endfor %}", text="x" * 100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n{{ name }", "desk/sort.worker:8: the template is not valid: unexpected '}'; correct it"),
        ("{% nope %}", "desk/sort.worker:7: the template is not valid: Encountered unknown tag 'nope'.; correct it"),
        ("{{ name|nope }}", "desk/sort.worker:7: the template is not valid: No filter named 'nope'.; correct it"),
        (
            "{{ drawers|random }}",
            "desk/sort.worker:7: the template is not valid: No filter named 'random'.; correct it",
        ),
        ("a\nb {{ nam }}", "desk/sort.worker:8: the input has no field 'nam'; available: drawers, name"),
        ("{{ lipsum() }}", "desk/sort.worker:7: the input has no field 'lipsum'; available: drawers, name"),
        ("{% for i in drawers %}\n{{ i }}\n{% endfor %}\n{{ i }}", "desk/sort.worker:10: the input has no field 'i'; "),
        ("{% for i in drawers if i %}{% endfor %}\n{{ i }}", "desk/sort.worker:8: the input has no field 'i'; "),
        ("{% macro m(i) %}{{ i }}{% endmacro %}\n{{ i }}", "desk/sort.worker:8: the input has no field 'i'; "),
        ("{% with i = 1 %}{{ i }}{% endwith %}\n{{ i }}", "desk/sort.worker:8: the input has no field 'i'; "),
        (
            "a\n{{ name.__class__ }}",
            "desk/sort.worker:8: __class__ is an internal attribute of Python, not a field of an input; remove it",
        ),
        (
            "{{ name['__class__'] }}",
            "desk/sort.worker:7: __class__ is an internal attribute of Python, not a field of an input; remove it",
        ),
        (
            "{{ name|attr('__class__') }}",
            "desk/sort.worker:7: __class__ is an internal attribute of Python, not a field of an input; ",
        ),
        (
            '\n{% include "x.md" %}',
            "desk/sort.worker:8: the included text 'x.md' does not exist; add it or correct the name, or ",
        ),
        ("{% include name %}", "desk/sort.worker:7: the name of an include must be a plain string; name it, like "),
        ('{% include ["x.md"] %}', "desk/sort.worker:7: the name of an include must be a plain string; name it, like "),
    ],
    ids=[
        *(
            "syntax",
            "tag",
            "filter",
            "chance",
            "field",
            "filler",
            "after-loop",
            "loop-test",
            "after-macro",
            "after-with",
        ),
        *("attribute", "item", "attr-filter", "missing", "by-field", "by-list"),
    ],
)
def test_what_can_be_seen_to_be_wrong_is_found_before_there_is_an_input(text: str, said: str) -> None:
    (found,) = faults(text, "name", "drawers")
    assert found.startswith(said)


def test_names_that_a_text_sets_or_that_another_sets_around_it_are_no_fields() -> None:
    assert faults("{% if name %}{% set a = 1 %}{% endif %}{% if name %}{{ a }}{% endif %}", "name") == []
    assert faults("{% set a %}x{% endset %}{{ a }}{{ name[0] }}{{ name|attr(a) }}", "name") == []
    includes = {"base.md": "{% set a = 1 %}{% block b %}{% endblock %}"}
    assert faults('{% extends "base.md" %}{% block b %}{{ a }}{% endblock %}', includes=includes) == []
    assert faults('{% include "tone.md" %}', includes={"tone.md": "{% for i in 'ab' %}{% endfor %}{{ i }}"}) == [
        f"desk/tone.md:1: the input has no field 'i'; available: none{escape('{{ i }}')}"
    ]


def test_where_the_parameters_are_not_known_none_is_missed() -> None:
    assert Template("{{ anything }}").check(None) == []


def test_an_included_text_is_looked_at_too() -> None:
    found = faults('{% include "tone.md" %}{{ x', "name", includes={"tone.md": "a\n{{ nam }}"})
    assert [each.partition(";")[0] for each in found] == [
        "desk/sort.worker:7: the template is not valid: unexpected end of template, expected 'end of print statement'.",
        "desk/tone.md:2: the input has no field 'nam'",
    ]


def test_an_input_without_fields_is_told_so() -> None:
    said = f"desk/sort.worker:7: the input has no field 'name'; available: none{escape('{{ name }}')}"
    assert faults("{{ name }}") == [said]


def test_what_is_no_template_names_no_other() -> None:
    assert Template("{% include").find_includes() == []


def test_a_text_that_was_not_given_is_not_looked_for_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tone.md").write_text("Be kind.")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InternalError, match=r"prompt:1: .*TemplateNotFound: tone\.md"):
        render('{% include "tone.md" %}')


def test_each_rendering_may_cost_as_much_as_the_one_before_also_in_macros_of_another_text() -> None:
    includes = {"work.md": "{% macro repeat(times) %}{{ 'a' * times }}{% endmacro %}"}
    work = "{% for each in range(count) %}{% set done = repeat(times) %}{% endfor %}{{ count }}"
    template = Template(f'{{% from "work.md" import repeat %}}{work}', includes=includes)
    fields = {"times": MAX_COST // 20, "count": 3}
    assert [template.render(fields) for _ in range(9)] == ["3"] * 9
    with pytest.raises(InternalError, match=f"it takes more than {MAX_COST:,} steps"):
        template.render({**fields, "count": 27})
