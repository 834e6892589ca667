#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does the test bed see what it is there to see?

A sample of each complaint of a kernel, and lines that are none; and logs of
tests that pass, fail, skip, or lose results, and what is reported of them.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import splats
import verdict

HERE = Path(__file__).resolve().parent

# One line of each kind that begins a complaint, as 6.12 writes it
COMPLAINTS = """
WARNING: CPU: 1 PID: 812 at net/sunrpc/xprtrdma/verbs.c:1032 rpcrdma_reps_destroy+0x51/0x60 [rpcrdma]
WARNING: possible circular locking dependency detected
WARNING: possible recursive locking detected
WARNING: possible irq lock inversion dependency detected
WARNING: inconsistent lock state
WARNING: suspicious RCU usage
WARNING: bad unlock balance detected!
WARNING: held lock freed!
WARNING: lock held when returning to user space!
WARNING: nested lock was not taken
BUG: Invalid wait context
BUG: MAX_LOCKDEP_ENTRIES too low!
BUG: unable to handle page fault for address: ffffc90000a1f000
BUG: kernel NULL pointer dereference, address: 0000000000000008
BUG: sleeping function called from invalid context at kernel/locking/mutex.c:585
BUG: scheduling while atomic: kworker/0:1/11/0x00000002
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!
BUG: workqueue leaked atomic, lock or RCU: kworker/u9:1[45]
BUG: KASAN: slab-use-after-free in rpcrdma_reply_done+0x41/0x90 [rpcrdma]
BUG: KFENCE: out-of-bounds read in svc_rdma_recvfrom+0x1d/0x80 [rpcrdma]
BUG: Bad page state in process nfsd  pfn:11d8f
BUG: Dentry 00000000c33b3a6f{i=1,n=x}  still in use (1) [unmount of nfs4 0:43]
BUG kmalloc-64 (Not tainted): Poison overwritten
BUG rpcrdma_recvs (Tainted: G           O): Objects remaining on __kmem_cache_shutdown()
kernel BUG at mm/slub.c:4412!
Oops: 0000 [#1] PREEMPT SMP KASAN NOPTI
Oops: general protection fault, probably for non-canonical address 0xdffffc0000000000: 0000 [#1] SMP
UBSAN: array-index-out-of-bounds in net/sunrpc/xprtrdma/v2/codec.c:88:9
INFO: task umount:1203 blocked for more than 120 seconds.
watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [nfsd:433]
watchdog: Watchdog detected hard LOCKUP on cpu 1
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-...D } 6002 jiffies s: 229 root: 0x2/.
rcu: INFO: rcu_preempt detected expedited stalls, but suppressed full report due to a stuck CSD-lock.
INFO: rcu_tasks detected stalls on tasks:
rcu_tasks_wait_gp: rcu_tasks grace period number 9 (since boot) is 2500 jiffies old.
rcu: rcu_preempt kthread starved for 5250 jiffies! g1865 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x0 ->cpu=1
rcu: rcu_preempt kthread timer wakeup didn't happen for 5249 jiffies! g1865 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x402
workqueue: rpcrdma2_probe_work [rpcrdma] hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND
unregister_netdevice: waiting for eth0 to become free. Usage count = 2
INFO: trying to register non-static key.
turning off the locking correctness validator.
INFO: lockdep is turned off.
nfsd: page allocation failure: order:5, mode:0x40dc0(GFP_KERNEL|__GFP_ZERO|__GFP_COMP), nodemask=(null)
SLUB: Unable to allocate memory on CPU 0 (of node 0) on node -1, gfp=0x820(GFP_ATOMIC)
fio invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0
Out of memory: Killed process 913 (fio) total-vm:110224kB, anon-rss:512kB
Out of memory and no killable processes...
unreferenced object 0xffff88800b4ef000 (size 4096):
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kmemleak: Kernel memory leak detector disabled
kmemleak: Memory pool empty, consider increasing CONFIG_DEBUG_KMEMLEAK_MEM_POOL_SIZE
kmemleak: Cannot allocate a kmemleak_object structure
kmemleak: Freeing unknown object at 0xffff88800b4ef000
kmemleak: it cannot scan
refcount_t: underflow; use-after-free.
list_add corruption. prev->next should be next (ffff888006e2a9c0), but was 0000000000000000. (prev=ffff88800a3f1c10).
list_del corruption, ffff88800a3f1c10->next is LIST_POISON1 (dead000000000100)
ODEBUG: Out of memory. ODEBUG disabled
ODEBUG: free active (active state 0) object: ffff88800d1a4e10 object type: timer_list hint: delayed_work_timer_fn+0x0/0x30
DMA-API: rxe 0000:00:02.0: device driver frees DMA memory with different direction
Memory failure: 0x11d8f: recovery action for dirty page: Failed
ref_tracker: net notrefcnt@00000000a5b1b42b has 1/1 users at
leaked reference.
reference already released.
sysfs: cannot create duplicate filename '/class/infiniband/rxe0'
debugfs: Directory 'rpcrdma2' with parent '/' already present!
debugfs: File 'state' in directory '10.9.0.1' already present!
kobject: kobject_add_internal failed for rxe0 with -EEXIST, don't try to register things with the same name in the same directory.
proc_dir_entry 'rpc/nfsd' already registered
irq 24: nobody cared (try booting with the "irqpoll" option)
Kernel panic - not syncing: corrupted stack end detected inside scheduler
Thread overran stack, or stack corrupted
"""

