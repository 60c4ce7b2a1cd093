# `make demo` and `make test` set up all they need. PYTHON chooses the interpreter (3.11 or later);
# MIDSTREAM_EXTENSION=yes demands the compiled core, =no leaves it out, unset takes it if possible.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard src/midstream/*.py src/midstream/*.pxd)
FUZZ_SECONDS ?= 300

# the SDKs of providers, for the tests that use them as clients
SDKS := .venv-openai/ready .venv-anthropic/ready .venv-objects/ready

.PHONY: help demo test check bench fuzz dist pictures chromium clean sdk-envs

help:
	@echo "make demo    see JSON arrive"
	@echo "make test    run the tests, on the compiled and on the plain core"
	@echo "make check   lint and type-check"
	@echo "make bench   measure against the peers (QUICK=1: a short run)"
	@echo "make fuzz    look for counterexamples for FUZZ_SECONDS ($(FUZZ_SECONDS))"
	@echo "make dist    build sdist and wheel, and try both in fresh environments"

demo: $(VENV)/installed
	@$(BIN)/python -m midstream.demo

test: $(VENV)/installed $(SDKS) $(VENV)/browser
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/bench
	$(BIN)/python benchmarks/run.py $(if $(QUICK),--quick)

fuzz: $(VENV)/installed
	$(BIN)/python tests/fuzz.py $(FUZZ_SECONDS)

pictures: $(VENV)/installed $(VENV)/browser
	$(BIN)/python tests/make_pictures.py
	$(BIN)/python tests/make_terminal_pictures.py

dist: $(VENV)/installed
	$(BIN)/python tests/try_dist.py

clean:
	rm -rf $(VENV) .venv-* build dist src/*.egg-info src/midstream/*.so

# The package is installed in place, so its compiled files must follow its sources. A switch that
# changes since the last time is a reason to build again, too.
$(VENV)/installed: $(VENV)/tools $(SOURCES) setup.py $(VENV)/extension-$(MIDSTREAM_EXTENSION)
	rm -f src/midstream/*.so
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@$(BIN)/python -c "import midstream; print('midstream', midstream.__version__, 'compiled' if midstream.COMPILED else 'plain')"
	@touch $@

$(VENV)/extension-$(MIDSTREAM_EXTENSION): | $(VENV)/tools
	@rm -f $(VENV)/extension-*
	@touch $@

$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group check
	@touch $@

sdk-envs: $(SDKS)

# Chromium and Node for the tests of the page: taken as they are, else from Debian's packages where
# that is possible; what is still missing the tests name
chromium: $(VENV)/browser

$(VENV)/browser: | $(VENV)/tools
	@sh tests/get_browser.sh
	@touch $@

.venv-%/ready: pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-$*/bin/python -m pip install --quiet --group sdk-$*
	@touch $@

$(VENV)/bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@
