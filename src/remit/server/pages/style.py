"""The look of plain pages: the colours, the mark and the controls of the console."""

from __future__ import annotations

from typing import Final

LIGHT: Final = {
    "canvas": "#ffffff",
    "sunken": "#f7f8fa",
    "line": "#e5e8ee",
    "edge": "#c9cfda",
    "field": "#858fa1",
    "text": "#171b24",
    "text-2": "#475063",
    "accent": "#4f46e5",
    "accent-text": "#4338ca",
    "on-accent": "#ffffff",
    "fail-text": "#b0241a",
}
"""The colours of a light page, by the names that the console gives them."""

DARK: Final = {
    "canvas": "#12151b",
    "sunken": "#0c0e13",
    "line": "#252b36",
    "edge": "#3a4252",
    "field": "#6b7589",
    "text": "#e8ebf1",
    "text-2": "#b4bbc9",
    "accent": "#5f5bea",
    "accent-text": "#a5a8ff",
    "on-accent": "#ffffff",
    "fail-text": "#f49487",
}
"""The colours of a dark page."""

_RULES: Final = """
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; padding: 3rem 1rem; color: var(--text);
  background: var(--sunken); }
header, main { max-width: 26rem; margin: 0 auto; }
.wide header, .wide main { max-width: 42rem; }
.brand { display: inline-flex; align-items: center; gap: .5rem; margin-bottom: 1rem; font-weight: 650; color: inherit;
  text-decoration: none; }
.brand svg { width: 22px; height: 22px; }
main { padding: 1.5rem; background: var(--canvas); border: 1px solid var(--line); border-radius: 10px; }
h1 { font-size: 1.25rem; line-height: 1.3; font-weight: 650; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; font-weight: 650; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 550; }
input { display: block; width: 100%; max-width: 24rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--field); border-radius: 8px; }
button { font: inherit; margin-top: 1rem; padding: .5rem 1.25rem; border: 1px solid var(--edge); border-radius: 8px;
  color: inherit; background: transparent; cursor: pointer; }
button.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
a { color: var(--accent-text); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
ul { list-style: none; margin: .5rem 0; padding: 0; }
li { display: flex; gap: 1rem; align-items: center; justify-content: space-between; border-top: 1px solid var(--line);
  padding: .75rem 0; }
li p { margin: 0; }
li button { margin: 0; }
.soft { color: var(--text-2); font-size: .875rem; }
.whole { white-space: pre-wrap; }
.wrong { color: var(--fail-text); }
.below { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.below h2 { margin-top: 0; }
.busy { height: 3px; margin: 1.25rem 0; border-radius: 2px; animation: busy 2s linear infinite;
  background: linear-gradient(90deg, var(--line) 25%, var(--accent), var(--line) 75%) 0 / 200%; }
@keyframes busy { from { background-position: 200%; } to { background-position: 0; } }
@media (prefers-reduced-motion: reduce) { .busy { animation: none; } }
@media (max-width: 30rem) { body { padding: 1rem; } main { padding: 1.25rem; } button.first { width: 100%; } }
"""


def _properties(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


STYLE: Final = (
    f":root {{ color-scheme: light dark; {_properties(LIGHT)} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {_properties(DARK)} }} }}\n{_RULES}"
)
"""The style sheet of plain pages."""

ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="#171b24"/>'
    '<path d="M7 16V6h4.5a3 3 0 0 1 0 6H7m4.5 0 3.5 4" fill="none" stroke="#fff" stroke-width="1.8" '
    'stroke-linecap="round" stroke-linejoin="round"/></svg>'
)
"""The icon of the server, as SVG."""

MARK: Final = (
    ICON.replace("#171b24", "var(--text)").replace("#fff", "var(--canvas)").replace("<svg", '<svg aria-hidden="true"')
)
"""The icon in the colours of a page."""
