# Each target creates .venv from the pinned requirements if it is missing or older than they are, and reuses it otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
PORT :=
INSTALLING := @echo "Installing pinned requirements into $(VENV): about a minute, once"
PIP := --disable-pip-version-check --progress-bar on
# Examples of each property of `make fuzz`, new ones at each run; `make test` takes the tests' own short numbers.
FUZZ ?= 2000
FUZZED := tests/test_package_fuzz.py tests/test_package_faults.py tests/test_hostile.py tests/test_readers.py \
  tests/test_codec_errors.py tests/test_codec_properties.py tests/test_fault_injection.py

.PHONY: run test lint fuzz bench samples format clean help

help:
	@echo "make run      open the app on the bundled stalled run (ARGS='PATH ...' opens yours, PORT=8600 chooses the port)"
	@echo "make test     run every test"
	@echo "make lint     ruff and mypy"
	@echo "make fuzz     the property tests and hostile inputs at length (FUZZ=20000 for longer)"
	@echo "make bench    run the benchmarks and print figures and ratios"
	@echo "make samples  rebuild sample_archives/"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt | $(BIN)/python
	$(INSTALLING)
	$(BIN)/python -m pip install $(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements.txt | $(BIN)/python
	$(INSTALLING)
	$(BIN)/python -m pip install $(PIP) -r requirements-dev.txt
	@touch $@ $(VENV)/.run

run: $(VENV)/.run
	$(BIN)/python -m streamlit run app.py $(if $(PORT),--server.port $(PORT)) -- $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto $(ARGS)

fuzz: $(VENV)/.dev
	FUZZ_EXAMPLES=$(FUZZ) CODEC_VIEWS=$(FUZZ) $(BIN)/python -m pytest -n auto --hypothesis-profile=default $(FUZZED) $(ARGS)

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
