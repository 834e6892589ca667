// SPDX-License-Identifier: GPL-2.0
/*
 * Callers that break the rules of DMA on purpose, one for each complaint of the
 * ledger, and callers that keep them. The device is none: it takes what is
 * posted, and the test completes it. What was found is in the log, as KTAP, and
 * insmod fails if that is not what was expected.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bvec.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "ledger_wrap.h"

#define SIZE	256

static bool loud;
module_param(loud, bool, 0444);
MODULE_PARM_DESC(loud, "break one rule in the log, too");

static struct ib_device *dev;
static struct ib_qp *qp;
static struct ib_mr *mr;
static u8 *buf;
static struct scatterlist sgl[2];
static struct ib_cqe *posted[4];
static unsigned int nposted;
static bool refuse;
static struct ib_send_wr *reused;
static unsigned int heard[LEDGER_CRIMES];
static unsigned int told;

static void hear(enum ledger_crime what)
{
	heard[what]++;
}

static int fake_post_send(struct ib_qp *q, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	for (; wr; wr = wr->next) {
		if (refuse) {
			*bad = wr;
			return -EIO;
		}
		posted[nposted++] = wr->wr_cqe;
	}
	if (reused)
		reused->next = reused;
	return 0;
}

static int fake_post_recv(struct ib_qp *q, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	for (; wr; wr = wr->next)
		posted[nposted++] = wr->wr_cqe;
	return 0;
}

static int fake_map_mr_sg(struct ib_mr *m, struct scatterlist *sg, int nents,
			  unsigned int *offset)
{
	return nents;
}

static void done(struct ib_cq *cq, struct ib_wc *wc)
{
	told++;
}

static struct ib_cqe cqe = { .done = done };

/* The last request that was posted is complete, with so many bytes. */
static void complete_last(u32 bytes)
{
	struct ib_wc wc = { .status = IB_WC_SUCCESS, .byte_len = bytes };

	wc.wr_cqe = posted[--nposted];
	wc.wr_cqe->done(NULL, &wc);
}

static u64 map(enum dma_data_direction dir)
{
	u64 addr = ib_dma_map_single(dev, buf, SIZE, dir);

	WARN_ON(ib_dma_mapping_error(dev, addr));
	return addr;
}

static int post_chain(u64 addr, u32 len, int flags, enum ib_wr_opcode opcode,
		      struct ib_send_wr *next)
{
	struct ib_sge sge = { .addr = addr, .length = len };
	struct ib_send_wr wr = {
		.wr_cqe = &cqe, .opcode = opcode, .send_flags = flags,
		.sg_list = &sge, .num_sge = len ? 1 : 0, .next = next,
	};

	return ib_post_send(qp, &wr, NULL);
}

static int post(u64 addr, u32 len)
{
	return post_chain(addr, len, IB_SEND_SIGNALED, IB_WR_SEND, NULL);
}

static void recv(u64 addr)
{
	struct ib_sge sge = { .addr = addr, .length = SIZE };
	struct ib_recv_wr wr = {
		.wr_cqe = &cqe, .sg_list = &sge, .num_sge = 1,
	};

	ib_post_recv(qp, &wr, NULL);
}

static void unmap(u64 addr, enum dma_data_direction dir)
{
	ib_dma_unmap_single(dev, addr, SIZE, dir);
}

/* Callers that keep the rules. */

static void good_send(void)
{
	u64 a = map(DMA_TO_DEVICE);
	int i;

	for (i = 0; i < 3; i++) {
		memset(buf, i, SIZE);
		ib_dma_sync_single_for_device(dev, a, SIZE / 2, DMA_TO_DEVICE);
		post(a, SIZE / 2);
		complete_last(0);
	}
	unmap(a, DMA_TO_DEVICE);
	WARN_ON(told != 3);
}

