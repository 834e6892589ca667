// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger of work requests. Each is posted as a copy whose completion comes
 * here first, so that it is known until when the device uses what it names.
 */

#include <linux/delay.h>
#include <linux/slab.h>

#include "ledger_priv.h"

/**
 * struct ledger_wr - a work request that is posted
 * @list: in the order of posting
 * @cqe: what the device knows of it
 * @theirs: who is told of the completion in the end
 * @orig: the request that was to be posted
 * @q: where it is posted
 * @recv: it is a Receive
 * @quiet: no completion comes unless it fails
 * @ctx: the context that it begins, or NULL
 * @send: the copy, if it is a send request
 * @rdma: likewise
 * @reg: likewise
 * @rwr: the copy, if it is a Receive
 * @num_sge: how many there are of @sge
 * @sge: the memory, and the mapping that holds it or NULL
 */
struct ledger_wr {
	struct list_head		list;
	struct ib_cqe			cqe;
	struct ib_cqe			*theirs;
	const void			*orig;
	struct ledger_q			*q;
	bool				recv;
	bool				quiet;
	struct ledger_ctx		*ctx;
	union {
		struct ib_send_wr	send;
		struct ib_rdma_wr	rdma;
		struct ib_reg_wr	reg;
		struct ib_recv_wr	rwr;
	};
	unsigned int			num_sge;
	struct {
		u64			addr;
		u32			length;
		struct ledger_entry	*entry;
	} sge[] __counted_by(num_sge);
};

/**
 * struct ledger_q - a QP
 * @hash: by its address
 * @qp: the QP
 * @sq: sends that are posted
 * @rq: Receives that are posted
 * @posting: calls of ib_post_send() that have not returned
 */
struct ledger_q {
	struct hlist_node		hash;
	struct ib_qp			*qp;
	struct list_head		sq;
	struct list_head		rq;
	unsigned int			posting;
};

/* Long enough for a request to complete, and for its owner to use it again. */
#define LEDGER_HELD_MS		50

static DEFINE_HASHTABLE(ledger_qs, 8);
/* Of QPs that are gone; the device must not find their memory used again. */
static LIST_HEAD(ledger_orphans);

static struct ledger_q *ledger_q_of(struct ib_qp *qp)
{
	struct ledger_q *q;

	hash_for_each_possible(ledger_qs, q, hash, (uintptr_t)qp)
		if (q->qp == qp)
			return q;
	return NULL;
}

static struct ledger_q *ledger_q_get(struct ib_qp *qp)
{
	struct ledger_q *q = ledger_q_of(qp);

	if (q)
		return q;
	q = kzalloc_obj(*q, GFP_ATOMIC | __GFP_NOWARN);
	if (!q)
		return NULL;
	q->qp = qp;
	INIT_LIST_HEAD(&q->sq);
	INIT_LIST_HEAD(&q->rq);
	hash_add(ledger_qs, &q->hash, (uintptr_t)qp);
	return q;
}

/* The device is done with a request. */
static void ledger_release(struct ledger_wr *w)
{
	unsigned int i;

	list_del_init(&w->list);
	for (i = 0; i < w->num_sge; i++)
		if (w->sge[i].entry)
			ledger_unuse(w->sge[i].entry);
	if (w->ctx)
		ledger_ctx_unuse(w->ctx);
	w->num_sge = 0;
	w->ctx = NULL;
}

static void ledger_invalidate(struct ledger_wr *w)
{
	if (!w->recv && w->send.opcode == IB_WR_LOCAL_INV)
		ledger_invalidated(w->q->qp, w->send.ex.invalidate_rkey);
}

/*
 * A completion stands for the quiet ones before it, too: back to the one before
 * that which is not complete.
 */
static void ledger_retire_quiet(struct ledger_wr *w)
{
	struct ledger_wr *p, *prev;

	p = list_prev_entry(w, list);
	while (!list_entry_is_head(p, &w->q->sq, list) && p->quiet) {
		prev = list_prev_entry(p, list);
		ledger_invalidate(p);
		ledger_release(p);
		kfree(p);
		p = prev;
	}
}

static void ledger_fill(struct ledger_wr *w, u32 bytes)
{
	unsigned int i;
	u32 part;

	for (i = 0; i < w->num_sge && bytes; i++) {
		part = min(bytes, w->sge[i].length);
		bytes -= part;
		if (w->sge[i].entry)
			ledger_received(w->sge[i].entry, w->sge[i].addr, part);
	}
}

