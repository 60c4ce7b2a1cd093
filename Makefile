# `make demo` and `make test` install all that they need. PYTHON chooses the interpreter (3.11 or later);
# MIDSTREAM_EXTENSION=yes requires the compiled core, =no omits it; if unset, it is compiled if possible.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src/midstream -name "*.py" -o -name "*.pxd")
# Every tool is installed at the version and with the hashes that requirements/ names; `make locks` writes those
# files, one for each environment. A single uv.lock or pylock.toml would name the hosts of a registry and need an
# installer that a new Python does not have, while these work with every pip. The SDKs have
# contradicted each other in their dependencies, so each needs a resolution of its own.
PINNED = -m pip install --quiet --require-hashes --requirement requirements
LOCKS := build check demo docs fuzz locks mutants sdk-openai sdk-anthropic sdk-objects sdk-frameworks wheels
BENCH := .venv-bench
BENCH_WHEEL = $(BENCH)/bin/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(BENCH)/wheels $(BENCH)/source

# the SDKs of providers, for the tests that use them as clients
SDKS := .venv-sdk-openai/ready .venv-sdk-anthropic/ready .venv-sdk-objects/ready

.PHONY: help demo test check docs bench deep bench-check comparison pictures dist clean locks sdk-envs programs

help:
	@echo "make demo    see JSON arrive"
	@echo "make test    run the tests, on the compiled and on the plain core"
	@echo "make check   lint and type-check"
	@echo "make docs    build the documentation site, warnings are errors"
	@echo "make bench   measure against the peers (QUICK=1: a short run; DOCS=1: write the tables of the docs)"
	@echo "make deep    run the long-running programs (ONLY=list: list them; ONLY=fuzz: run one of them)"

demo: .venv-demo/ready
	@.venv-demo/bin/python -m midstream.cli.demo

# Many tests wait for a server, a browser or another process, so there are more workers than processors. Without
# bytecode, which an image may have disabled, each of some hundred processes would compile all modules again.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/installed $(SDKS) $(VENV)/programs
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

check: $(VENV)/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright

# The reference is made from the plain modules, because compiled ones have no signatures or annotations.
docs: .venv-docs/ready
	@rm -rf build/docs build/plain
	@mkdir -p build/plain
	@cp -R src/midstream build/plain
	@rm -f build/plain/midstream/*.so build/plain/midstream/*/*.so
	PYTHONPATH=build/plain .venv-docs/bin/sphinx-build -q -W --keep-going -n -b html -d build/docs/doctrees docs build/docs/html
	@echo "open build/docs/html/index.html"

bench: $(BENCH)/ready $(BENCH)-instructor/ready benchmarks/node/node_modules
	$(BENCH)/bin/python benchmarks/run.py $(if $(QUICK),--quick) $(if $(DOCS),--docs) $(ONLY)
ifneq ($(DOCS),)
ifeq ($(ONLY),)
	$(BENCH)/bin/python benchmarks/features.py --write
	node benchmarks/node/peers.mjs --docs
endif
endif

# write the tables of docs/comparison.md; a check determines each cell
comparison: $(BENCH)/ready benchmarks/node/node_modules
	$(BENCH)/bin/python benchmarks/features.py --write

# compare instruction counts, which are the same in every run
bench-check: $(VENV)/installed
	$(BIN)/python benchmarks/instructions.py

# long-running programs: `make deep ONLY=list` names them
deep: $(VENV)/installed
	@$(BIN)/python tools/deep.py $(ONLY) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ARGS),--args="$(ARGS)")

pictures: $(VENV)/installed $(VENV)/programs
	$(BIN)/python tools/diagrams/make_diagrams.py
	$(BIN)/python tools/pictures/make_pictures.py
	$(BIN)/python tools/pictures/make_recording.py
	$(BIN)/python tools/pictures/make_terminal_pictures.py

dist: $(VENV)/installed
	$(BIN)/python tools/try_dist.py

clean:
	rm -rf $(VENV) .venv-* build dist benchmarks/node/node_modules src/*.egg-info src/midstream/*.so src/midstream/*/*.so