static void good_parts(void)
{
	u64 a = map(DMA_TO_DEVICE);
	int i, j;

	for (j = 0; j < 2; j++)
		for (i = 3; i > 0; i--) {
			buf[i * 40]++;
			ib_dma_sync_single_for_device(dev, a + i * 40, 40, DMA_TO_DEVICE);
			post(a + i * 40, 40);
			complete_last(0);
		}
	unmap(a, DMA_TO_DEVICE);
}

static void good_recv(void)
{
	u64 a = map(DMA_FROM_DEVICE);
	int i;

	for (i = 0; i < 3; i++) {
		recv(a);
		memset((void *)a, 0x40 + i, 10);
		complete_last(10);
		ib_dma_sync_single_for_cpu(dev, a, 10, DMA_FROM_DEVICE);
		WARN_ON(buf[9] != 0x40 + i);
	}
	unmap(a, DMA_FROM_DEVICE);
}

static void good_quiet(void)
{
	u64 a = map(DMA_TO_DEVICE);

	post_chain(a, SIZE, 0, IB_WR_SEND, NULL);
	post(0, 0);
	complete_last(0);
	/* the first is known to be complete by the second */
	unmap(a, DMA_TO_DEVICE);
	nposted = 0;
}

static void good_drained(void)
{
	u64 a = map(DMA_TO_DEVICE);

	post_chain(a, SIZE, 0, IB_WR_SEND, NULL);
	ledger_drained(qp, true, true);
	unmap(a, DMA_TO_DEVICE);
}

static void good_refused(void)
{
	u64 a = map(DMA_TO_DEVICE);

	refuse = true;
	WARN_ON(post(a, SIZE) != -EIO);
	refuse = false;
	unmap(a, DMA_TO_DEVICE);
}

