# Each target creates .venv from the pinned requirements if it is missing or older than they are, and reuses it otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: run test lint bench samples format clean help

help:
	@echo "make run      open the app on the bundled stalled run (ARGS='PATH ...' opens yours)"
	@echo "make test     run every test"
	@echo "make lint     ruff and mypy"
	@echo "make bench    run the benchmarks and print figures and ratios"
	@echo "make samples  rebuild sample_archives/"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.run

run: $(VENV)/.run
	$(BIN)/python -m streamlit run app.py -- $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks $(ARGS)

samples: $(VENV)/.run
	$(BIN)/python scripts/build_sample_archives.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
