# Everything below needs only python3 (>= 3.11) and make.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
CLIENTS := .venv-clients
OBJECTS := .venv-objects
CHARTS := .venv-charts
AUTOML := .venv-automl
DATA ?=
QUICK ?=
PUBLISH ?=

.DEFAULT_GOAL := help
.PHONY: help venv clients objects charts automl demo serve test test-slow check format guide bench experiments soak lock lock-upgrade migrations clean

help:
	@echo "make demo    train on a real data set over HTTP and print decisions with their costs"
	@echo "make serve   the service on 127.0.0.1:8000, data under var/"
	@echo "make cluster-demo  two APIs, two workers, an S3 server and a Dask cluster, with one of each killed (needs PostgreSQL)"
	@echo "make test    the test suite"
	@echo "make test-slow  what takes many seconds a test; CI runs it after the suite"
	@echo "make check   format, lint, types, import contracts, unsafe calls, migrations"
	@echo "make guide   the documentation as a site, which the service then shows at /guide"
	@echo "make bench   speed, side by side with peers (DATA=folder for the real sets, QUICK=1 for a short form)"
	@echo "make clients clients of other servers, for their tests"
	@echo "make objects an S3 server, for the tests of object stores"
	@echo "make charts  Helm's engine and the schemas of Kubernetes, for the tests of the chart"
	@echo "make automl  AutoGluon and FLAML, for the experiment that sets them beside auto (python -m experiments --only peers)"
	@echo "make experiments  the papers' tables, ours beside theirs (DATA=folder of the sets, QUICK=1, PUBLISH=1 for docs/results.md)"
	@echo "make soak    the long forms of the load, fault and statistical tests; property tests on new draws"
	@echo "make lock    pin the requirements again, with hashes"

venv: $(VENV)/.running

# What running needs. pip checks every file against its hash; the project itself is linked, not copied.
$(VENV)/.running: requirements/runtime.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# What testing, checking and experiments need beside it.
$(VENV)/.installed: requirements/dev.txt $(VENV)/.running
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

# The generator of clients has an environment of its own, since it needs an older release of what the commands run on.
$(VENV)/.generator: requirements/generator.txt $(VENV)/.installed
	@$(PYTHON) -m venv --without-pip $(VENV)/generator
	$(BIN)/uv pip install --quiet --python $(VENV)/generator/bin/python --require-hashes -r requirements/generator.txt
	@touch $@

demo: venv
	$(BIN)/python -m app.client.demo

cluster-demo: $(VENV)/.installed $(OBJECTS)/.installed
	$(BIN)/python examples/deploy/cluster_demo.py

serve: venv
	$(BIN)/demur serve

# One more than there are processors: tests wait for the processes that they start.
PARALLEL = --numprocesses=$$(($$(getconf _NPROCESSORS_ONLN) + 1)) --maxprocesses=5

test: $(VENV)/.installed $(VENV)/.generator
	$(BIN)/python -m pytest $(PARALLEL) --dist=loadfile $(PYTEST_ARGS)

test-slow: $(VENV)/.installed
	$(BIN)/python -m pytest -m "thorough and not slow" $(PARALLEL) --dist=loadfile $(PYTEST_ARGS)

check: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive app solvers migrations
	$(BIN)/python -m migrations.check

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/.guide: requirements/guide.txt $(VENV)/.running
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/guide.txt
	@touch $@

guide: $(VENV)/.guide
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --clean

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

# Clients of other servers, which the tests send here unmodified; where they cannot be installed, those tests are skipped.
clients: $(CLIENTS)/.installed

$(CLIENTS)/.installed: requirements/clients.txt $(VENV)/.installed
	@rm -rf $(CLIENTS)
	@$(PYTHON) -m venv --without-pip $(CLIENTS)
	@if $(BIN)/uv pip install --quiet --python $(CLIENTS)/bin/python --require-hashes -r requirements/clients.txt; \
	then touch $@; else rm -rf $(CLIENTS); echo "make: the clients of other servers could not be installed" >&2; fi