static void ledger_complete(struct ledger_wr *w, const struct ib_wc *wc)
{
	if (!w->q) {
		/* its QP has gone before it */
		list_del(&w->list);
		return;
	}
	if (wc->status != IB_WC_SUCCESS)
		ledger_unexposed(w->q->qp);
	if (!w->recv) {
		ledger_retire_quiet(w);
		ledger_invalidate(w);
	} else if (wc->status == IB_WC_SUCCESS) {
		ledger_fill(w, wc->byte_len);
		if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
			ledger_invalidated(w->q->qp, wc->ex.invalidate_rkey);
	}
	ledger_release(w);
}

static void ledger_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ledger_wr *w = container_of(wc->wr_cqe, struct ledger_wr, cqe);
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_complete(w, wc);
	spin_unlock_irqrestore(&ledger_lock, flags);
	wc->wr_cqe = w->theirs;
	kfree(w);
	if (wc->wr_cqe)
		wc->wr_cqe->done(cq, wc);
}

static struct ledger_wr *ledger_wr_new(const struct ib_sge *sge, int num,
				       struct ib_cqe *theirs, const void *orig)
{
	struct ledger_wr *w;
	int i;

	w = kzalloc(struct_size(w, sge, num), GFP_ATOMIC | __GFP_NOWARN);
	if (!w)
		return NULL;
	INIT_LIST_HEAD(&w->list);
	w->cqe.done = ledger_done;
	w->theirs = theirs;
	w->orig = orig;
	w->num_sge = num;
	for (i = 0; i < num; i++) {
		w->sge[i].addr = sge[i].addr;
		w->sge[i].length = sge[i].length;
	}
	return w;
}

static struct ledger_wr *ledger_send_new(const struct ib_send_wr *wr)
{
	struct ledger_wr *w;

	w = ledger_wr_new(wr->sg_list, wr->num_sge, wr->wr_cqe, wr);
	if (!w)
		return NULL;
	switch (wr->opcode) {
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		w->rdma = *rdma_wr(wr);
		break;
	case IB_WR_REG_MR:
		w->reg = *reg_wr(wr);
		break;
	default:
		w->send = *wr;
	}
	w->send.wr_cqe = &w->cqe;
	w->quiet = !(wr->send_flags & IB_SEND_SIGNALED);
	return w;
}

static struct ledger_wr *ledger_recv_new(const struct ib_recv_wr *wr)
{
	struct ledger_wr *w;

	w = ledger_wr_new(wr->sg_list, wr->num_sge, wr->wr_cqe, wr);
	if (!w)
		return NULL;
	w->rwr = *wr;
	w->rwr.wr_cqe = &w->cqe;
	w->recv = true;
	return w;
}

static void ledger_free_chain(struct list_head *chain)
{
	struct ledger_wr *w, *next;

	list_for_each_entry_safe(w, next, chain, list) {
		ledger_release(w);
		kfree(w);
	}
}

/* Enters the memory of a request, and judges it. */
static void ledger_judge_sges(struct ledger_wr *w, struct ib_qp *qp,
			      const struct ib_sge *sge,
			      const struct ledger_site *site)
{
	struct ledger_entry *e;
	unsigned int i;

	for (i = 0; i < w->num_sge; i++) {
		if (!sge[i].length)
			continue;
		e = ledger_cover(qp->device, sge[i].addr, sge[i].length);
		if (!e) {
			ledger_accuse(qp->device, LEDGER_POST_UNKNOWN, site,
				      NULL, sge[i].addr, sge[i].length);
			continue;
		}
		ledger_judge_post(qp->device, e, &sge[i], w->recv, site);
		e->users++;
		w->sge[i].entry = e;
	}
}

/* The memory of RDMA Reads and Writes was mapped by rdma_rw_ctx_init(). */
static void ledger_judge_wr(struct ledger_wr *w, struct ib_qp *qp,
			    const struct ledger_site *site)
{
	if (w->recv) {
		ledger_judge_sges(w, qp, w->rwr.sg_list, site);
		return;
	}
	w->ctx = ledger_ctx_of(w->orig);
	if (w->ctx)
		w->ctx->users++;
	switch (w->send.opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		ledger_judge_sges(w, qp, w->send.sg_list, site);
		break;
	case IB_WR_REG_MR:
		ledger_registered(qp, w->reg.mr, w->reg.key);
		break;
	default:
		break;
	}
}

static void ledger_enter(struct list_head *chain, struct ledger_q *q,
			 const struct ledger_site *site)
{
	struct ledger_wr *w;

	list_for_each_entry(w, chain, list) {
		w->q = q;
		ledger_judge_wr(w, q->qp, site);
	}
}

/* Takes off a queue what was not posted: @w and what is behind it. */
static void ledger_take_back(struct list_head *queue, struct ledger_wr *w)
{
	struct ledger_wr *next;

	list_for_each_entry_safe_from(w, next, queue, list) {
		ledger_release(w);
		kfree(w);
	}
}

/*
 * The lock is held while the device takes them, so that the order here is the
 * order there.
 */
