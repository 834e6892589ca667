#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is tested, in one sentence, and why it could break.
#
# bed: pair
# alone: yes
# kernels: stock debug
# devices: rxe siw
# timeout: 180
#
# To add a test: copy this file and name it after what it tests. bed is pair
# (it runs in the client), vm (one virtual machine without a peer) or host
# (here). server and client are pairs of which that end alone is tried: where kernels are
# slow the other one, which runs the peer, has Debian's.
# "except: debug-siw" spares a combination of kernel and device that shows nothing new for
# the time it takes, unless KERNELS= asks for it or all is tested. "without: debug-siw" spares it in check-all: for what is dear, and is
# tried on that kernel and on that device anyhow. "smp: 2" is for what races: it runs
# with two processors then, and with one and four in check-all. "except: debug-siw-2" spares a number of processors.
# "module: test" has it run, on the stock kernel, with the build of our module that has
# what only tests use: settings below /sys/kernel/debug/rpcrdma2/settings, the file ask.
# "kernels: stock debug 7.3" has check run it on that kernel of scripts/kernels, too, once;
# check-all does so with whatever runs on the stock kernel, unless it says "asked: 7.3",
# which is for what is dear and shows our own files: KERNELS=7.3 has that. With "without: 7.3"
# it never runs there.
# rxe+copy is a device with the ledger's build of our module (see ledger/), and "also:
# rxe+copy" one for check-all, or DEVICES=rxe+copy.
# "alone: yes": it also runs on one machine that is both ends, with kselftest's own runner and
# no test bed (alone_lib.sh), if "commands:" are there. It has nothing cut the network, loads
# no other rpcrdma, and finds programs in $RPCRDMA_BIN and kernel modules in $RPCRDMA_KO.
# The time-out is in seconds, on a machine as fast as yours. Slow kernels (debug, kcsan) get
# three times as long, and all three times that, up to an hour: it is for what hangs.
# "skips: GLOB" names results that may be skipped ("1..0" is the whole test), and
# "expects: EXPRESSION" complaints of a kernel that the test provokes; each may
# come several times. Anything else that is skipped, any other complaint, and another
# number of results than was announced fails the test. So does an unmount that
# fails or takes long. A test finds nothing mounted, our module on both ends with its
# defaults, and nfsd running, and leaves it so; rpcrdma_lib.sh cleans up the
# usual things.

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_begin 2
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "a tree survives the way there and back" rpcrdma_roundtrip
rpcrdma_end
