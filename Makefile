# Everything here sets up .venv by itself; a second call finds it ready. Flags go through ARGS: make run ARGS="--seed 7".
SHELL := /bin/sh
.DEFAULT_GOAL := help
# with .venv activated, "python3" would be the environment that is being made
export PATH := $(subst $(CURDIR)/.venv/bin:,,$(PATH))
# where it is set, every process here would compile our own sources again
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
TESTS := $(wildcard $(addprefix tests/,architecture unit property policy contract conformance integration))
TYPED := $(wildcard services/*/src harness/src tests/support tests/policy tests/bench tests/both_stacks tests/soak infra/workspace infra/model-smoke)
# tests wait as much as they work: one more than there are processors; 0 for one process, where a debugger is wanted
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 1) + 1)
SOAK ?= 20
# SOAK so many times over, and at least one
times = $$(awk 'BEGIN { printf "%d", $(SOAK) * $(1) + 1 }')
# left out of a slice of the soak: `make test`, `make e2e` and both stacks have a slice of these
whole = $(if $(filter 0%,$(SOAK)),@:,@$(BIN)/python -m tests.soak.$(1))
ARGS ?=

.PHONY: help setup tools run test check lint format types imports scenarios prove e2e compose-tests browser-tests both-stacks policies offline-images offline-proof bench soak compose-soak fmt pins pins-check bare-root model-smoke

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

setup: ## make .venv with what Deskworld needs to run (.venv/bin/harness)
	@infra/workspace/setup run

tools:
	@infra/workspace/setup dev

run: setup ## start the embedded stack, play the catalogue, print the table, stop the stack
	@$(BIN)/harness run $(ARGS)

test: tools ## all tests but the end-to-end ones
	@$(BIN)/python -m pytest $(TESTS) -n $(WORKERS) --dist loadfile $(ARGS)

check: lint format types imports scenarios ## style, types, who imports whom, scenario files

lint: tools
	@$(BIN)/ruff check .

format: tools
	@$(BIN)/ruff format --check .

types: tools
	@$(BIN)/mypy --strict $(TYPED)

imports: tools
	@$(BIN)/lint-imports --no-logo --no-cache

scenarios: tools
	@$(BIN)/harness check

policies: tools ## policies/ formatted, strictly checked, tested and covered, by OPA itself
	@$(BIN)/python -m tests.policy

prove: tools ## the catalogue proves itself through the doors: oracle, controls, corners
	@$(BIN)/harness prove $(ARGS)
	@$(BIN)/harness prove --corners

e2e: tools ## play scenarios end to end on an embedded stack
	@$(BIN)/python -m pytest tests/e2e $(ARGS)

compose-tests: tools ## what holds of the containers themselves (needs an engine and the images)
	@$(BIN)/python -m pytest tests/compose $(ARGS)

browser-tests: tools ## people at the workbench in chromium, on the embedded stack and, with an engine, on compose
	@$(BIN)/python -m pytest tests/browser $(ARGS)

both-stacks: tools ## the whole catalogue on the embedded and on a compose stack: one verdict, equal timelines, times
	@$(BIN)/python -m tests.both_stacks $(ARGS)

offline-images: ## engine and base images without a registry, on a Debian machine (needs root; docs/guides/offline.md)
	@infra/offline/engine.sh && infra/offline/images.sh

offline-proof: ## the same in a minimal Debian of its own that never had an engine, then the stack and a campaign on it (needs root)
	@infra/offline/prove $(ARGS)

bench: tools ## measure against the goals, write build/bench.json
	@$(BIN)/python -m tests.bench $(ARGS)

soak: tools ## the long seeded proofs: SOAK=20 repetitions of all runs, 500 times as many generated examples, kills of the ERP, the desk and the harness, outages, odd mail, pairs of runs that must be equal; SOAK=0.05 is a slice
	@$(if $(filter 0%,$(SOAK)),:,SOAK=$(SOAK) $(BIN)/python -m pytest tests/property --hypothesis-profile=soak $(ARGS))
	$(call whole,lexicon_weights)
	@$(BIN)/python -m tests.soak.erp_mixed --commands $(call times,500)
	@$(BIN)/python -m tests.soak.erp_crash --kills $(call times,2.5)
	@$(BIN)/python -m tests.soak.desk_mail --messages $(call times,120)
	$(call whole,erp_doors) --examples $(call times,2)
	$(call whole,desk_doors) --examples $(call times,2)
	$(call whole,desk_crash) --kills $(call times,2.5)
	$(call whole,desk_outages) --seconds $(call times,1)
	$(call whole,harness_crash) --kills $(call times,0.5)
	@$(BIN)/python -m tests.soak.determinism --pairs $(call times,50)
	@$(if $(filter 0%,$(SOAK)),:,$(BIN)/python -m tests.soak --repetitions $(SOAK))

compose-soak: tools ## load, kill -9 of every container and restarts, on a compose stack of its own (as root; ARGS="--seed 7 --kills 16")
	@$(BIN)/python -m tests.soak.compose $(ARGS)

model-smoke: tools ## a small real model works four cases, end to end (fetches 130 MB into build/model-smoke once)
	@infra/model-smoke/run $(ARGS)

fmt: tools ## format, and fix what can be fixed
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

pins: ## resolve the members' dependencies again into requirements/*.txt (ARGS=--upgrade for newer ones)
	@infra/workspace/setup pins $(ARGS)

pins-check: ## every pin has a wheel on every supported Python (asks the package index)
	@infra/workspace/setup pins-check

bare-root: ## set up and run in a minimal Debian that has Python, pip, git and make alone (needs root)
	@infra/bare-root/run $(ARGS)