# The package is installed in place, so its compiled files must match its sources. It is also built again
# if one of the options has changed since the last build.
$(VENV)/installed: $(VENV)/tools $(SOURCES) setup.py $(VENV)/extension-$(MIDSTREAM_EXTENSION)
	rm -f src/midstream/*.so src/midstream/*/*.so
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@$(BIN)/python -c "import midstream; print('midstream', midstream.__version__, 'compiled' if midstream.COMPILED else 'plain')"
	@touch $@

$(VENV)/extension-$(MIDSTREAM_EXTENSION): | $(VENV)/tools
	@rm -f $(VENV)/extension-*
	@touch $@

$(VENV)/tools: requirements/check.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PINNED)/check.txt
	@touch $@

sdk-envs: $(SDKS)

# Chromium, Node, Redis and nginx for the tests: the installed ones, else Debian's packages if possible; the
# tests report what is still missing
programs: $(VENV)/programs

$(VENV)/programs: | $(VENV)/tools
	@sh tools/get_programs.sh
	@touch $@

.venv-%/ready: requirements/%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python $(PINNED)/$*.txt
	@touch $@

# The demo needs no developer tools and compiles nothing: the package is imported from src, where compiled modules
# may be.
.venv-demo/ready: requirements/demo.txt
	@echo "Preparing an environment for the demo, .venv-demo (only the first time) ..."
	@$(PYTHON) -m venv .venv-demo
	@.venv-demo/bin/python $(PINNED)/demo.txt
	@.venv-demo/bin/python -c "import pathlib, sysconfig; \
		pathlib.Path(sysconfig.get_path('purelib'), 'midstream.pth').write_text('$(CURDIR)/src')"
	@printf '#!/bin/sh\nexec "%s" -m midstream.cli "$$@"\n' $(CURDIR)/.venv-demo/bin/python > .venv-demo/bin/midstream
	@chmod +x .venv-demo/bin/midstream
	@touch $@

# run after a change of the groups in pyproject.toml; UPGRADE=1 selects the newest versions
locks: .venv-locks/ready
	for group in $(LOCKS); do \
		.venv-locks/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
			--no-emit-index-url --custom-compile-command "make locks" $(if $(UPGRADE),--upgrade) \
			--group $$group --output-file requirements/$$group.txt || exit; \
	done

# The peers have an environment of their own, in which midstream is installed as users install it, from a
# wheel. The wheel is built from a copy, so that it does not interfere with builds in the tree.
$(BENCH)/ready: $(BENCH)/tools $(SOURCES) setup.py
	@rm -rf $(BENCH)/wheels $(BENCH)/source/src
	@mkdir -p $(BENCH)/source
	@cp -Rp src setup.py pyproject.toml MANIFEST.in README.md LICENSE $(BENCH)/source
	@rm -f $(BENCH)/source/src/midstream/*.so $(BENCH)/source/src/midstream/*/*.so
	MIDSTREAM_EXTENSION=no $(BENCH_WHEEL)
	$(BENCH_WHEEL)
	$(BENCH)/bin/python -m pip install --quiet --no-deps --force-reinstall $$(ls $(BENCH)/wheels/*-cp*.whl || ls $(BENCH)/wheels/*.whl)
	@touch $@

$(BENCH)/tools: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BENCH)/bin/python -m pip install --quiet --group bench
	@touch $@

# instructor and the newest SDK of OpenAI cannot be installed together
$(BENCH)-instructor/ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)-instructor
	$(BENCH)-instructor/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BENCH)-instructor/bin/python -m pip install --quiet --group bench-instructor
	@touch $@

# the peers for Node are optional: without npm, the table says that they are missing
benchmarks/node/node_modules: benchmarks/node/package.json
	@if command -v npm > /dev/null; then \
		npm install --prefix benchmarks/node --no-audit --no-fund --no-package-lock --loglevel=error && touch $@; \
	else echo "npm is missing: nothing is measured in Node"; fi
