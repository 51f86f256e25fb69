# Every target sets up what it needs by itself; see CONTRIBUTING.md.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
# Twice as many test processes as cores: many tests wait for processes, sockets and clocks.
WORKERS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
# Only root may make a network to cut; CI is root, and runs everything.
LEFT_OUT := $(if $(filter 0,$(shell id -u)),,-m "not root")
# What was compiled is kept, whatever this machine is set to: else each test process, and each process
# that a test starts, compiles it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup runtime run demo lint check test test-packages collected screenshots fix bench lock house sizes contract prove clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

$(READY): requirements.lock scripts/setup.sh scripts/install_command.sh
	@sh scripts/setup.sh requirements.lock
	@touch $(READY)

$(DEV): requirements-dev.lock requirements.lock scripts/setup.sh scripts/install_command.sh
	@sh scripts/setup.sh requirements-dev.lock
	@touch $(READY) $(DEV)

setup: $(DEV) ## the environment for development

runtime: $(READY) ## the environment for running only, a third of the size

run: $(READY) ## the whole product, on SQLite under data/
	@echo "Starting ClawFeed; its address and what to do next follow in a moment."
	@$(BIN)/clawfeed run

demo: $(READY) ## the whole product on a simulated world: no network, no key
	@$(BIN)/clawfeed demo

lint: $(DEV) ## format, lint, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@$(MAKE) --no-print-directory house

check: lint ## what lint checks, and the fast tests
	$(BIN)/pytest -q -n $(WORKERS) -m "not slow"

test: $(DEV) test-packages ## every test, on SQLite and PostgreSQL
	$(BIN)/pytest -q -n $(WORKERS) $(LEFT_OUT)

test-packages: ## the machine's own packages that tests need, where we may install them
	@sh scripts/test-packages.sh

collected: $(DEV) ## every test found once, so that the test processes find its modules compiled
	@$(BIN)/pytest -q --collect-only > /dev/null || true # make test tells what is wrong

screenshots: $(DEV) ## every page as people see it, into screenshots/; ONLY=today,marks or ONLY=readme
	@$(BIN)/python scripts/screenshots.py --only "$(ONLY)"

fix: $(DEV) ## format, and mend what can be mended safely
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV) ## measurements, as ratios within one run
	@for file in bench/bench_*.py; do echo "== $$file"; PYTHONPATH=. $(BIN)/python $$file || exit 1; done

lock: ## the lock files anew from pyproject.toml
	uv pip compile -q pyproject.toml --extra fulltext --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -o requirements.lock
	uv pip compile -q pyproject.toml --extra fulltext --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -o requirements-dev.lock

house: $(DEV) ## layers between rooms, no import cycles inside them, SQL only in storage
	PYTHONPATH=src $(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/sql_placement.py

sizes: $(DEV) ## the ten longest functions and files: a mirror, not a gate
	@$(BIN)/python scripts/sizes.py

contract: $(DEV) ## docs/contract.md anew: under each line the tests that cite it
	@$(BIN)/python scripts/contract.py

prove: $(DEV) ## break each line of the contract and tell what nobody noticed; ONLY=S000-18
	@$(BIN)/python scripts/contract_mutations.py --only "$(ONLY)"

clean: ## remove the environment and caches, never data/
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
