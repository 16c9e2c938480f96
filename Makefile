# Every target makes the .venv it needs; PYTHON is any Python 3.11 or newer.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
LABS   := $(VENV)/.installed-labs

.PHONY: help demo test test-all bench lint lab site build doctor clean

help:           ## what can be made
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 3; }
	@echo "Installing into $(VENV): once, some minutes"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[grade,cluster,postgres,test]'
	@touch $@

# PyTorch is large: only what compares with it or runs every suite installs it.
$(LABS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all]'
	@touch $@

demo: $(READY)  ## build the lesson, grade a sample class, name the files to open
	$(BIN)/course demo

# Three workers on two cores: many tests wait for a time limit to end something. A file's tests
# stay together: what they share is made once.
test: $(READY)  ## everything fast
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -q -m "not slow"

test-all: $(LABS)  ## the slow suites too
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q

bench: $(LABS)  ## side by side with other tools; writes build/bench/
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.pipeline

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

build: $(READY) ## derive every edition from solutions/
	$(BIN)/course build

lab: $(READY)   ## open the lesson in JupyterLab
	$(BIN)/course lab lesson03

site: $(READY)  ## the readers' page, in _site/
	$(BIN)/course site

doctor: $(READY) ## what this machine lacks
	$(BIN)/course doctor

clean:          ## remove what these targets made
	rm -rf $(VENV) demo work _site build
