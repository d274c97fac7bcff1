# tfconfig-webhook: `make help` lists the targets.
#
# Knobs, on the command line or in the environment:
#   CC, CFLAGS, CPPFLAGS, LDFLAGS  yours; ours are added beside them, never into them
#   V=1            show each command
#   DEVELOPER=1    warnings are errors
#   VARIANT=name   release (default), asan (address and undefined behaviour) or tsan (threads)
#   PREFIX, DESTDIR  where `make install` puts the program

PREFIX ?= /usr/local
DESTDIR ?=
PKG_CONFIG ?= pkg-config
VARIANT ?= release

VERSION := $(shell sed -n 's/.*TFCONFIG_WEBHOOK_VERSION "\(.*\)"/\1/p' include/version.h)
PROGRAM := build/tfconfig-webhook
OUT := build/$(VARIANT)

LIBRARIES := libmicrohttpd gnutls libcjson libcrypto

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-align -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wnull-dereference \
	-Wimplicit-fallthrough
ifeq ($(DEVELOPER),1)
WARNINGS += -Werror
endif

# Not every compiler and architecture knows every flag: clang 14 has no zero-initialisation, arm64 no CET.
probe = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
HARDENING = -fstack-protector-strong $(call probe,-fstack-clash-protection) $(call probe,-fcf-protection) \
	$(call probe,-ftrivial-auto-var-init=zero) -fPIE
HARDENING_LD := -pie -Wl,-z,relro,-z,now,-z,noexecstack

ifeq ($(VARIANT),release)
VARIANT_CFLAGS := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
else ifeq ($(VARIANT),asan)
VARIANT_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),tsan)
VARIANT_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
else
$(error VARIANT is "$(VARIANT)": allowed are release, asan, tsan)
endif

# Read when something is compiled, not before: `make deps` may have to install pkg-config and the compiler first.
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -Iinclude $(WARNINGS) -fno-common $(HARDENING) $(VARIANT_CFLAGS) \
	$(shell $(PKG_CONFIG) --cflags $(LIBRARIES)) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(HARDENING_LD) $(VARIANT_CFLAGS) $(LDFLAGS)
ALL_LIBS = $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) -lb64 -pthread

SOURCES := $(sort $(wildcard src/*.c src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(OUT)/%.o)
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
UNIT_OBJECTS := $(UNIT_SOURCES:%.c=$(OUT)/%.o)

ifneq ($(V),1)
say = @printf '  %-6s %s\n' $(1) $@;
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

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

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d)

install: all ## install the program below $(DESTDIR)$(PREFIX)
	install -D -m 0755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/tfconfig-webhook

clean: ## remove build/
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

.PHONY: all program install clean help