static int ledger_send_chain(struct ib_qp *qp, struct ledger_q *q,
			     struct list_head *chain, const void **bad)
{
	struct ledger_wr *first, *w;
	const struct ib_send_wr *failed = NULL;
	int rc;

	first = list_first_entry(chain, struct ledger_wr, list);
	list_for_each_entry(w, chain, list)
		w->send.next = list_is_last(&w->list, chain) ? NULL :
			       &list_next_entry(w, list)->send;
	list_splice_tail(chain, &q->sq);
	rc = (ib_post_send)(qp, &first->send, &failed);
	if (!rc)
		return 0;
	w = failed ? container_of(failed, struct ledger_wr, send) : first;
	*bad = w->orig;
	ledger_take_back(&q->sq, w);
	return rc;
}

static int ledger_recv_chain(struct ib_qp *qp, struct ledger_q *q,
			     struct list_head *chain, const void **bad)
{
	struct ledger_wr *first, *w;
	const struct ib_recv_wr *failed = NULL;
	int rc;

	first = list_first_entry(chain, struct ledger_wr, list);
	list_for_each_entry(w, chain, list)
		w->rwr.next = list_is_last(&w->list, chain) ? NULL :
			      &list_next_entry(w, list)->rwr;
	list_splice_tail(chain, &q->rq);
	rc = (ib_post_recv)(qp, &first->rwr, &failed);
	if (!rc)
		return 0;
	w = failed ? container_of(failed, struct ledger_wr, rwr) : first;
	*bad = w->orig;
	ledger_take_back(&q->rq, w);
	return rc;
}

/*
 * Cuts a chain where a fault strikes; the rest is not posted. Returns what of
 * the caller's is the first of these, or NULL if all will be posted.
 */
static const void *ledger_cut(struct list_head *chain, enum ledger_fault what,
			      const struct ledger_site *site)
{
	size_t part, count = list_count_nodes(chain);
	struct ledger_wr *w, *next;
	const void *orig = NULL;

	if (!ledger_fault(what, site))
		return NULL;
	part = ledger_fault_part(what, count);
	list_for_each_entry_safe(w, next, chain, list) {
		if (part) {
			part--;
			continue;
		}
		orig = orig ?: w->orig;
		ledger_release(w);
		kfree(w);
	}
	return orig;
}

/*
 * Posts what was entered into a chain. Sets @failed to what of the caller's is
 * the first that was not posted, if that is not all of it.
 */
static int ledger_post(struct ib_qp *qp, struct list_head *chain, bool recv,
		       const void **failed, const struct ledger_site *site)
{
	struct ledger_q *q;
	unsigned long flags;
	const void *cut;
	int rc = -ENOMEM;

	spin_lock_irqsave(&ledger_lock, flags);
	cut = ledger_cut(chain, recv ? LEDGER_FAULT_POST_RECV :
			 LEDGER_FAULT_POST_SEND, site);
	if (cut)
		*failed = cut;
	q = ledger_q_get(qp);
	if (!q) {
		ledger_free_chain(chain);
	} else if (!list_empty(chain)) {
		ledger_enter(chain, q, site);
		rc = recv ? ledger_recv_chain(qp, q, chain, failed) :
		     ledger_send_chain(qp, q, chain, failed);
	}
	spin_unlock_irqrestore(&ledger_lock, flags);
	return cut ? rc ?: -ENOMEM : rc;
}

/* A call of ib_post_send() begins. Returns whether ledger_drained() knows of it. */
static bool ledger_posting(struct ib_qp *qp)
{
	struct ledger_q *q;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	q = ledger_q_get(qp);
	if (q)
		q->posting++;
	spin_unlock_irqrestore(&ledger_lock, flags);
	return q;
}

/* One that it knows of ends. */
static void ledger_posted(struct ib_qp *qp)
{
	struct ledger_q *q;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	q = ledger_q_of(qp);
	if (q)
		q->posting--;
	spin_unlock_irqrestore(&ledger_lock, flags);
}

/*
 * A driver looks for what follows a request after the device has got it, and its
 * processor may be held up there. So the last one must lead nowhere until
 * ib_post_send() returns. KASAN notices here if it is freed.
 */
static void ledger_judge_held(struct ib_qp *qp, const struct ib_send_wr *last,
			      bool is_send, const struct ledger_site *site)
{
	unsigned long flags;

	if (ledger_fault(is_send ? LEDGER_FAULT_SEND_HELD :
			 LEDGER_FAULT_OTHER_HELD, site))
		mdelay(LEDGER_HELD_MS);
	if (!READ_ONCE(last->next))
		return;
	spin_lock_irqsave(&ledger_lock, flags);
	ledger_accuse(qp->device, LEDGER_POST_REUSED, site, NULL, 0, 0);
	spin_unlock_irqrestore(&ledger_lock, flags);
}

