# SPDX-License-Identifier: GPL-2.0
#
# RPC-over-RDMA version 2 for Linux: everything a person does starts here.
# "make help" lists it. K= names a kernel of scripts/kernels, as K=7.3, KDIR= kernel
# headers other than the newest 6.12 below /usr/src, KSRC= a kernel source other than Debian's.

MAKEFLAGS += --no-print-directory
TESTS := tools/testing/selftests/rpcrdma
STARTED := $(or $(STARTED),$(shell date +%s))
export KDIR KSRC T K DESTDIR STARTED SOB
unexport MAKEFILES

modules: ## build rpcrdma.ko for Debian's kernel: build/stock/net/sunrpc/xprtrdma/rpcrdma.ko
	@scripts/build.sh stock

help: ## list what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

deps: ## install what the build and the tests need (as root)
	@scripts/deps.sh

debug: ## build the debug kernel (once) and rpcrdma.ko for it
	@scripts/build.sh debug

programs: ## build the programs that the tests use
	@$(MAKE) -s -C $(TESTS)/peer OUT=$(CURDIR)/build/peer
	@$(MAKE) -s -C $(TESTS)/programs OUT=$(CURDIR)/build/programs

demo: ## boot two virtual machines, copy a tree over version 2 and version 1, show what happened
	@testbed/demo.sh

shell: ## a prompt in a server and in a client, with everything loaded
	@testbed/shell.sh

check: ## run every test, or those named: make check T=mount-vers, make check T='interop*'
	@testbed/check.sh check '$(or $(T),*)'

check-all: ## what takes hours: every test on all it names, every case; SLICE=1/10 a tenth of it, LEFT=1 what has not passed
	@testbed/check.sh all '$(or $(T),*)'

soak: ## applications, packet loss and lost connections for hours: make soak HOURS=2 (KERNEL=debug, DEV=siw, SMP=2)
	@env -u MAKEFLAGS testbed/soak.sh '$(or $(HOURS),1)'

check-unit: ## run the tests that need no virtual machine
	@testbed/check.sh unit '$(or $(T),*)'

conformance: ## try every requirement on both ends, into Documentation/conformance.rst; OUT=dir for dir/conformance.csv
	@env -u MAKEFLAGS -u OUT CONFORMANCE_OUT='$(if $(OUT),$(abspath $(OUT)))' $(TESTS)/conformance/run.sh

mutants: ## does a test notice what is wrong in one respect? T= some, by name or id; DRY=1 says what would be tried
	@env -u MAKEFLAGS -u T DRY='$(DRY)' $(TESTS)/mutants/run.sh $(T)

bench: ## TCP, version 1 and version 2 beside each other, into Documentation/bench.rst; QUICK=1 a short form; OUT=dir
	@env -u MAKEFLAGS -u OUT QUICK='$(QUICK)' BENCH_OUT='$(if $(OUT),$(abspath $(OUT)))' $(TESTS)/bench/run.sh

bench-smp: ## versions 1 and 2 with two processors, in real time, into Documentation/bench-smp.rst; ROUNDS=5
	@env -u MAKEFLAGS OUT='$(if $(OUT),$(abspath $(OUT)))' ROUNDS='$(ROUNDS)' $(TESTS)/bench/smp-run.sh iops

lock-stat: ## which locks do two processors wait for? Fails if one of ours is among the first ten; builds a kernel for it once
	@env -u MAKEFLAGS OUT='$(if $(OUT),$(abspath $(OUT)))' ROUNDS='$(ROUNDS)' $(TESTS)/bench/smp-run.sh locks

profile: ## instructions of an operation by function, for some transports side by side: make profile OP=write SIZE=8K DEPTH=8 DEV=siw VERSIONS='v1-inline64k v2'
	@env -u MAKEFLAGS OP='$(or $(OP),write)' SIZE='$(or $(SIZE),8K)' DEPTH='$(or $(DEPTH),8)' DEV='$(or $(DEV),siw)' VERSIONS='$(VERSIONS)' $(TESTS)/bench/profile.sh

fuzz: ## fuzz what calls no verbs until stopped, or for so many seconds: make fuzz SECONDS_=600 (T='calls loans')
	@$(MAKE) -s -C $(TESTS)/fuzz run SECONDS_=$(or $(SECONDS_),0) $(if $(T),ONLY='$(T)')

style: ## sparse, W=1, checkpatch, kernel-doc, shellcheck
	@scripts/style.sh

series: ## does every prefix of the series build? AFRESH=1 for those, too, that were built before; K=7.3 for that kernel
	@scripts/series.sh

export: ## patches for the kernel that "git am" takes: make export OUT=dir SOB='Name <mail>' (K=7.3; CHECK=1 builds each)
	@env -u MAKEFLAGS scripts/export.sh '$(OUT)' $(if $(CHECK),check)

deb: ## build the packages of Debian, rpcrdma2-dkms and rpcrdma2-tools, into build/deb
	@env -u MAKEFLAGS scripts/deb.sh

check-deb: ## install, use, upgrade and remove the packages on Debian 12 and 13, in virtual machines; T=13 for one
	@env -u MAKEFLAGS -u T testbed/package.sh $(T)

install: ## put rpcrdma.ko where the running kernel (or K=release) prefers it to its own (as root)
	@scripts/install.sh install

uninstall: ## go back to the kernel's own rpcrdma.ko (as root)
	@scripts/install.sh uninstall

clean: ## remove what was built; the cache of kernels and file systems stays
	rm -rf build

.PHONY: modules help deps debug programs demo shell check check-all soak check-unit conformance mutants bench bench-smp lock-stat profile fuzz style series export deb check-deb install uninstall clean