# An S3 server, which the tests start; where it cannot be installed, those tests are skipped.
objects: $(OBJECTS)/.installed

$(OBJECTS)/.installed: requirements/objects.txt $(VENV)/.installed
	@rm -rf $(OBJECTS)
	@$(PYTHON) -m venv --without-pip $(OBJECTS)
	@if $(BIN)/uv pip install --quiet --python $(OBJECTS)/bin/python --require-hashes -r requirements/objects.txt; \
	then touch $@; else rm -rf $(OBJECTS); echo "make: an S3 server for the tests could not be installed" >&2; fi

# Helm's own engine, and the schemas of Kubernetes; where they cannot be installed, the tests of the chart are skipped.
charts: $(CHARTS)/.installed

$(CHARTS)/.installed: requirements/charts.txt $(VENV)/.installed
	@rm -rf $(CHARTS)
	@$(PYTHON) -m venv --without-pip $(CHARTS)
	@if $(BIN)/uv pip install --quiet --python $(CHARTS)/bin/python --require-hashes -r requirements/charts.txt; \
	then touch $@; else rm -rf $(CHARTS); echo "make: what checks the Helm chart could not be installed" >&2; fi

# Systems that choose models by themselves, for the experiment `peers` alone.
automl: $(AUTOML)/.installed

$(AUTOML)/.installed: requirements/automl.txt $(VENV)/.installed
	@rm -rf $(AUTOML)
	@$(PYTHON) -m venv --without-pip $(AUTOML)
	@if $(BIN)/uv pip install --quiet --python $(AUTOML)/bin/python --require-hashes -r requirements/automl.txt; \
	then touch $@; else rm -rf $(AUTOML); echo "make: AutoGluon and FLAML could not be installed" >&2; exit 1; fi

bench: $(VENV)/.bench $(PEERS)/.installed
	env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BIN)/python -m tests.benchmarks $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA))

# Resumable: what is done is kept in experiments/output/.
experiments: $(VENV)/.installed
	@test -n "$(DATA)" || { echo "say where the data sets are: make experiments DATA=folder" >&2; exit 2; }
	$(BIN)/python -m experiments --data $(DATA) $(if $(QUICK),--quick) $(if $(PUBLISH),--publish)

soak: $(VENV)/.installed $(OBJECTS)/.installed
	$(BIN)/python -m pytest -m "slow or thorough or hypothesis" --hypothesis-profile=free --timeout 3600 $(PYTEST_ARGS)

COMPILE = $(BIN)/uv pip compile $(LOCK_FLAGS) --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

# One lock for every platform and Python that the project serves.
lock: $(VENV)/.installed
	$(COMPILE) pyproject.toml --extra service -o requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra service --extra cluster -c requirements/runtime.txt -o requirements/cluster.txt
	$(COMPILE) pyproject.toml --extra service --extra cluster --extra plots --extra dev -c requirements/cluster.txt -o requirements/dev.txt
	$(COMPILE) pyproject.toml --extra service --extra cluster --extra plots --extra dev --extra bench -c requirements/dev.txt -o requirements/bench.txt
	$(COMPILE) pyproject.toml --extra guide -c requirements/dev.txt -o requirements/guide.txt
	$(COMPILE) requirements/peers.in -o requirements/peers.txt
	$(COMPILE) requirements/clients.in -o requirements/clients.txt
	$(COMPILE) requirements/objects.in -o requirements/objects.txt
	$(COMPILE) requirements/charts.in -o requirements/charts.txt
	$(COMPILE) requirements/automl.in -o requirements/automl.txt
	$(COMPILE) requirements/generator.in -o requirements/generator.txt
	echo "setuptools>=77" | $(COMPILE) - -o requirements/build.txt

lock-upgrade:
	$(MAKE) lock LOCK_FLAGS=--upgrade

clean:
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .numba_cache build dist ./*.egg-info
