"""The sandbox in which prompts are rendered: Jinja without files, clock or randomness, and with bounded cost.

Nothing is escaped, because a prompt is Markdown and a model would read ``&lt;`` literally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import cache, wraps
from types import BuiltinMethodType, CodeType
from typing import Any, Final, cast

from jinja2 import (
    BaseLoader,
    Environment,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
    pass_context,
)
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.visitor import NodeTransformer

from remit.workers.literal_text import keep_literal_text
from remit.workers.render_cost import VIEWS, RenderCost

MAX_ITEMS: Final = 10_000
"""The maximum number of values from all ranges in one rendering."""
MAX_NODES: Final = 20_000
"""The most expressions and tags of one text: compiling takes time for each."""
_NO_COMMENT: Final = "\0{#"
"""The mark that begins a comment. No prompt can contain it, so ``{#`` is text, as in ``${#files[@]}``."""
_TOO_DEEP: Final = "it is nested too deeply"
_OMITTED_FILTERS: Final = ("pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr")
"""Filters whose result is random, or whose cost depends on more than the length of the text."""
_FILLER_GLOBALS: Final = ("lipsum",)
_STEP: Final = "_remit_step"
_COUNTED: Final = "_remit_counted"
_ITERATED: Final = "_remit_iterated"


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one prompt. It can load only ``texts``; ``get_file`` gives the file of each.

    A template is rendered in the environment that `start_rendering` returns, which has the ``cost`` of one rendering.
    """

    cost: RenderCost
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))

    def __init__(self, texts: Mapping[str, str], get_file: Callable[[str], str]) -> None:
        super().__init__(
            autoescape=False,
            undefined=StrictUndefined,
            loader=_TextLoader(texts, get_file),
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
            comment_start_string=_NO_COMMENT,
            finalize=_count_value,
        )
        for name in _FILLER_GLOBALS:
            del self.globals[name]
        filters, tests = _counted_functions()
        self.filters, self.tests = dict(filters), dict(tests)

    def start_rendering(self) -> Sandbox:
        """The environment of one rendering, with the same compiled templates."""
        rendering = self.overlay()
        rendering.cost = RenderCost()
        return rendering

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        """The template, with its literal parts as text."""
        return super().preprocess(keep_literal_text(source), name, filename)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An item of a JSON object, even if a method of dict has the same name: ``order.items``."""
        if isinstance(obj, dict) and attribute in obj:
            return cast("dict[str, Any]", obj)[attribute]
        return super().getattr(obj, attribute)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063 - as in Jinja
        """Call a function or a method, and count its arguments and its result."""
        method = __obj.__wrapped__ if hasattr(__obj, "__wrapped__") else __obj  # the sandbox wraps `str.format`
        owner = [method.__self__] if isinstance(method, BuiltinMethodType) else []
        if owner:
            args = tuple(map(_as_list, args))
        __self.cost.add_call(method.__name__ if owner else "", (*owner, *args), kwargs)
        found = super().call(__context, __obj, *args, **kwargs)
        if isinstance(found, bytes):
            raise SecurityError(f"{method.__name__} returns bytes; a prompt is text")
        __self.cost.add_values((found,))
        return found

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute with two values, unless the result is too large."""
        self.cost.add_operation(operator, left, right)
        return _count_value(context, super().call_binop(context, operator, left, right))

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        try:
            return super()._parse(source, name, filename)
        except RecursionError as error:
            raise TemplateSyntaxError(_TOO_DEEP, 1, name, filename) from error
        except ValueError as error:  # a number with more digits than Python parses
            raise TemplateSyntaxError(str(error), 1, name, filename) from error

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,  # noqa: FBT001, FBT002 - as in Jinja
    ) -> str:
        try:
            if sum(1 for _ in source.find_all(nodes.Node)) > MAX_NODES:
                raise TemplateSyntaxError(f"it has more than {MAX_NODES:,} expressions and tags", 1, name, filename)
            return super()._generate(_Instrumenter().visit(source), name, filename, defer_init)
        except RecursionError as error:
            raise TemplateSyntaxError(_TOO_DEEP, 1, name, filename) from error

    def _compile(self, source: str, filename: str) -> Any:
        try:
            return super()._compile(source, filename)
        except (SyntaxError, RecursionError, MemoryError) as error:  # Python limits the depth of nested blocks
            raise TemplateSyntaxError(_TOO_DEEP, 1, None, filename) from error


class _Instrumenter(NodeTransformer):
    """Makes a template count its work: the runs of each part with its text, the items of loops, and new values."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the name that Jinja looks for
        self.generic_visit(node)
        node.iter = _filter(_ITERATED, node.iter)
        return self._count_runs(node)

    def _count_runs(self, node: Any) -> nodes.Node:
        text = sum(len(each.data) for each in node.find_all(nodes.TemplateData))
        step = nodes.ExprStmt(_filter(_STEP, nodes.Const(text, lineno=node.lineno)), lineno=node.lineno)
        node.body.insert(0, step)
        return cast("nodes.Node", node)

    def visit_Template(self, node: nodes.Template) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return self._count_runs(node)

    visit_Macro = visit_CallBlock = visit_Block = visit_Template  # noqa: N815

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filter("join", nodes.List(node.nodes, lineno=node.lineno))

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filter(_COUNTED, node)

    visit_Dict = visit_List  # noqa: N815

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filter(_COUNTED, node) if node.ctx == "load" else node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filter(_COUNTED, node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        node.expr = _filter(_COUNTED, node.expr)
        for operand in node.ops:
            operand.expr = _filter(_COUNTED, operand.expr)
        return node


def _filter(name: str, value: nodes.Node) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", value), name, [], [], None, None, lineno=value.lineno)


@cache
def _counted_functions() -> tuple[Mapping[str, Callable[..., Any]], Mapping[str, Callable[..., Any]]]:
    """The filters and tests of Jinja that prompts may use, counted; the same for all prompts."""
    filters = {name: each for name, each in FILTERS.items() if name not in _OMITTED_FILTERS}
    counted = {name: _count_calls(name, each) for name, each in filters.items()}
    counted |= {_STEP: _count_step, _COUNTED: _count_value, _ITERATED: _count_items}
    return counted, {name: _count_calls(name, each) for name, each in TESTS.items()}


def _count_calls(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that counts its work. It takes the context, which prevents constant folding."""
    kind = getattr(function, "jinja_pass_arg", None)
    first = None if kind is None else _FIRST_ARGUMENTS[kind.name]

    @wraps(function)
    def run_counted(context: Context, *args: Any, **kwargs: Any) -> Any:
        if name == "join":
            args = tuple(map(_as_list, args))
        _cost_of(context).add_call(name, args, kwargs)
        if first is not None:
            args = (first(context), *args)
        return _count_value(context, function(*args, **kwargs))

    return pass_context(run_counted)


_FIRST_ARGUMENTS: Final[Mapping[str, Callable[[Context], object]]] = {
    "context": lambda context: context,
    "eval_context": lambda context: context.eval_ctx,
    "environment": lambda context: context.environment,
}
"""What Jinja passes to a filter or test before its arguments, by the names of its marks."""


def _cost_of(context: Context) -> RenderCost:
    return cast("Sandbox", context.environment).cost


def _as_list(value: Any) -> Any:
    """The items of an iterator as a list, so that they can be counted before they are read."""
    return list(cast("Iterable[Any]", value)) if isinstance(value, (Iterator, *VIEWS)) else value


@pass_context
def _count_value(context: Context, value: Any) -> Any:
    _cost_of(context).add_values((value,))
    return value


@pass_context
def _count_step(context: Context, text: int) -> None:
    _cost_of(context).add(text)


@pass_context
def _count_items(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    cost = _cost_of(context)
    for value in values:
        cost.add(0)
        yield value


class BoundedRange:
    """A ``range`` with a limit on the numbers that all ranges of one rendering yield together."""

    def __init__(self) -> None:
        self._remaining = MAX_ITEMS

    def __call__(self, *bounds: int) -> Iterator[int]:
        """Return a range."""
        for number in range(*bounds):
            self._remaining -= 1
            if self._remaining < 0:
                raise SecurityError(f"its ranges have more than {MAX_ITEMS:,} numbers")
            yield number


class _TextLoader(BaseLoader):
    """Loads the texts of one prompt and tells Jinja their files. Each is compiled once, for all renderings."""

    def __init__(self, texts: Mapping[str, str], get_file: Callable[[str], str]) -> None:
        self._texts = texts
        self._get_file = get_file
        self._compiled: dict[str, CodeType] = {}

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - the name that Jinja calls it by
    ) -> Template:
        if name not in self._compiled:
            source, file, _ = self.get_source(environment, name)
            self._compiled[name] = environment.compile(source, name, file)
        return environment.template_class.from_code(environment, self._compiled[name], globals or {})

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], self._get_file(template), lambda: True
