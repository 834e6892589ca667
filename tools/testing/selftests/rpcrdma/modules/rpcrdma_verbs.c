// SPDX-License-Identifier: GPL-2.0
/*
 * What this end has its RDMA device do, counted where the device is asked.
 *
 * While it is loaded, /sys/kernel/debug/rpcrdma_verbs has a line "name number" of
 * each of these:
 *
 *   send_calls, recv_calls  calls that post Work Requests: a doorbell each
 *   send_wrs, recv_wrs      Work Requests of those calls
 *   sges                    their scatter/gather elements
 *   completions             that were polled
 *   cq_events               times the device told of a completion: an interrupt each
 *   cq_runs                 work items that poll a completion queue
 *   sg_maps, sg_mapped      lists that were mapped for DMA, and what they had of elements
 *   single_maps             pieces that were mapped alone
 *
 * Only connected queue pairs count. rpcrdma.ko maps single pieces without a call that
 * could be seen from outside: they are known if rpcrdma_ledger is loaded. Works with any
 * rpcrdma.ko, and with the devices rxe and siw; one of them has to be there before.
 */

#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>

enum verbs_count {
	VERBS_SEND_CALLS,
	VERBS_SEND_WRS,
	VERBS_RECV_CALLS,
	VERBS_RECV_WRS,
	VERBS_SGES,
	VERBS_COMPLETIONS,
	VERBS_CQ_EVENTS,
	VERBS_CQ_RUNS,
	VERBS_SG_MAPS,
	VERBS_SG_MAPPED,
	VERBS_SINGLE_MAPS,
	VERBS_COUNTS,
};

static const char * const verbs_names[VERBS_COUNTS] = {
	[VERBS_SEND_CALLS]	= "send_calls",
	[VERBS_SEND_WRS]	= "send_wrs",
	[VERBS_RECV_CALLS]	= "recv_calls",
	[VERBS_RECV_WRS]	= "recv_wrs",
	[VERBS_SGES]		= "sges",
	[VERBS_COMPLETIONS]	= "completions",
	[VERBS_CQ_EVENTS]	= "cq_events",
	[VERBS_CQ_RUNS]		= "cq_runs",
	[VERBS_SG_MAPS]		= "sg_maps",
	[VERBS_SG_MAPPED]	= "sg_mapped",
	[VERBS_SINGLE_MAPS]	= "single_maps",
};

static atomic64_t verbs_counts[VERBS_COUNTS];
static struct dentry *verbs_dentry;

static void verbs_add(enum verbs_count what, s64 n)
{
	atomic64_add(n, &verbs_counts[what]);
}

static int verbs_send(struct kprobe *kp, struct pt_regs *regs)
{
	struct ib_qp *qp = (struct ib_qp *)regs_get_kernel_argument(regs, 0);
	struct ib_send_wr *wr;

	if (qp->qp_type != IB_QPT_RC)
		return 0;
	verbs_add(VERBS_SEND_CALLS, 1);
	wr = (struct ib_send_wr *)regs_get_kernel_argument(regs, 1);
	for (; wr; wr = wr->next) {
		verbs_add(VERBS_SEND_WRS, 1);
		/* num_sge means nothing for registering and invalidating */
		if (wr->opcode != IB_WR_REG_MR && wr->opcode != IB_WR_LOCAL_INV)
			verbs_add(VERBS_SGES, wr->num_sge);
	}
	return 0;
}

static int verbs_recv(struct kprobe *kp, struct pt_regs *regs)
{
	struct ib_qp *qp = (struct ib_qp *)regs_get_kernel_argument(regs, 0);
	struct ib_recv_wr *wr;

	if (qp->qp_type != IB_QPT_RC)
		return 0;
	verbs_add(VERBS_RECV_CALLS, 1);
	wr = (struct ib_recv_wr *)regs_get_kernel_argument(regs, 1);
	for (; wr; wr = wr->next) {
		verbs_add(VERBS_RECV_WRS, 1);
		verbs_add(VERBS_SGES, wr->num_sge);
	}
	return 0;
}

static int verbs_event(struct kprobe *kp, struct pt_regs *regs)
{
	verbs_add(VERBS_CQ_EVENTS, 1);
	return 0;
}

