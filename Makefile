# Thin on top of CMake: every target sets up what is missing, then calls a preset of
# CMakePresets.json. On a fresh Debian 12 with git and make, `make demo` and `make test` do it all.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

SOURCES = $(shell find src apps tests bench examples experiments fuzz -name '*.h' -o -name '*.cc' | grep -v /build)

.DEFAULT_GOAL := build
.PHONY: build test fuzz demo bench clean format tidy help setup

build: setup  ## Build everything, optimised; the program is build/mdgp
	@test -f build/build.ninja || cmake --preset release
	cmake --build --preset release

test: build  ## Build and run the tests, then again under the sanitizers
	ctest --preset release
	@test -f build-asan/build.ninja || cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

FUZZ_SECONDS ?= 10
fuzz: setup  ## Fuzz the readers of files, FUZZ_SECONDS each; findings in build-asan/found
	@test -f build-asan/build.ninja || cmake --preset asan
	cmake --build --preset asan
	fuzz/run.sh build-asan $(FUZZ_SECONDS)

demo: build  ## Build and run the demonstration (DEMO_ARGS=... are passed on)
	build/mdgp demo $(DEMO_ARGS)

bench: build  ## Build and run the benchmarks (BENCH_ARGS=... are passed on)
	build/mdgp_bench $(BENCH_ARGS)

clean:  ## Remove the build trees
	rm -rf build build-debug build-asan build-tidy

format:  ## Format the sources in place (needs clang-format)
	@clang-format -i $(SOURCES)

tidy: setup  ## Static checks (needs clang-tidy)
	cmake --preset tidy
	run-clang-tidy -quiet -p build-tidy -j $(JOBS) '$(CURDIR)/(src|apps|tests|bench|experiments)/'

help:  ## Show this list
	@sed -n 's/^\([a-z]*\):.*  ## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

setup:
	@./setup.sh
