# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT

# The short ways to do the usual things; `make help` lists them. CMake does the work (see CMakePresets.json).

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
NAME ?=
MINUTES ?= 1

SOURCES = find include src app tests bench examples -name '*.[ch]' -type f -print0

.DEFAULT_GOAL := build
.PHONY: help setup build demo site test page-test real soak fuzz tsan bench peers format format-check install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install what building and testing need
	@./setup.sh build test

build: ## build build/tactus, plugins, and the library that Python loads
	@./setup.sh build
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target tactus_command plugins tactus_loadable

demo: build ## simulate a first scene, draw it, plot its energy, into demo/
	@mkdir -p demo
	build/tactus run examples/first/jelly.tac -o demo/demo.tacrec
	build/tactus render demo/demo.tacrec -o demo/demo.png --strip 4
	build/tactus plot demo/demo.tacrec energy -o demo/demo-energy.png
	@echo
	@echo "The recording is demo/demo.tacrec, four moments of it are demo/demo.png, its energy demo/demo-energy.png."
	@echo
	@echo "Try next:"
	@echo "  build/tactus info demo/demo.tacrec                     what is in the recording"
	@echo "  build/tactus export demo/demo.tacrec -o demo/demo.pvd  open it in ParaView (.obj: in Blender)"
	@echo "  build/tactus check examples/first/jelly.tac            what the scene is made of"
	@echo "  build/tactus components                                what scenes can be made of"
	@echo "  build/tactus demo                                      all example scenes; with a name, that one live"
	@echo "  build/tactus new first                                 a commented scene of your own to start from"
	@echo "  build/tactus help                                      everything else"

site: ## make a static site of the pages in docs/, in build/site/
	@python3 -B docs/site.py build/site

test: ## check the format, run all tests, run them again under sanitizers, replay the fuzz corpora
	@./setup.sh build test
	@$(MAKE) --no-print-directory format-check
	@cmake --preset release -DTACTUS_TESTS=ON
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)
	@cmake --preset asan
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS)

page-test: ## test the page of the live view in Chromium, as a person would use it
	@./setup.sh build page
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target tactus_command
	@cd web && npm ci --no-audit --no-fund && npm test

real: build ## install Blender and ParaView (1.5 GB), open exports with them and compare; in build/real/
	@tests/real_programs.sh install build/real
	@tests/real_programs.sh check build/real build/tactus

soak: ## long tests; can be stopped and started again (SOAK_SEEDS=N: how many seeds of each)
	@./setup.sh build test
	@cmake --preset release -DTACTUS_TESTS=ON
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset soak -j $(JOBS) --verbose

fuzz: ## search for inputs that break things, with all fuzzers at once (MINUTES=1, NAME=xml for one)
	@./setup.sh build test fuzz
	@cmake --preset fuzz
	@cmake --build --preset fuzz -j $(JOBS)
	@python3 -B tests/fuzz.py --minutes $(MINUTES) --jobs $(JOBS) $(NAME)

tsan: ## run the tests of all threaded loops under the thread sanitizer
	@./setup.sh build test
	@cmake --preset tsan
	@cmake --build --preset tsan -j $(JOBS) --target team_test threads_test view_test
# gcc's thread sanitizer needs memory that is not laid out at random, where the kernel lets us ask for that
	@$$(setarch -R true 2>/dev/null && echo setarch -R) ctest --preset tsan

bench: ## build the benchmarks, in build/bench/
	@./setup.sh build test
	@cmake --preset release -DTACTUS_TESTS=ON
	@cmake --build --preset release -j $(JOBS) --target bench

peers: build ## install the libraries that `tactus bench` compares with, and build their programs, in build/bench/peers/
	@./setup.sh build test peers
	@cmake --preset release -DTACTUS_TESTS=ON
	@cmake --build --preset release -j $(JOBS) --target peers

format: ## put all sources into the house's format
	@./setup.sh test
	@$(SOURCES) | xargs -0 -r clang-format -i

format-check:
	@$(SOURCES) | xargs -0 -r clang-format --dry-run -Werror
	@echo "Format: all sources are as clang-format wants them."

install: build ## install below PREFIX (default /usr/local; DESTDIR is honoured)
	@cmake --build --preset release -j $(JOBS) --target tactus tactus_loadable
	@cmake --install build --prefix '$(PREFIX)'

clean: ## remove everything that was built, and the demo
	rm -rf build demo