static int verbs_run(struct kprobe *kp, struct pt_regs *regs)
{
	verbs_add(VERBS_CQ_RUNS, 1);
	return 0;
}

static int verbs_map_sg(struct kprobe *kp, struct pt_regs *regs)
{
	verbs_add(VERBS_SG_MAPS, 1);
	verbs_add(VERBS_SG_MAPPED, (int)regs_get_kernel_argument(regs, 2));
	return 0;
}

static int verbs_map(struct kprobe *kp, struct pt_regs *regs)
{
	verbs_add(VERBS_SINGLE_MAPS, 1);
	return 0;
}

static int verbs_polled(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	int n = regs_return_value(regs);

	if (n > 0)
		verbs_add(VERBS_COMPLETIONS, n);
	return 0;
}

/* What is not there is not probed: there may be one device, and no ledger. */
static struct kprobe verbs_kprobes[] = {
	{ .symbol_name = "rxe_post_send", .pre_handler = verbs_send },
	{ .symbol_name = "siw_post_send", .pre_handler = verbs_send },
	{ .symbol_name = "rxe_post_recv", .pre_handler = verbs_recv },
	{ .symbol_name = "siw_post_receive", .pre_handler = verbs_recv },
	{ .symbol_name = "ib_cq_completion_workqueue", .pre_handler = verbs_event },
	{ .symbol_name = "ib_cq_poll_work", .pre_handler = verbs_run },
	{ .symbol_name = "ib_dma_virt_map_sg", .pre_handler = verbs_map_sg },
	{ .symbol_name = "ledger_map", .pre_handler = verbs_map },
};

static struct kretprobe verbs_kretprobes[] = {
	{ .kp.symbol_name = "rxe_poll_cq", .handler = verbs_polled, .maxactive = 64 },
	{ .kp.symbol_name = "siw_poll_cq", .handler = verbs_polled, .maxactive = 64 },
};

static bool verbs_probed(const struct kprobe *kp)
{
	return kp->addr && !(kp->flags & KPROBE_FLAG_GONE);
}

static int verbs_show(struct seq_file *m, void *v)
{
	int i;

	for (i = 0; i < VERBS_COUNTS; i++)
		seq_printf(m, "%s %lld\n", verbs_names[i],
			   (s64)atomic64_read(&verbs_counts[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(verbs);

static void verbs_unprobe(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(verbs_kretprobes); i++) {
		if (!verbs_probed(&verbs_kretprobes[i].kp))
			continue;
		unregister_kretprobe(&verbs_kretprobes[i]);
		if (verbs_kretprobes[i].nmissed)
			pr_warn("rpcrdma_verbs: missed %d polls\n",
				verbs_kretprobes[i].nmissed);
	}
	for (i = 0; i < ARRAY_SIZE(verbs_kprobes); i++) {
		if (!verbs_probed(&verbs_kprobes[i]))
			continue;
		unregister_kprobe(&verbs_kprobes[i]);
		if (verbs_kprobes[i].nmissed)
			pr_warn("rpcrdma_verbs: missed %lu calls of %s\n",
				verbs_kprobes[i].nmissed,
				verbs_kprobes[i].symbol_name);
	}
}

static int __init verbs_init(void)
{
	int i, rc;

	for (i = 0; i < ARRAY_SIZE(verbs_kprobes); i++) {
		rc = register_kprobe(&verbs_kprobes[i]);
		if (rc)
			verbs_kprobes[i].addr = NULL;
		if (rc && rc != -ENOENT)
			goto fail;
	}
	for (i = 0; i < ARRAY_SIZE(verbs_kretprobes); i++) {
		rc = register_kretprobe(&verbs_kretprobes[i]);
		if (rc)
			verbs_kretprobes[i].kp.addr = NULL;
		if (rc && rc != -ENOENT)
			goto fail;
	}
	verbs_dentry = debugfs_create_file("rpcrdma_verbs", 0400, NULL, NULL,
					   &verbs_fops);
	return 0;

fail:
	verbs_unprobe();
	return rc;
}

static void __exit verbs_exit(void)
{
	debugfs_remove(verbs_dentry);
	verbs_unprobe();
}

module_init(verbs_init);
module_exit(verbs_exit);
MODULE_DESCRIPTION("Counts what RDMA devices are asked to do");
MODULE_LICENSE("GPL");
