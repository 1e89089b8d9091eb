"""The style of exported pages: for desktop, phone and paper, light and dark, without network resources."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --page: #f6f6f4; --card: #fff; --ink: #1d1d1b; --soft: #6a6a66; --line: #e2e1dc;
  --user: #e3edfb; --accent: #2c5fb3; --ok: #1c7445; --bad: #b3261e; --ask: #8a5a00; --askbg: #fdf4e0;
  --code: #f3f2ee; }
@media (prefers-color-scheme: dark) { :root { --page: #161615; --card: #201f1e; --ink: #ecebe7; --soft: #a19f99;
  --line: #363532; --user: #203350; --accent: #8ab4f8; --ok: #6fcf97; --bad: #ff8a80; --ask: #f2c463;
  --askbg: #322915;
  --code: #191817; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI",
  Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 48rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; overflow-wrap: anywhere; text-wrap: balance; }
.facts { color: var(--soft); font-size: .875rem; margin: 0; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem;
  overflow-wrap: anywhere; }
section { margin-top: 2.25rem; }
section > header { border-top: 1px solid var(--line); padding-top: .8rem; margin-bottom: 1rem; }
h2 { font-size: .95rem; margin: 0 0 .15rem; display: flex; gap: .6rem; align-items: center; flex-wrap: wrap; }
.chip { font-size: .72rem; font-weight: 600; line-height: 1; padding: .25rem .5rem; border-radius: 1rem;
  border: 1px solid currentColor; color: var(--soft); white-space: nowrap; }
.ok { color: var(--ok); } .bad { color: var(--bad); } .ask { color: var(--ask); }
.message { margin: 1rem 0; display: flow-root; }
.who { font-size: .78rem; color: var(--soft); margin-bottom: .2rem; display: flex; gap: .5rem; }
.who b { color: var(--ink); font-weight: 600; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.user .who { justify-content: flex-end; }
.user .text { background: var(--user); border-radius: 1.1rem 1.1rem .3rem 1.1rem; padding: .6rem .95rem;
  width: fit-content;
  max-width: 85%; margin-left: auto; }
.system > .text { color: var(--soft); font-size: .875rem; padding: .5rem .9rem .7rem; }
details { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; margin: .55rem 0;
  overflow: hidden; }
summary { cursor: pointer; padding: .5rem .9rem; display: flex; gap: .6rem; align-items: baseline; list-style: none;
  font-size: .9rem; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "\\25B8"; color: var(--soft); font-size: .8em; transition: transform .15s; }
details[open] > summary::before { transform: rotate(90deg); }
summary:hover { background: color-mix(in srgb, var(--ink) 4%, transparent); }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: .7rem; }
summary code { font-weight: 600; overflow-wrap: anywhere; }
.brief { color: var(--soft); flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.inside { padding: .1rem .9rem .8rem; border-top: 1px solid var(--line); }
.label { font-size: .72rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft);
  margin: .7rem 0 .25rem; }
pre { margin: 0; padding: .6rem .75rem; background: var(--code); border-radius: .45rem; font: .82rem/1.5 ui-monospace,
  "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 28rem;
  overflow: auto; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .92em; }
.question { border-left: 3px solid var(--ask); background: var(--askbg); border-radius: .3rem .6rem .6rem .3rem;
  padding: .6rem .9rem; margin: .6rem 0; font-size: .92rem; overflow-wrap: anywhere; }
.question p { margin: .15rem 0; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; margin: .4rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; white-space: pre-wrap; } th { color: var(--soft); font-weight: 500; }
.event { color: var(--soft); font-size: .82rem; margin: .7rem 0; display: flex; gap: .6rem; align-items: baseline;
  overflow-wrap: anywhere; }
.event::before, .event::after { content: ""; flex: 1; min-width: 1rem; border-top: 1px solid var(--line);
  transform: translateY(-.3em); }
.receipt { border: 1px solid var(--line); border-radius: .7rem; padding: .6rem .9rem; font-size: .9rem;
  margin-top: 1rem; }
.receipt ul { margin: .3rem 0 0; padding-left: 1.2rem; } .receipt li { overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--soft); font-size: .8rem; border-top: 1px solid var(--line);
  padding-top: .8rem; }
@media (max-width: 34rem) { main { padding: 1.5rem .9rem 3rem; } .user .text { max-width: 94%;
  } h1 { font-size: 1.35rem; }
  summary { padding: .6rem .75rem; } }
@media print { body { background: #fff; } details { break-inside: avoid; } pre { max-height: none; } }
"""
