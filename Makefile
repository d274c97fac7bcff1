# SPDX-License-Identifier: Apache-2.0
# tfconfig-webhook: `make help` lists the targets.
#
# Knobs, on the command line or in the environment:
#   CC, CFLAGS, CPPFLAGS, LDFLAGS  yours; ours are added beside them, never into them
#   V=1            show each command
#   DEVELOPER=1    warnings are errors
#   VARIANT=name   release (default), clang, asan (address and undefined behaviour), tsan (threads), fuzz (libFuzzer)
#   JOBS=4         how many suites of tests run side by side
#   PREFIX, DESTDIR  where `make install` puts the program and its manual page
#   HOST_PROGRAM   of a cross build: a program of the same version that runs here, for `make man`
#   CLUSTER=name, KUBERNETES=main|next  of `make cluster`, where several shall run, and of which version
#   ENGINE=docker|buildah, REGISTRY, PLATFORMS  of `make image` and `make push`

PREFIX ?= /usr/local
DESTDIR ?=
PKG_CONFIG ?= pkg-config
VARIANT ?= release
ENGINE ?= docker
CLUSTER ?= default
KUBERNETES ?= main
JOBS ?= 4
PLATFORMS ?= linux/amd64,linux/arm64

VERSION := $(shell sed -n 's/.*TFCONFIG_WEBHOOK_VERSION "\(.*\)"/\1/p' include/version.h)
PROGRAM := build/tfconfig-webhook
OUT := build/$(VARIANT)

LIBRARIES := libmicrohttpd gnutls libcjson libcrypto libssl libcurl libfyaml

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-align -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wnull-dereference \
	-Wimplicit-fallthrough
ifeq ($(DEVELOPER),1)
WARNINGS += -Werror
endif

# Not every compiler and architecture knows every flag: clang 14 has no zero-initialisation, arm64 no CET.
# once = asks a question the first time that its answer is used, and keeps it.
probe = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
once = $(eval $(1) := $(2))$($(1))
HARDENING = $(call once,HARDENING,-fstack-protector-strong $(call probe,-fstack-clash-protection) $(call probe,-fcf-protection) \
	$(call probe,-ftrivial-auto-var-init=zero) -fPIE)
LIBRARY_CFLAGS = $(call once,LIBRARY_CFLAGS,$(shell $(PKG_CONFIG) --cflags $(LIBRARIES)))
LIBRARY_LIBS = $(call once,LIBRARY_LIBS,$(shell $(PKG_CONFIG) --libs $(LIBRARIES)))
HARDENING_LD := -pie -Wl,-z,relro,-z,now,-z,noexecstack

ifneq ($(filter $(VARIANT),clang fuzz),)
CC := clang
endif

ifneq ($(filter $(VARIANT),release clang),)
VARIANT_CFLAGS := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
else ifeq ($(VARIANT),asan)
VARIANT_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),tsan)
VARIANT_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
else ifeq ($(VARIANT),fuzz)
VARIANT_CFLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
else
$(error VARIANT is "$(VARIANT)": allowed are release, clang, asan, tsan, fuzz)
endif

# Read when something is compiled, not before: `make demo` may have to install pkg-config and the compiler first.
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -iquote include $(WARNINGS) -fno-common $(HARDENING) $(VARIANT_CFLAGS) \
	$(LIBRARY_CFLAGS) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(HARDENING_LD) $(VARIANT_CFLAGS) $(CFLAGS) $(LDFLAGS)
ALL_LIBS = $(LIBRARY_LIBS) -lb64 -pthread

