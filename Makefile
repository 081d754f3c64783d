# The commands a person types. Each sets the machine up first (quick when nothing is missing), shows
# what it does, and stops loudly at the first failure.
#   make run     build, fetch the default model, answer PROMPT
#   make test    everything a change must pass; the command that CI runs
#   make check   slower: the program and threads under sanitizers, coverage of errors, chat page,
#                static analysis, longer fuzzing
JOBS ?= $(shell nproc)
PROMPT ?= Explain in two sentences why the sky is blue.
FUZZ_SECONDS ?= 60

export PATH := $(CURDIR)/.venv/bin:$(PATH)
build_in = cmake --preset $(1) && cmake --build --preset $(1) -j $(JOBS)

.DEFAULT_GOAL := build
.PHONY: run program build test check bench format clean setup setup-check model cuda

setup:
	@tools/setup.sh

setup-check:
	@tools/setup.sh --check

build: setup
	@$(call build_in,release) --target all

model: setup
	@tools/get_model.sh

# What a person who only runs models needs: the program, without the tests.
program: setup
	@$(call build_in,release) --target invar

run: program model
	build/release/bin/invar run -p "$(PROMPT)"

# Tests that need the default model skip themselves, and say so, where it cannot be fetched.
test: build
	@tools/get_model.sh || echo "test: the default model is missing: tests that need it are skipped"
	@echo "== release: every test"
	@ctest --test-dir build/release -j $(JOBS) --output-on-failure --no-tests=error
	@tools/report_skips.sh build/release
	@echo "== dev (AddressSanitizer, UndefinedBehaviorSanitizer): unit and parser tests"
	@$(call build_in,dev) --target unit_tests
	@ctest --test-dir build/dev -L unit -j $(JOBS) --output-on-failure --no-tests=error

check: setup-check
	@echo "== dev: the program from outside"
	@$(call build_in,dev) --target cli_test
	@tools/get_model.sh || echo "check: the default model is missing: tests that need it are skipped"
	@ctest --test-dir build/dev -L program -j $(JOBS) --output-on-failure --no-tests=error
	@echo "== tsan: unit tests"
	@$(call build_in,tsan) --target unit_tests
	@ctest --test-dir build/tsan -L unit -j $(JOBS) --output-on-failure --no-tests=error
	@echo "== coverage: every error has a test that provokes it"
	@$(call build_in,coverage) --target unit_tests cli_test
	@find build/coverage -name '*.gcda' -delete
	@# Without the tests that limit the size of files: the counters are files, too.
	@GTEST_FILTER='-Limits.*' ctest --test-dir build/coverage -L 'unit|program' -j $(JOBS) \
		--output-on-failure --no-tests=error
	@tools/untested_errors.py
	@echo "== the chat page in a browser"
	@$(call build_in,release) --target invar
	@tools/get_model.sh
	@ctest --test-dir build/release -L browser --output-on-failure --no-tests=error
	@echo "== docs/models.md says what the families are found to do"
	@tools/check_families --check
	@echo "== clang-tidy"
	@tools/clang_tidy.sh $(JOBS)
	@echo "== fuzzing, $(FUZZ_SECONDS) seconds a target"
	@$(call build_in,fuzz) --target fuzz_targets
	@tools/fuzz.sh $(FUZZ_SECONDS)

bench: program model
	build/release/bin/invar bench models/SmolLM2-135M-Instruct.Q4_1.gguf

cuda: setup
	@$(call build_in,cuda)

format: setup
	@tools/format.sh

clean:
	rm -rf build