static void good_sg(void)
{
	ib_dma_map_sg(dev, sgl, 2, DMA_TO_DEVICE);
	ib_map_mr_sg(mr, sgl, 2, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(dev, sgl, 2, DMA_TO_DEVICE);
}

/* Callers that do not. */

static void unmap_unknown(void)
{
	unmap((uintptr_t)buf, DMA_TO_DEVICE);
}

static void unmap_twice(void)
{
	u64 a = map(DMA_TO_DEVICE);

	unmap(a, DMA_TO_DEVICE);
	unmap(a, DMA_TO_DEVICE);
}

static void unmap_length(void)
{
	ib_dma_unmap_single(dev, map(DMA_TO_DEVICE), SIZE - 1, DMA_TO_DEVICE);
}

static void unmap_direction(void)
{
	unmap(map(DMA_TO_DEVICE), DMA_FROM_DEVICE);
}

static void unmap_busy(void)
{
	u64 a = map(DMA_TO_DEVICE);

	post(a, SIZE);
	unmap(a, DMA_TO_DEVICE);
	complete_last(0);
}

static void unmap_registered(void)
{
	struct ib_reg_wr reg = {
		.wr = {
			.wr_cqe = &cqe, .opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = mr, .key = 0x1234,
	};

	ib_dma_map_sg(dev, sgl, 2, DMA_FROM_DEVICE);
	ib_map_mr_sg(mr, sgl, 2, NULL, PAGE_SIZE);
	ib_post_send(qp, &reg.wr, NULL);
	complete_last(0);
	ib_dma_unmap_sg(dev, sgl, 2, DMA_FROM_DEVICE);
}

static void sync_unknown(void)
{
	ib_dma_sync_single_for_cpu(dev, (uintptr_t)buf, SIZE, DMA_FROM_DEVICE);
}

static void sync_beyond(void)
{
	u64 a = map(DMA_FROM_DEVICE);

	ib_dma_sync_single_for_cpu(dev, a, SIZE + 1, DMA_FROM_DEVICE);
	unmap(a, DMA_FROM_DEVICE);
}

static void sync_direction(void)
{
	u64 a = map(DMA_FROM_DEVICE);

	ib_dma_sync_single_for_device(dev, a, SIZE, DMA_TO_DEVICE);
	unmap(a, DMA_FROM_DEVICE);
}

static void post_unknown(void)
{
	post((uintptr_t)buf, SIZE);
	complete_last(0);
}

static void post_beyond(void)
{
	u64 a = map(DMA_TO_DEVICE);

	post(a + 1, SIZE);
	complete_last(0);
	unmap(a, DMA_TO_DEVICE);
}

static void post_direction(void)
{
	u64 a = map(DMA_TO_DEVICE);

	recv(a);
	complete_last(0);
	unmap(a, DMA_TO_DEVICE);
}

static void post_unchecked(void)
{
	u64 a = ib_dma_map_single(dev, buf, SIZE, DMA_TO_DEVICE);

	post(a, SIZE);
	complete_last(0);
	unmap(a, DMA_TO_DEVICE);
}

static void post_unsynced(void)
{
	u64 a = map(DMA_TO_DEVICE);

	post(a, SIZE);
	complete_last(0);
	post(a, SIZE);
	complete_last(0);
	unmap(a, DMA_TO_DEVICE);
}

static void post_changed(void)
{
	u64 a = map(DMA_TO_DEVICE);

	buf[0]++;
	post(a, SIZE);
	complete_last(0);
	unmap(a, DMA_TO_DEVICE);
}

static void post_cpu(void)
{
	u64 a = map(DMA_BIDIRECTIONAL);

	ib_dma_sync_single_for_cpu(dev, a, SIZE, DMA_BIDIRECTIONAL);
	post(a, SIZE);
	complete_last(0);
	unmap(a, DMA_BIDIRECTIONAL);
}

static void post_reused(void)
{
	struct ib_send_wr wr = {
		.wr_cqe = &cqe, .opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	reused = &wr;
	ib_post_send(qp, &wr, NULL);
	reused = NULL;
	complete_last(0);
}

static void recv_unread(void)
{
	u64 a = map(DMA_FROM_DEVICE);

	recv(a);
	complete_last(10);
	recv(a);
	complete_last(0);
	unmap(a, DMA_FROM_DEVICE);
}

static void recv_half_read(void)
{
	u64 a = map(DMA_FROM_DEVICE);

	recv(a);
	complete_last(10);
	ib_dma_sync_single_for_cpu(dev, a, 5, DMA_FROM_DEVICE);
	recv(a);
	complete_last(0);
	unmap(a, DMA_FROM_DEVICE);
}

static void recv_written(void)
{
	u64 a = map(DMA_FROM_DEVICE);

	recv(a);
	complete_last(10);
	ib_dma_sync_single_for_cpu(dev, a, 10, DMA_FROM_DEVICE);
	buf[3]++;
	recv(a);
	complete_last(0);
	unmap(a, DMA_FROM_DEVICE);
}

static void reg_unknown(void)
{
	ib_map_mr_sg(mr, sgl, 2, NULL, PAGE_SIZE);
}

static int rw_init(struct rdma_rw_ctx *ctx)
{
	return rdma_rw_ctx_init(ctx, qp, 1, sgl, 1, 0, 0, 0, DMA_TO_DEVICE);
}

static void rw_destroy(struct rdma_rw_ctx *ctx, enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy(ctx, qp, 1, sgl, 1, dir);
}

static struct rdma_rw_ctx rwc;

static void good_rw(void)
{
	WARN_ON(rw_init(&rwc) != 1);
	ib_post_send(qp, rdma_rw_ctx_wrs(&rwc, qp, 1, &cqe, NULL), NULL);
	complete_last(0);
	rw_destroy(&rwc, DMA_TO_DEVICE);
}

#ifdef LEDGER_BVEC
static struct bio_vec bvec;

static void bvec_init(void)
{
	struct bvec_iter iter = { .bi_size = SIZE };

	bvec_set_virt(&bvec, buf, SIZE);
	WARN_ON(rdma_rw_ctx_init_bvec(&rwc, qp, 1, &bvec, 1, iter, 0, 0,
				      DMA_TO_DEVICE) != 1);
}

static void good_bvec(void)
{
	bvec_init();
	ib_post_send(qp, rdma_rw_ctx_wrs(&rwc, qp, 1, &cqe, NULL), NULL);
	complete_last(0);
	rdma_rw_ctx_destroy_bvec(&rwc, qp, 1, &bvec, 1, DMA_TO_DEVICE);
}

static void bvec_differs(void)
{
	bvec_init();
	rdma_rw_ctx_destroy_bvec(&rwc, qp, 1, &bvec, 1, DMA_FROM_DEVICE);
}
#endif

static void ctx_unknown(void)
{
	rw_destroy(&rwc, DMA_TO_DEVICE);
}

static void ctx_twice(void)
{
	rw_init(&rwc);
	rw_init(&rwc);
	rw_destroy(&rwc, DMA_TO_DEVICE);
}

static void ctx_differs(void)
{
	rw_init(&rwc);
	rw_destroy(&rwc, DMA_FROM_DEVICE);
}

static void ctx_busy(void)
{
	rw_init(&rwc);
	ib_post_send(qp, rdma_rw_ctx_wrs(&rwc, qp, 1, &cqe, NULL), NULL);
	rw_destroy(&rwc, DMA_TO_DEVICE);
	complete_last(0);
}

static void leak(void)
{
	map(DMA_TO_DEVICE);
}

static void leak_sg(void)
{
	ib_dma_map_sg(dev, sgl, 2, DMA_TO_DEVICE);
}

static void leak_ctx(void)
{
	rw_init(&rwc);
}

#define GOOD	LEDGER_CRIMES

static const struct {
	const char		*name;
	void			(*run)(void);
	enum ledger_crime	expect;
	bool			copy;
} cases[] = {
	{ "sends", good_send, GOOD },
	{ "sends parts of a buffer", good_parts, GOOD },
	{ "receives", good_recv, GOOD },
	{ "sends without completions", good_quiet, GOOD },
	{ "drains", good_drained, GOOD },
	{ "sends what is refused", good_refused, GOOD },
	{ "registers", good_sg, GOOD },
	{ "reads", good_rw, GOOD },
#ifdef LEDGER_BVEC
	{ "reads into a bvec", good_bvec, GOOD },
	{ "destroys another bvec", bvec_differs, LEDGER_CTX_DIFFERS },
#endif
	{ "unmaps what is not mapped", unmap_unknown, LEDGER_UNMAP_UNKNOWN },
	{ "unmaps twice", unmap_twice, LEDGER_UNMAP_TWICE },
	{ "unmaps another length", unmap_length, LEDGER_UNMAP_LENGTH },
	{ "unmaps another direction", unmap_direction, LEDGER_UNMAP_DIRECTION },
	{ "unmaps what is posted", unmap_busy, LEDGER_UNMAP_BUSY },
	{ "unmaps what is registered", unmap_registered, LEDGER_UNMAP_REGISTERED },
	{ "syncs what is not mapped", sync_unknown, LEDGER_SYNC_UNKNOWN },
	{ "syncs beyond the end", sync_beyond, LEDGER_SYNC_UNKNOWN },
	{ "syncs another direction", sync_direction, LEDGER_SYNC_DIRECTION },
	{ "posts what is not mapped", post_unknown, LEDGER_POST_UNKNOWN },
	{ "posts beyond the end", post_beyond, LEDGER_POST_UNKNOWN },
	{ "posts another direction", post_direction, LEDGER_POST_DIRECTION },
	{ "posts without a check", post_unchecked, LEDGER_POST_UNCHECKED },
	{ "posts without a sync", post_unsynced, LEDGER_POST_UNSYNCED },
	{ "changes after the sync", post_changed, LEDGER_POST_CHANGED, true },
	{ "posts what the CPU owns", post_cpu, LEDGER_POST_CPU },
	{ "uses a posted request again", post_reused, LEDGER_POST_REUSED },
	{ "does not sync a Receive", recv_unread, LEDGER_RECV_UNREAD },
	{ "does not sync all of it", recv_half_read, LEDGER_RECV_UNREAD },
	{ "writes to a Receive", recv_written, LEDGER_RECV_WRITTEN, true },
	{ "registers what is not mapped", reg_unknown, LEDGER_REG_UNKNOWN },
	{ "destroys no context", ctx_unknown, LEDGER_CTX_UNKNOWN },
	{ "sets a context up twice", ctx_twice, LEDGER_CTX_TWICE },
	{ "destroys another context", ctx_differs, LEDGER_CTX_DIFFERS },
	{ "destroys a posted context", ctx_busy, LEDGER_CTX_BUSY },
	{ "leaks memory", leak, LEDGER_LEAK },
	{ "leaks a scatterlist", leak_sg, LEDGER_LEAK },
	{ "leaks a context", leak_ctx, LEDGER_LEAK },
};

/* What was heard is what was expected, and nothing else. */
static bool as_expected(enum ledger_crime expect, bool any)
{
	bool rc = true;
	int i;

	for (i = 0; i < LEDGER_CRIMES; i++) {
		if (!heard[i] == (i != expect || !any))
			continue;
		pr_info("# complaint %d: heard %u times\n", i, heard[i]);
		rc = false;
	}
	return rc;
}

static bool run(unsigned int i)
{
	bool ok;

	memset(heard, 0, sizeof(heard));
	memset(buf, 0x11, SIZE);
	nposted = 0;
	told = 0;
	cases[i].run();
	ledger_qp_gone(qp);
	ledger_close(dev);
	ok = as_expected(cases[i].expect, ledger_copy || !cases[i].copy);
	pr_info("%s %u %s\n", ok ? "ok" : "not ok", i + 1, cases[i].name);
	return ok;
}

static int run_all(void)
{
	unsigned int i, bad = 0;

	pr_info("1..%zu\n", ARRAY_SIZE(cases));
	ledger_listen(dev, hear);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		bad += !run(i);
	ledger_listen(NULL, NULL);
	if (loud)
		unmap_unknown();
	return bad ? -EINVAL : 0;
}

static void free_all(void)
{
	if (dev)
		kfree(dev->port_data);
	if (qp)
		kfree(qp->pd);
	kfree(dev);
	kfree(qp);
	kfree(mr);
	kfree(buf);
}

static int __init ledger_test_init(void)
{
	int rc = -ENOMEM;

	dev = kzalloc_obj(*dev, GFP_KERNEL);
	qp = kzalloc_obj(*qp, GFP_KERNEL);
	mr = kzalloc_obj(*mr, GFP_KERNEL);
	buf = kzalloc(2 * SIZE, GFP_KERNEL);
	if (!dev || !qp || !mr || !buf)
		goto out;
	qp->pd = kzalloc_obj(*qp->pd, GFP_KERNEL);
	dev->port_data = kcalloc(2, sizeof(*dev->port_data), GFP_KERNEL);
	if (!qp->pd || !dev->port_data)
		goto out;
	dev->ops.post_send = fake_post_send;
	dev->ops.post_recv = fake_post_recv;
	dev->ops.map_mr_sg = fake_map_mr_sg;
	qp->device = dev;
	qp->pd->device = dev;
	mr->device = dev;
	mr->page_size = PAGE_SIZE;
	sg_init_table(sgl, 2);
	sg_set_buf(&sgl[0], buf, SIZE);
	sg_set_buf(&sgl[1], buf + SIZE, SIZE);
	rc = run_all();
out:
	free_all();
	/* there is nothing to stay for */
	return rc ?: -ECANCELED;
}

module_init(ledger_test_init);
MODULE_DESCRIPTION("Callers that break the rules of the ledger");
MODULE_LICENSE("GPL");