SOURCES := $(sort $(wildcard src/*.c src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(OUT)/%.o)
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
UNIT_OBJECTS := $(UNIT_SOURCES:%.c=$(OUT)/%.o)

ifneq ($(V),1)
say = @printf '  %-6s %s\n' $(1) $@;
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PRECIOUS: $(OUT)/%.o

all: program ## build build/tfconfig-webhook

ifeq ($(VARIANT),release)
program: $(PROGRAM)
$(PROGRAM): $(OUT)/tfconfig-webhook
	@cp $< $@
else
program: $(OUT)/tfconfig-webhook
endif

$(OUT)/tfconfig-webhook: $(OBJECTS)
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/unit-tests: $(filter-out $(OUT)/src/main.o,$(OBJECTS)) $(UNIT_OBJECTS)
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS) -lcunit

# Programs for tests alone.
DRIVERS := client-driver reconcile-driver read-yaml

# Parts of src/kube, for tests/kube.
KUBE_OBJECTS := $(filter $(foreach folder,base sys core pki kube rotation cluster,$(OUT)/src/$(folder)/%.o),$(OBJECTS))

$(OUT)/client-driver: $(KUBE_OBJECTS) $(OUT)/tests/kube/client_driver.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/reconcile-driver: $(KUBE_OBJECTS) $(OUT)/tests/kube/reconcile_driver.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Of every object that there is, a test's or a fuzzer's too.
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)

# What neither listens nor reads a certificate; the fuzzers know nothing else.
PURE_OBJECTS := $(filter $(foreach folder,base sys core render,$(OUT)/src/$(folder)/%),$(OBJECTS))

$(OUT)/fuzz-%: $(PURE_OBJECTS) $(OUT)/tests/fuzz/fuzz_%.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

$(OUT)/replay-%: $(PURE_OBJECTS) $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/tests/fuzz/replay.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(OUT)/fuzz-prune $(OUT)/replay-prune: $(OUT)/tests/unit/same_verdict.o

fuzzers: $(foreach target,review prune yaml,$(OUT)/fuzz-$(target) $(OUT)/replay-$(target))

$(OUT)/read-yaml: $(PURE_OBJECTS) $(OUT)/tests/render/read_yaml.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

MAN_PAGE := build/tfconfig-webhook.1
HOST_PROGRAM ?= $(PROGRAM)

man: $(MAN_PAGE) ## make the manual page build/tfconfig-webhook.1 from the program's --help

$(MAN_PAGE): $(HOST_PROGRAM) tools/man-page docs/tfconfig-webhook.1.in CHANGELOG.md
	$(call say,MAN)tools/man-page $(HOST_PROGRAM) CHANGELOG.md <docs/tfconfig-webhook.1.in >$@

install: all man ## install the program and its manual page below $(DESTDIR)$(PREFIX)
	install -D -m 0755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/tfconfig-webhook
	install -D -m 0644 $(MAN_PAGE) $(DESTDIR)$(PREFIX)/share/man/man1/tfconfig-webhook.1

clean: ## remove build/
	rm -rf build

# What a fresh machine lacks is installed first, so these targets start make again: a compiler that was not there when
# this Makefile was read is there then.

INSTALL_PACKAGES := tools/install-packages
PYTHON := build/venv/bin/python
PYTEST = env PATH="$$PATH:$(CURDIR)/build/tools/usr/bin" $(PYTHON) -m pytest -q

build/venv/.installed: tests/requirements.txt
	python3 -m venv build/venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

demo: ## the webhook over TLS with a StatefulSet and its pods: prints each pod's TF_CONFIG
	@$(INSTALL_PACKAGES) build demo
	@$(MAKE) --no-print-directory all build/venv/.installed
	@$(PYTHON) demo/demo.py

demo-cluster: cluster-ready ## from an empty Kubernetes on this machine to a trained model (root; builds as `make e2e`)
	@$(MAKE) --no-print-directory build/venv-tensorflow/.installed
	@tests/e2e/cluster/build
	@$(PYTHON) demo/demo_cluster.py

# Suites run side by side, as most of them wait most of the time. Each is a target, `make test-kube` say, and a line of
# the table at the end; what it prints comes in one piece when it has ended. The longest come first.
suites = @SUITES=$$(mktemp -d); export SUITES; \
	$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) --output-sync=target $(1); \
	status=$$?; tools/suite --table; rm -r "$$SUITES"; exit $$status

# The program as it is shipped is asked everything. AddressSanitizer, with undefined behaviour, watches whatever reads
# what others wrote; ThreadSanitizer the server, whose threads share something.
TEST_SUITES := test-kube-asan test-kube test-server-asan test-server test-properties test-commands-asan test-commands \
	test-files test-unit-asan test-unit
CHECK_SUITES := test-properties-long test-server-tsan test-image test-fuzz test-valgrind test-instructions test-unit-clang

test: ## the tests that a change needs: installs what they need; as it is shipped and under AddressSanitizer
	$(call suites,$(TEST_SUITES))

check: ## `make test`, then `make check-rest`
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory check-rest

check-rest: ## what takes longer: ThreadSanitizer, valgrind, clang, many properties, fuzzers, instructions, the image
	$(call suites,$(CHECK_SUITES))

test-ready:
	@$(INSTALL_PACKAGES) build demo test
	@tools/fetch-promtool
	@$(MAKE) --no-print-directory build/venv/.installed

# What the suites of each variant run.
BUILT_release := all $(addprefix build/release/,unit-tests bench/core $(DRIVERS))
BUILT_asan := program $(addprefix build/asan/,unit-tests $(DRIVERS))
BUILT_tsan := program
BUILT_clang := program build/clang/unit-tests
BUILT_fuzz := fuzzers
BUILT := $(addprefix built-,release asan tsan clang fuzz)

$(BUILT): built-%: test-ready
	@$(MAKE) --no-print-directory DEVELOPER=1 VARIANT=$* $(BUILT_$*)

test-unit test-commands test-files test-kube test-server test-properties: built-release
test-properties-long test-valgrind test-instructions test-image: built-release
test-unit-asan test-commands-asan test-kube-asan test-server-asan: built-asan

suite = @tools/suite $@
# So many tests of a suite at once; who has nothing left to do takes from another what that has not begun.
at_once = --numprocesses=$(1) --dist=worksteal
ASAN := env PROGRAM=build/asan/tfconfig-webhook
COMMANDS := tests/cases tests/certs tests/wait tests/render

test-unit:
	$(suite) build/release/unit-tests

test-unit-asan:
	$(suite) build/asan/unit-tests

test-unit-clang: built-clang
	$(suite) build/clang/unit-tests

test-commands:
	$(suite) $(PYTEST) $(call at_once,3) $(COMMANDS)

test-commands-asan:
	$(suite) $(ASAN) $(PYTEST) $(call at_once,3) $(COMMANDS)

test-files:
	$(suite) $(PYTEST) $(call at_once,2) tests/docs tests/manifests tests/build

test-kube:
	$(suite) $(PYTEST) $(call at_once,8) tests/kube

test-kube-asan:
	$(suite) $(ASAN) $(PYTEST) $(call at_once,8) tests/kube

test-server:
	$(suite) $(PYTEST) $(call at_once,4) tests/server

test-server-asan:
	$(suite) $(ASAN) $(PYTEST) $(call at_once,4) tests/server

test-server-tsan: built-tsan
	$(suite) env PROGRAM=build/tsan/tfconfig-webhook $(PYTEST) $(call at_once,4) tests/server

test-properties:
	$(suite) $(PYTEST) $(call at_once,2) tests/properties

test-properties-long:
	$(suite) env HYPOTHESIS_PROFILE=long $(PYTEST) $(call at_once,2) tests/properties

test-valgrind: ## the unit tests under valgrind: reads of memory that nobody wrote
	$(suite) valgrind --quiet --leak-check=full --error-exitcode=1 build/release/unit-tests

test-instructions: ## what the core spends on a review, in instructions, and whether that is within its budget
	$(suite) $(PYTHON) bench/instructions.py

test-fuzz: built-fuzz
	$(suite) tests/fuzz/run 20

test-image: image-ready
	$(suite) $(PYTEST) tests/image

image-ready: test-ready
	@$(INSTALL_PACKAGES) image

check-core: program $(OUT)/unit-tests ## unit tests and data cases alone, with the Python that is installed
	$(OUT)/unit-tests
	python3 -m pytest -q tests/cases

tensorflow-ready: test-ready
	@$(MAKE) --no-print-directory build/venv-tensorflow/.installed

test-tensorflow: built-release tensorflow-ready ## TensorFlow's own resolver reads what we emit (a venv of 1.8 GB)
	$(suite) build/venv-tensorflow/bin/python -m pytest -q tests/tensorflow

# The list is whole: with dependencies tf_keras would bring the package tensorflow in beside tensorflow-cpu. The Python
# is Debian's, as pods whose image is a Debian use the packages too.
build/venv-tensorflow/.installed: tests/tensorflow/requirements.txt
	/usr/bin/python3 -m venv build/venv-tensorflow
	build/venv-tensorflow/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $<
	touch $@

FUZZ_SECONDS ?= 600
fuzz: ## fuzz the core, its pruning, then the YAML reader, for FUZZ_SECONDS (600) each
	@$(INSTALL_PACKAGES) build demo test
	@$(MAKE) --no-print-directory VARIANT=fuzz fuzzers
	tests/fuzz/run $(FUZZ_SECONDS)

lint: ## clang-tidy, cppcheck, shellcheck, formatting and the direction of includes
	@$(INSTALL_PACKAGES) build lint
	@$(MAKE) --no-print-directory run-lint

C_FILES = $(sort $(wildcard src/*.c src/*/*.c include/*.h include/*/*.h tests/unit/*.[ch] tests/kube/*.c tests/fuzz/*.[ch] tests/render/*.c bench/*.[ch] tests/e2e/cluster/*.c))
SHELL_FILES = .ci/run $(wildcard tools/* tests/fuzz/run tests/e2e/run tests/e2e/cluster/build)

run-lint:
	clang-format --dry-run -Werror $(C_FILES)
	tools/check-includes
	shellcheck $(SHELL_FILES)
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem -Iinclude -j 2 src
	clang-tidy --quiet --warnings-as-errors='*' $(SOURCES) -- -std=c11 -D_GNU_SOURCE -iquote include
	[ ! -e build/go/.installed ] || $(MAKE) --no-print-directory lint-go

# Where Go is there already: who changes C alone need not install it.
lint-go:
	test -z "$$("$$(tools/go env GOROOT)/bin/gofmt" -l bench)"
	tools/go -C bench/controller-runtime vet .
	tools/go -C bench/rate vet .

format: ## clang-format everything
	@$(INSTALL_PACKAGES) lint
	clang-format -i $(C_FILES)

# A cluster is made of network namespaces, mounts and cgroups.
root:
	@test "$$(id -u)" -eq 0 || { echo 'a cluster on this machine needs root: run make with sudo' >&2; exit 1; }

cluster-ready: root
	@$(INSTALL_PACKAGES) build demo image cluster
	@$(MAKE) --no-print-directory all build/venv/.installed

e2e-ready: root built-release
	@$(INSTALL_PACKAGES) image cluster

# These take long the first time.
cluster-built: e2e-ready
	@tests/e2e/cluster/build next

images-built: e2e-ready
	@PYTHONPATH=tests $(PYTHON) tests/image/images.py

# Three clusters, as what changes the webhook can't run beside anything else.
e2e: root ## the image in a real Kubernetes on this machine, and test-tensorflow (root; builds it the first time)
	$(call suites,e2e-alone e2e-main e2e-api test-tensorflow)

e2e-alone e2e-main e2e-api e2e-next: cluster-built images-built tensorflow-ready

e2e-alone:
	$(suite) tests/e2e/run $@ main alone

e2e-main:
	$(suite) tests/e2e/run $@ main "not alone"

e2e-api: ## what concerns the API alone, on the newer Kubernetes
	$(suite) tests/e2e/run $@ next "api and not alone" "api and alone"

e2e-next: ## all of it on the newer Kubernetes
	$(suite) tests/e2e/run $@ next "not alone" "alone"

e2e-faults: cluster-ready ## the webhook's worst days, under a steady load (a quarter of an hour)
	@tests/e2e/cluster/build
	E2E_FULL=1 $(PYTEST) -rP tests/e2e/test_faults.py

cluster: cluster-ready ## start a Kubernetes of one node on this machine, to play with (root; builds it as `make e2e`)
	@tests/e2e/cluster/build $(KUBERNETES)
	@$(PYTHON) tests/e2e/cluster/cluster.py up $(CLUSTER) --kubernetes $(KUBERNETES)

cluster-down: ## stop it; nothing of it stays
	@$(PYTHON) tests/e2e/cluster/cluster.py down $(CLUSTER)

IMAGE = $(if $(REGISTRY),$(REGISTRY)/)tfconfig-webhook:$(VERSION)

image: ## build the image tfconfig-webhook:VERSION
	$(ENGINE) build --build-arg VERSION=$(VERSION) --tag $(IMAGE) .

# Another architecture is emulated (binfmt_misc with qemu-user-static), and the tests run on each.
push: ## build the image for amd64 and arm64 and push it to REGISTRY
	@test -n "$(REGISTRY)" || { echo 'REGISTRY is missing: make push REGISTRY=registry.example.com/team' >&2; exit 2; }
	docker buildx build --platform $(PLATFORMS) --build-arg VERSION=$(VERSION) --tag $(IMAGE) --push .

bench: ## the webhook beside a bare libmicrohttpd and a Go webhook: a table and a plot (a quarter of an hour)
	@$(INSTALL_PACKAGES) build demo test bench
	@$(MAKE) --no-print-directory all build/venv/.installed build/release/bench/core $(BENCH_PROGRAMS)
	@$(PYTHON) bench/bench.py

bench-cluster: cluster-ready ## what it adds to a pod's creation in a real API server (root; builds as `make e2e`)
	@$(MAKE) --no-print-directory build/release/bench/empty build/bench/controller-runtime
	@tests/e2e/cluster/build next
	@$(PYTHON) bench/bench_cluster.py

bench-memory: ## resident memory over BENCH_REQUESTS (10 million), and under the worst mix of bodies
	@$(INSTALL_PACKAGES) build demo bench
	@$(MAKE) --no-print-directory all build/venv/.installed
	@$(PYTHON) bench/memory.py

bench-sizes: ## what the core spends on groups up to the largest, in instructions
	@$(INSTALL_PACKAGES) build demo test
	@$(MAKE) --no-print-directory all build/venv/.installed build/release/bench/core
	@$(PYTHON) bench/instructions.py --sizes

# What the bench measures against, and what asks at a fixed rate.
BENCH_PROGRAMS := build/release/bench/echo build/bench/controller-runtime build/bench/rate

build/bench/%: tests/e2e/cluster/requirements.txt bench/%/main.go bench/%/go.mod bench/%/go.sum
	$(call say,GO)tools/go -C bench/$* build -o $(CURDIR)/$@ .

# The core without a server, a review again and again.
$(OUT)/bench/core: $(filter $(OUT)/src/base/% $(OUT)/src/core/%,$(OBJECTS)) $(OUT)/bench/core.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

# Bare servers of libmicrohttpd, to measure beside.
build/release/bench/echo build/release/bench/empty: %: %.o build/release/bench/bare_server.o
	$(call say,LD)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

.PHONY: all program man install clean demo demo-cluster test check check-rest test-ready image-ready $(BUILT) $(TEST_SUITES) \
	$(CHECK_SUITES) check-core tensorflow-ready test-tensorflow fuzz fuzzers lint run-lint lint-go format image push root \
	cluster-ready e2e-ready cluster-built images-built e2e e2e-alone e2e-main e2e-api e2e-faults e2e-next cluster \
	cluster-down bench bench-cluster bench-memory bench-sizes help