INNOCENT = """
Linux version 6.12.117-rpcrdma2-debug (root@bed) (gcc (Debian 12.2.0-14) 12.2.0) #1 SMP PREEMPT
kmemleak: Kernel memory leak detector initialized (mem pool available: 38216)
kmemleak: Automatic memory scanning thread started
kasan: KernelAddressSanitizer initialized
kcsan: enabled early
rcu: Preemptible hierarchical RCU implementation.
rcu: 	RCU lockdep checking is enabled.
rcu: 	RCU debug extended QS entry/exit.
rcu: Hierarchical SRCU implementation.
Running RCU-tasks wait API self tests
Running RCU Tasks wait API self tests
Callback from call_rcu_tasks() invoked.
Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
 memory used by lock dependency info: 11641 kB
ODEBUG: selftest passed
UBSAN is enabled
debug: mapped at 0xffff88800b4ef000
workqueue: round-robin CPU selection forced, expect performance impact
clocksource: timekeeping watchdog on CPU0: hpet wd-wd read-back delay of 171304ns
hrtimer: interrupt took 4194688 ns
FAULT_INJECTION: forcing a failure.
rpcrdma: loading out-of-tree module taints kernel.
rpcrdma: module verification failed: signature and/or required key missing - tainting kernel
rpcrdma: removing device rxe0 for 10.9.0.1:20049
rdma_rxe: loaded
svc: failed to register nfsdv3 RPC service (errno 111).
nfsd: last server has exited, flushing export cache
NFSD: Using nfsdcld client tracking operations.
sysrq: Show Blocked State
task:chmod           state:D stack:13288 pid:1133  tgid:1133  ppid:1  flags:0x00004002
random: crng init done
hung_task: unset
Freeing unused kernel image (initmem) memory: 2600K
oom_reaper: reaped process 913 (fio), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB
"""

KCSAN = """BUG: KCSAN: data-race in {0} / tick_nohz_stop_tick

write to 0xffff88800b4ef000 of 8 bytes by task 812 on cpu 1:
 {0}+0x51/0x60 {1}
 process_one_work+0x3f2/0x9c0
 svc_rdma_recvfrom+0x8/0x90 {2}

read to 0xffff88800b4ef000 of 8 bytes by interrupt on cpu 0:
 tick_nohz_stop_tick+0x11/0x200
"""