/**
 * ledger_post_send - ib_post_send()
 * @qp: where to
 * @wr: what
 * @bad: the first one that was not posted, or NULL
 * @site: the caller
 *
 * Return: 0, or a negative errno.
 */
int ledger_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad,
		     const struct ledger_site *site)
{
	const struct ib_send_wr *last = NULL;
	const void *failed = wr;
	struct ledger_wr *w;
	LIST_HEAD(chain);
	bool is_send = false, posting = ledger_posting(qp);
	int rc = -ENOMEM;

	for (; wr; wr = wr->next) {
		w = ledger_send_new(wr);
		if (!w)
			break;
		list_add_tail(&w->list, &chain);
		last = wr;
		is_send = wr->opcode == IB_WR_SEND ||
			  wr->opcode == IB_WR_SEND_WITH_INV;
	}
	if (wr)
		ledger_free_chain(&chain);
	else
		rc = ledger_post(qp, &chain, false, &failed, site);
	if (!rc)
		ledger_judge_held(qp, last, is_send, site);
	if (posting)
		ledger_posted(qp);
	if (bad)
		*bad = failed;
	return rc;
}
EXPORT_SYMBOL_GPL(ledger_post_send);

/**
 * ledger_post_recv - ib_post_recv()
 * @qp: where to
 * @wr: what
 * @bad: the first one that was not posted, or NULL
 * @site: the caller
 *
 * Return: 0, or a negative errno.
 */
int ledger_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad,
		     const struct ledger_site *site)
{
	const void *failed = wr;
	struct ledger_wr *w;
	LIST_HEAD(chain);
	int rc = -ENOMEM;

	for (; wr; wr = wr->next) {
		w = ledger_recv_new(wr);
		if (!w)
			break;
		list_add_tail(&w->list, &chain);
	}
	if (wr)
		ledger_free_chain(&chain);
	else
		rc = ledger_post(qp, &chain, true, &failed, site);
	if (bad)
		*bad = failed;
	return rc;
}
EXPORT_SYMBOL_GPL(ledger_post_recv);

/**
 * ledger_qp_closing - a connection is being closed
 * @qp: its QP, or NULL
 */
void ledger_qp_closing(struct ib_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_unexposed(qp);
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_qp_closing);

/* Completions may still be on their way: they find an orphan. */
static void ledger_orphan(struct list_head *queue)
{
	struct ledger_wr *w, *next;

	list_for_each_entry_safe(w, next, queue, list) {
		ledger_release(w);
		w->q = NULL;
		list_add_tail(&w->list, &ledger_orphans);
	}
}

static bool ledger_is_posting(struct ib_qp *qp)
{
	struct ledger_q *q;
	unsigned long flags;
	bool rc;

	spin_lock_irqsave(&ledger_lock, flags);
	q = ledger_q_of(qp);
	rc = q && q->posting;
	spin_unlock_irqrestore(&ledger_lock, flags);
	return rc;
}

/**
 * ledger_drained - a QP was drained
 * @qp: the QP
 * @sq: of its sends
 * @rq: of its Receives
 *
 * Context: sleeps: a drain posts something itself, for which drivers have it wait
 * until others have posted theirs.
 */
void ledger_drained(struct ib_qp *qp, bool sq, bool rq)
{
	struct ledger_q *q;
	unsigned long flags;

	while (sq && ledger_is_posting(qp))
		usleep_range(1000, 2000);
	spin_lock_irqsave(&ledger_lock, flags);
	ledger_unexposed(qp);
	q = ledger_q_of(qp);
	if (q && sq)
		ledger_orphan(&q->sq);
	if (q && rq)
		ledger_orphan(&q->rq);
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_drained);

/**
 * ledger_qp_gone - a QP is about to be destroyed
 * @qp: the QP, or NULL
 */
void ledger_qp_gone(struct ib_qp *qp)
{
	struct ledger_q *q;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_unexposed(qp);
	q = ledger_q_of(qp);
	if (q) {
		ledger_orphan(&q->sq);
		ledger_orphan(&q->rq);
		hash_del(&q->hash);
		kfree(q);
	}
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_qp_gone);

/**
 * ledger_wrs_end - forgets all requests
 *
 * Context: under ledger_lock, when nothing can complete any more.
 */
void ledger_wrs_end(void)
{
	struct hlist_node *next;
	struct ledger_q *q;
	int i;

	lockdep_assert_held(&ledger_lock);
	hash_for_each_safe(ledger_qs, i, next, q, hash) {
		ledger_free_chain(&q->sq);
		ledger_free_chain(&q->rq);
		hash_del(&q->hash);
		kfree(q);
	}
	ledger_free_chain(&ledger_orphans);
}
