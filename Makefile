# Every recipe makes what it needs first: a machine with Python >= 3.11, git and make is enough.
# CI runs `make check`, `make test` and `make edges`, word for word.

PYTHON ?=
ARGS   ?=
ROOM   ?= $(PACKAGE)
PY     := .venv/bin/python
PYTEST := $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder
export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1
# A module is compiled once: hundreds of processes in the tests would each do it again.
unexport PYTHONDONTWRITEBYTECODE

# The tests of the packages where every line and every branch is tested (see coverage in pyproject.toml), and those that
# reach the rest of them. Only these run with coverage, under which a test takes twice as long.
TRACED := $(addprefix tests/,core schemas record call chat inventory journal dispatch layers agent approvals runtime \
	acceptance/test_layer_defects.py acceptance/test_layer_signals.py)

# No recipe runs twice at once: two would install into one environment.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: run chat open rehearse quick test test-model check format edges bench figures compare floors neighbours docs lock clean help \
	env-run env-dev env-compare env-floors

run: env-run ## the CMS and its web console in a browser, on this machine alone; prints a link; ARGS='--ask "..."' asks once
	@exec $(PY) scripts/run.py $(ARGS)

chat: env-run ## talk to the CMS editor in the terminal, or rehearse without a model; ARGS='--ask "..."' asks once
	@$(PY) scripts/chat.py $(ARGS)

open: env-run ## write a page as HTML, print where: PAGE=about, TARGET=bakery, REHEARSAL=1 for one of `make rehearse`
	@REMIT_CMS_SAMPLE=1 $(if $(REHEARSAL),REMIT_HOME=build/rehearsal )sh scripts/open_page

rehearse: env-run ## a script in the model's place makes a page, and asks you before it deletes one: no weights, no network
	@sh scripts/rehearse $(ARGS)

quick: env-dev ## the inner loop: style, types and tests of one package (ROOM=layers, ROOM=cms) or of what changed
	@$(PY) scripts/quick.py $(ROOM)

test: env-dev ## the whole suite, with branch coverage of what must be whole; ARGS go to pytest, without coverage
	@mkdir -p build
ifeq ($(ARGS),)
	@sh scripts/in_memory $(PYTEST) --cov --cov-report= $(TRACED)
	@$(PY) -m coverage report --fail-under=100
	@sh scripts/in_memory $(PYTEST) $(addprefix --ignore=,$(TRACED))
else
	@$(PYTEST) $(ARGS)
endif

test-model: env-dev ## the tests that run real weights
	@$(PY) -m pytest tests/model packages/remit-local/tests -m model -s -o faulthandler_timeout=0 $(ARGS)

check: env-dev env-floors ## style, types, imports, sizes, addresses, locked requirements, and a smoke test with their floors
	@$(PY) -m ruff format --check --output-format concise .
	@$(PY) -m ruff check .
	@$(PY) -m pyright
	@.venv/bin/lint-imports --no-logo --cache-dir build/imports
	@$(PY) scripts/check_sizes.py
	@$(PY) scripts/check_addresses.py
	@$(PY) scripts/lock.py --check
	@build/floors/.venv/bin/python -m neighbours.smoke

format: env-dev ## what `make check` asks of style, done where a tool can do it
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

edges: env-dev ## wheels, a browser, the HTML of pages, AG-UI clients, MCP programs and servers of others, into build/edges.json; names what it skips
	@sh scripts/in_memory $(PY) scripts/edges.py $(ARGS)

bench: env-dev ## measure speed and memory into build/bench.json
	@mkdir -p build
	@$(PY) -m bench $(ARGS)

figures: env-dev ## measure the promises into build/figures.json
	@mkdir -p build
	@$(PY) -m figures $(ARGS)

compare: env-compare ## kill six agent frameworks in the middle of an effect, or ARGS=speed: what they cost; into build/
	@build/compare/.venv/bin/python -m compare $(ARGS)

floors: env-floors ## a smoke test with the oldest releases that Remit allows, in an environment of its own
	@build/floors/.venv/bin/python -m neighbours.smoke

neighbours: env-dev ## install the newest of other frameworks beside Remit, into build/neighbours.json; asks the package index
	@mkdir -p build
	@$(PY) -m neighbours $(ARGS)

docs: env-dev ## write the generated parts of the docs again, and the types of the console
	@$(PY) scripts/docs.py $(ARGS)

lock: env-run ## write requirements/*.txt; ARGS=--upgrade takes newer releases
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(PY) scripts/lock.py $(ARGS)

clean: ## remove what the recipes made, but for .venv
	@rm -rf build dist .hypothesis .pytest_cache .ruff_cache
	@find src apps packages tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

env-run env-dev env-compare env-floors: env-%:
	@PYTHON="$(PYTHON)" sh scripts/bootstrap $*