def lines(text):
    return [f"[  812.{n:06}] {line}\n" for n, line in enumerate(text.splitlines(), 1) if line]


class Splats(unittest.TestCase):
    """splats.py, and the same expressions in the hands of grep."""

    patterns = splats.read_expressions([HERE / "splat.patterns"])

    def grep(self, text):
        """The lines that grep -E finds."""
        expressions = "\n".join(e.pattern for e in self.patterns)
        return subprocess.run(["grep", "-E", "-e", expressions], input="".join(text), capture_output=True,
                              text=True, check=False).stdout.splitlines(keepends=True)

    def test_complaints(self):
        for line in lines(COMPLAINTS):
            self.assertEqual(list(splats.complaints([line], self.patterns)), [[line]])
        self.assertEqual(self.grep(lines(COMPLAINTS)), lines(COMPLAINTS))

    def test_innocent(self):
        for line in lines(INNOCENT):
            self.assertEqual(list(splats.complaints([line], self.patterns)), [])
        self.assertEqual(self.grep(lines(INNOCENT)), [])

    def test_each_expression_has_a_sample(self):
        for e in self.patterns:
            for part in re.split(r"\|(?![^(]*\))", e.pattern):
                self.assertTrue(re.search(part, COMPLAINTS + KCSAN), part)

    def seen(self, text, known=""):
        """What splats.py prints of a log."""
        with tempfile.NamedTemporaryFile("w") as f:
            f.write(known)
            f.flush()
            return subprocess.run(["python3", HERE / "splats.py", "client", HERE / "splat.patterns",
                                   HERE / "splat.allow", f.name],
                                  input="".join(lines(text)), capture_output=True, text=True, check=True).stdout

    def test_what_follows_is_told(self):
        self.assertIn("client: [  812.000002]  rpc", self.seen("BUG: KASAN: x\n rpcrdma_x+0x1/0x2\n"))

    def test_expected(self):
        fail = "nfsd: page allocation failure: order:5\nCPU: 0\n"
        self.assertEqual(self.seen(fail, "page allocation failure\n"), "")
        self.assertNotEqual(self.seen(fail, "# page allocation failure\n"), "")
        # what is expected hides nothing that follows it
        self.assertIn("KASAN", self.seen(fail + "BUG: KASAN: x\n", "page allocation failure\n"))

    def test_kcsan(self):
        self.assertIn("data-race", self.seen(KCSAN.format("rpcrdma_wake", "[rpcrdma]", "")))
        self.assertEqual(self.seen(KCSAN.format("nfs_wake", "[nfs]", "[rpcrdma]")), "")

    def test_kcsan_looks_at_who_accesses(self):
        ours = " xprt_rdma2_ctrl_post+0x5/0x90 [rpcrdma]"
        self.assertIn("data-race", self.seen(KCSAN.format("__memcpy", "\n" + ours, "")))
        self.assertEqual(self.seen(KCSAN.format("rxe_post_send", "[rdma_rxe]\n" + ours, "[rpcrdma]")), "")
        self.assertEqual(self.seen(KCSAN.format("queue_work_on", "\n" + ours, "[rpcrdma]")), "")


