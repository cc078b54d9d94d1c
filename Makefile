# Everything below needs only python3 (>= 3.11) and make.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
DATA ?=
QUICK ?=
PUBLISH ?=

.DEFAULT_GOAL := help
.PHONY: help venv demo serve test check format bench experiments soak lock lock-upgrade migrations clean

help:
	@echo "make demo    train on a real data set over HTTP and print decisions with their costs"
	@echo "make serve   the service on 127.0.0.1:8000, data under var/"
	@echo "make test    the whole test suite"
	@echo "make check   format, lint, types, import contracts, unsafe calls, migrations"
	@echo "make bench   speed, side by side with peers (DATA=folder for the real sets, QUICK=1 for a short form)"
	@echo "make experiments  the papers' tables, ours beside theirs (DATA=folder of the sets, QUICK=1, PUBLISH=1 for docs/results.md)"
	@echo "make soak    the long forms of the load, fault and statistical tests"
	@echo "make lock    pin the requirements again, with hashes"

venv: $(VENV)/.installed

# pip checks every file against its hash; the project itself is linked, not copied.
$(VENV)/.installed: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: venv
	$(BIN)/python -m app.client.demo

serve: venv
	$(BIN)/demur serve

test: venv
	$(BIN)/python -m pytest --numprocesses=logical --maxprocesses=4 --dist=loadfile $(PYTEST_ARGS)

check: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive app solvers migrations
	$(BIN)/python -m migrations.check

format: venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Libraries to compare with are added when they are first measured; nothing of the service imports them.
$(VENV)/.bench: requirements/bench.txt $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

# Servers to compare with have an environment of their own, since they need older releases of what the service runs on.
# Where they cannot be installed, the benchmark's rows say so, and the next run tries again.
$(PEERS)/.installed: requirements/peers.txt $(VENV)/.installed
	@rm -rf $(PEERS)
	@$(PYTHON) -m venv --without-pip $(PEERS)
	@if $(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --require-hashes -r requirements/peers.txt 2> $(PEERS)/not-installed.txt; \
	then rm $(PEERS)/not-installed.txt; touch $@; \
	else echo "make: the servers to compare with could not be installed:" >&2; tail -n 3 $(PEERS)/not-installed.txt >&2; fi

bench: $(VENV)/.bench $(PEERS)/.installed
	env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BIN)/python -m tests.benchmarks $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA))

# Resumable: what is done is kept in experiments/output/.
experiments: venv
	@test -n "$(DATA)" || { echo "say where the data sets are: make experiments DATA=folder" >&2; exit 2; }
	$(BIN)/python -m experiments --data $(DATA) $(if $(QUICK),--quick) $(if $(PUBLISH),--publish)

soak: venv
	$(BIN)/python -m pytest -m "slow" --timeout 3600 $(PYTEST_ARGS)

COMPILE = $(BIN)/uv pip compile $(LOCK_FLAGS) --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

# One lock for every platform and Python that the project serves.
lock: venv
	$(COMPILE) pyproject.toml -o requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra dev -c requirements/runtime.txt -o requirements/dev.txt
	$(COMPILE) pyproject.toml --extra dev --extra bench -c requirements/dev.txt -o requirements/bench.txt
	$(COMPILE) requirements/peers.in -o requirements/peers.txt
	echo "setuptools>=77" | $(COMPILE) - -o requirements/build.txt

lock-upgrade:
	$(MAKE) lock LOCK_FLAGS=--upgrade

clean:
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .numba_cache build dist ./*.egg-info
