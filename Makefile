# make demo      an Ascend C operator from one command to a torch call on device='npu', without NPU and CANN
# make test      lint, types and the test suite
# make test-all  make test, then make slow
# make slow      the slow tests: sanitizer builds, every dtype and size
# make qualify   the tests that take hours, before an issue is closed: attacks, every size and case; writes results
# make wheel     dist/opforge-*.whl with the simulated toolkit prebuilt, for machines like this one
#
# Each sets up .venv first. Prerequisites: python3 (3.10 or later, with venv), g++, make, git.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
STAMP := $(VENV)/.ready
JOBS ?= 2
# Files of tests in the order of tests/file_order.py: pytest-xdist would put those with the fewest tests, which here are the
# longest, last.
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

# torch_npu would otherwise be loaded by `import torch` in tools that have no simulated device around them.
export TORCH_DEVICE_BACKEND_AUTOLOAD := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Containers often set it. Then each process compiles every module and form again, and tests start thousands of them.
unexport PYTHONDONTWRITEBYTECODE

# Forms have slots and are not C++ yet.
CXX_SOURCES = $(shell git ls-files 'src/opforge/simulator/**/*.h' 'src/opforge/simulator/**/*.cpp' 'tests/**/*.cpp' 'tests/**/*.h' \
	':!tests/**/forms/**')

.PHONY: help setup demo lint format test test-all slow qualify wheel clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

setup: $(STAMP)

$(STAMP): pyproject.toml Makefile
	@command -v g++ >/dev/null || { echo "no C++ compiler found: install g++"; exit 1; }
	@echo "setting up $(VENV) (the first time this downloads PyTorch)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable '.[npu]' --group dev
	@$(BIN)/python -c 'import sys, torch; sys.exit(torch.version.cuda is not None)' || { echo "pip installed a CUDA build \
	of PyTorch, next to which torch_npu cannot be imported: rm -rf $(VENV), then point PIP_FIND_LINKS or \
	PIP_EXTRA_INDEX_URL to PyTorch's CPU wheels"; exit 1; }
	@$(BIN)/python -m compileall -q src/opforge
	@$(BIN)/python -c 'from opforge.render.forms import compile_forms; compile_forms()'
	@touch $@

demo: $(STAMP)
	@PATH="$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" bash examples/demo.sh

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if [ -n "$(strip $(CXX_SOURCES))" ]; then $(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES); fi

format: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CXX_SOURCES)

test: lint
	$(PYTEST) -m "not slow and not qualify"

test-all: test slow

# Kernels and op_host of tests are compiled as in a build, instead of without optimisation.
slow qualify: export OPFORGE_KERNEL_LEVEL :=

slow: $(STAMP)
	$(PYTEST) -m "slow and not qualify" $(if $(BEGIN_BY),--begin-by=$(BEGIN_BY))

qualify: $(STAMP)
	$(PYTEST) -m qualify

wheel: $(STAMP)
	OPFORGE_PREBUILT=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/opforge-*.whl

clean:
	rm -rf .demo build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