class Verdict(unittest.TestCase):
    """What report.sh makes of a status and a log."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.results = Path(self.dir.name)
        self.addCleanup(self.dir.cleanup)

    def report(self, log, status=0, name="mount-vers [stock rxe]"):
        """What report.sh keeps and prints."""
        path = self.results / "log"
        path.write_text(log)
        shell = '. "$1/../scripts/lib.sh"; results=$2; . "$1/report.sh"; report "$3" "$4" 7 "$2/log"'
        out = subprocess.run(["bash", "-c", shell, "bash", HERE, self.results, name, str(status)],
                             capture_output=True, text=True, check=True).stdout
        return (self.results / "verdicts").read_text().splitlines()[-1].split()[0], out

    def judged(self, *args, **kw):
        return self.report(*args, **kw)[0]

    def test_good(self):
        for log in ("TAP version 13\n1..2\nok 1 a\nok 2 b # note\n",
                    "TAP version 13\nok 1 a\nok 2 b\n1..2\n",
                    "KTAP version 1\n1..1\nok 1 a\nKTAP version 1\n1..1\nok 1 b\n",
                    "KTAP version 1\n1..1\n    KTAP version 1\n    1..2\n    ok 1 a\n    ok 2 b\nok 1 s\n",
                    "KTAP version 1\n1..1\n    1..1\n        KTAP version 1\n        ok 1 p\n    ok 1 a\nok 1 s\n"):
            with self.subTest(log):
                self.assertEqual(self.judged(log), "ok")

    def test_bad(self):
        for log in ("1..2\nok 1 a\nnot ok 2 b\n",
                    "1..2\nok 1 a\n",                           # too few
                    "1..1\nok 1 a\nok 2 b\n",                   # too many
                    "1..2\nok 1 a\nok 1 a\n",                   # one twice
                    "ok 1 a\n",                                 # no plan
                    "", "hello\n",
                    "1..0\nBail out! no\n",
                    "1..1\nok 1 a\n1..2\nok 1 a\n",             # the second part is cut short
                    "1..1\n    1..2\n    ok 1 a\nok 1 s\n",     # so is the inner part
                    "1..1\nok 1 a\nnot ok - the cleanup\n",
                    "1..1\nok 1 a # SKIP no time\n",
                    "1..1\nok 1 a # skip no time\n",
                    "1..0 # SKIP no device\n"):
            with self.subTest(log):
                self.assertEqual(self.judged(log), "FAILED")

    def test_status(self):
        for status in (1, 97, 98, 99, 124, 125, 139):
            self.assertEqual(self.judged("1..1\nok 1 a\n", status), "FAILED")
        self.assertEqual(self.judged("1..1\nok 1 a\n", 4), "FAILED")
        self.assertIn("left the machines in disorder", self.report("1..1\nok 1 a\n", 97)[1])

    def test_why(self):
        self.assertIn("1 results of 2", self.report("1..2\nok 1 a\n")[1])
        self.assertIn("skipped without leave: a: no time", self.report("1..1\nok 1 a # SKIP no time\n")[1])
        self.assertIn(" - look here\n", self.report("# note: look here\n1..1\nok 1 a\n")[1])

    def test_here(self):
        # what runs here and is no script of the tests needs no plan
        self.assertEqual(self.judged("hello\n", name="fuzz"), "ok")
        self.assertEqual(self.judged("1..2\nok 1 a\n", name="series"), "FAILED")


class Leave(unittest.TestCase):
    """Who may skip what."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        tests = Path(self.dir.name)
        (tests / "some.sh").write_text("#!/bin/bash\n# skips: chunk*\n# skips: two words\n\n# skips: late\n")
        (tests / "none.sh").write_text("#!/bin/bash\n# skips: 1..0\n")
        (tests / "skips").write_text("# why\npeer siw inv_* no invalidation\npeer * only\n")
        (tests / "peer.sh").write_text("#!/bin/bash\n")
        self.tests = tests

    def judged(self, name, *results, status=0):
        log = f"1..{len(results)}\n" + "".join(f"ok {n} {r}\n" for n, r in enumerate(results, 1))
        return verdict.judge(status, log, name, self.tests)[0]

    def test_header(self):
        self.assertEqual(self.judged("some [stock rxe]", "chunk_1 # SKIP x", "two words # SKIP x", "c"), "ok")
        self.assertEqual(self.judged("some [stock rxe]", "late # SKIP x"), "FAILED")
        self.assertEqual(self.judged("some [stock rxe]", "two # SKIP x"), "FAILED")

    def test_all(self):
        log = "1..0 # SKIP nothing to do\n"
        self.assertEqual(verdict.judge(4, log, "none", self.tests), ("skipped", "nothing to do"))
        self.assertEqual(verdict.judge(4, log, "some", self.tests)[0], "FAILED")

    def test_shipped(self):
        log = "TAP version 13\n1..0 # SKIP no texts\n"
        self.assertEqual(verdict.judge(4, log, "xdr"), ("skipped", "no texts"))
        self.assertEqual(verdict.judge(4, log, "unit")[0], "FAILED")

    def test_list(self):
        self.assertEqual(self.judged("peer [stock siw]", "inv_a # SKIP x", "only # SKIP x", "b"), "ok")
        # so it is with another build of the module behind the device
        self.assertEqual(self.judged("peer [stock siw+test]", "inv_a # SKIP x", "b"), "ok")
        self.assertEqual(self.judged("peer [debug siw+copy x4]", "inv_a # SKIP x", "b"), "ok")
        self.assertEqual(self.judged("peer [stock rxe]", "inv_a # SKIP x"), "FAILED")
        self.assertEqual(self.judged("peer [stock rxe+test]", "inv_a # SKIP x"), "FAILED")
        self.assertEqual(self.judged("peer [stock rxe]", "inv_a", "b"), "ok")
        self.assertEqual(self.judged("peer [stock siw]", "inv_a", "b"), "ok")
        self.assertEqual(self.judged("peer [debug rxe x2]", "only"), "FAILED")
        self.assertEqual(self.judged("some [stock siw]", "only # SKIP x"), "FAILED")


# Stands in for pair.sh: a boot in which the first of the tests ends with $STATUS, and
# the last look at the kernels finds $SPLATS. If $STATUS is "dies" the machine does.
PAIR = """#!/bin/bash
shift
printf '%s' "$SPLATS" > "$OUT/splats"
for t; do
	name=${t%:*}
	echo "start $name"
	[ "$STATUS" != dies ] || exit 1
	printf '1..1\\nok 1 x\\n' > "$OUT/$name.log"
	echo "end $name $STATUS 1"
	[ "$STATUS" -lt 97 ] || { [ -z "$SPLATS" ] || exit 1; exit 99; }
done
[ -z "$SPLATS" ] || exit 1
"""


class Lane(unittest.TestCase):
    """What lane.sh reports of boots that go well and badly."""

    def results(self, status, found="", tests=("a:5", "b:5")):
        with tempfile.TemporaryDirectory() as top:
            top = Path(top)
            for name in ("scripts/lib.sh", "scripts/kernels", "testbed/lane.sh", "testbed/report.sh",
                         "testbed/verdict.py"):
                (top / name).parent.mkdir(exist_ok=True)
                shutil.copy(HERE.parent / name, top / name)
            (top / "testbed/pair.sh").write_text(PAIR)
            (top / "testbed/pair.sh").chmod(0o755)
            (top / "results").mkdir()
            env = {**os.environ, "STATUS": str(status), "SPLATS": found, "BUILD": str(top)}
            subprocess.run([top / "testbed/lane.sh", top / "results", "1", "stock rxe", *tests],
                           env=env, capture_output=True, timeout=1800, check=True)
            return (top / "results/verdicts").read_text().replace(" [stock rxe]", "").splitlines()

    def test_good(self):
        self.assertEqual(self.results(0), ["ok a", "ok b", "ok kernel logs at the end"])

    def test_leak_at_the_end(self):
        self.assertEqual(self.results(0, "leak"), ["ok a", "ok b", "FAILED kernel logs at the end"])

    def test_spoilt(self):
        # each spoils its boot; the look at the end of that boot still counts
        self.assertEqual(self.results(97), ["FAILED a", "ok kernel logs at the end",
                                            "FAILED b", "ok kernel logs at the end"])
        self.assertEqual(self.results(97, "leak"), ["FAILED a", "FAILED kernel logs at the end",
                                                    "FAILED b", "FAILED kernel logs at the end"])

    def test_death(self):
        self.assertEqual(self.results("dies"), ["FAILED a", "FAILED b"])


if __name__ == "__main__":
    unittest.main()
