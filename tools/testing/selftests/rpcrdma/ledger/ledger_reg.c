// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger of scatterlists, of the memory regions and rdma_rw contexts that
 * are made of them, and of what the other end may touch. Nothing is copied
 * here: the device has the caller's memory.
 */

#include <linux/slab.h>

#include "ledger_priv.h"

/**
 * struct ledger_mr - a memory region that was mapped
 * @hash: by its address
 * @mr: the region
 * @list: the scatterlist it stands for
 * @qp: where it was registered
 * @rkey: its handle
 * @exposed: the other end may use it
 */
struct ledger_mr {
	struct hlist_node		hash;
	struct ib_mr			*mr;
	struct ledger_list		*list;
	struct ib_qp			*qp;
	u32				rkey;
	bool				exposed;
};

static DEFINE_HASHTABLE(ledger_lists, 7);
static DEFINE_HASHTABLE(ledger_ctxs, 7);
static DEFINE_HASHTABLE(ledger_mrs, 7);

static struct ledger_list *ledger_list_of(struct scatterlist *sg)
{
	struct ledger_list *l;

	hash_for_each_possible(ledger_lists, l, hash, (uintptr_t)sg)
		if (l->sg == sg)
			return l;
	return NULL;
}

static struct ledger_mr *ledger_mr_of(const struct ib_mr *mr)
{
	struct ledger_mr *m;

	hash_for_each_possible(ledger_mrs, m, hash, (uintptr_t)mr)
		if (m->mr == mr)
			return m;
	return NULL;
}

static struct ledger_ctx *ledger_ctx_at(const struct rdma_rw_ctx *ctx)
{
	struct ledger_ctx *c;

	hash_for_each_possible(ledger_ctxs, c, hash, (uintptr_t)ctx)
		if (c->ctx == ctx)
			return c;
	return NULL;
}

/**
 * ledger_map_sg - ib_dma_map_sg()
 * @dev: the device
 * @sg: first element
 * @nents: how many there are
 * @dir: where bytes will go
 * @site: the caller
 *
 * Return: how many elements are mapped; 0 is a failure.
 */
int ledger_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
		  enum dma_data_direction dir, const struct ledger_site *site)
{
	struct ledger_list *l;
	unsigned long flags;
	int count;

	if (ledger_fault(LEDGER_FAULT_MAP_SG, site))
		return 0;
	l = kzalloc_obj(*l, GFP_ATOMIC | __GFP_NOWARN);
	if (!l)
		return 0;
	count = (ib_dma_map_sg)(dev, sg, nents, dir);
	if (!count) {
		kfree(l);
		return 0;
	}
	l->dev = dev;
	l->sg = sg;
	l->nents = nents;
	l->dir = dir;
	l->site = site;
	spin_lock_irqsave(&ledger_lock, flags);
	hash_add(ledger_lists, &l->hash, (uintptr_t)sg);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return count;
}
EXPORT_SYMBOL_GPL(ledger_map_sg);

/* The other end may still use what is unmapped? */
static void ledger_judge_exposed(struct ledger_list *l,
				 const struct ledger_site *site)
{
	struct ledger_mr *m;
	int i;

	hash_for_each(ledger_mrs, i, m, hash) {
		if (m->list != l)
			continue;
		if (m->exposed)
			ledger_accuse(l->dev, LEDGER_UNMAP_REGISTERED, site,
				      l->site, m->rkey, l->nents);
		m->list = NULL;
	}
}

/**
 * ledger_unmap_sg - ib_dma_unmap_sg()
 * @dev: the device
 * @sg: first element
 * @nents: how many there are
 * @dir: the direction that was mapped
 * @site: the caller
 */
void ledger_unmap_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
		     enum dma_data_direction dir,
		     const struct ledger_site *site)
{
	struct ledger_list *l;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	l = ledger_list_of(sg);
	if (!l) {
		ledger_accuse(dev, LEDGER_UNMAP_UNKNOWN, site, NULL,
			      (uintptr_t)sg, nents);
		goto out;
	}
	if (l->nents != nents)
		ledger_accuse(dev, LEDGER_UNMAP_LENGTH, site, l->site,
			      (uintptr_t)sg, nents);
	if (l->dir != dir)
		ledger_accuse(dev, LEDGER_UNMAP_DIRECTION, site, l->site,
			      (uintptr_t)sg, nents);
	ledger_judge_exposed(l, site);
	hash_del(&l->hash);
	(ib_dma_unmap_sg)(dev, sg, nents, dir);
	kfree(l);
out:
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_unmap_sg);

/* Enters a region that is seen for the first time. */
static struct ledger_mr *ledger_mr_new(struct ib_mr *mr)
{
	struct ledger_mr *m = kzalloc_obj(*m, GFP_ATOMIC | __GFP_NOWARN);

	if (m) {
		m->mr = mr;
		hash_add(ledger_mrs, &m->hash, (uintptr_t)mr);
	}
	return m;
}

/**
 * ledger_map_mr_sg - ib_map_mr_sg()
 * @mr: the region
 * @sg: first element of a list that is mapped
 * @nents: how many there are
 * @offset: as there
 * @page_size: as there
 * @site: the caller
 *
 * Return: how many elements the region holds, or a negative errno.
 */
int ledger_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		     unsigned int *offset, unsigned int page_size,
		     const struct ledger_site *site)
{
	struct ledger_mr *m;
	unsigned long flags;

	if (ledger_fault(LEDGER_FAULT_MAP_MR, site))
		return -ENOMEM;
	spin_lock_irqsave(&ledger_lock, flags);
	m = ledger_mr_of(mr) ?: ledger_mr_new(mr);
	if (m)
		m->list = ledger_list_of(sg);
	if (!ledger_list_of(sg))
		ledger_accuse(mr->device, LEDGER_REG_UNKNOWN, site, NULL,
			      (uintptr_t)sg, nents);
	spin_unlock_irqrestore(&ledger_lock, flags);
	if (!m)
		return -ENOMEM;
	return (ib_map_mr_sg)(mr, sg, nents, offset, page_size);
}
EXPORT_SYMBOL_GPL(ledger_map_mr_sg);

/**
 * ledger_dereg_mr - ib_dereg_mr()
 * @mr: the region
 *
 * Return: what that returns.
 */
int ledger_dereg_mr(struct ib_mr *mr)
{
	struct ledger_mr *m;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	m = ledger_mr_of(mr);
	if (m) {
		hash_del(&m->hash);
		kfree(m);
	}
	spin_unlock_irqrestore(&ledger_lock, flags);
	return (ib_dereg_mr)(mr);
}
EXPORT_SYMBOL_GPL(ledger_dereg_mr);

/**
 * ledger_registered - a registration was posted
 * @qp: where
 * @mr: of this region
 * @rkey: with this handle
 *
 * Context: under ledger_lock.
 */
void ledger_registered(struct ib_qp *qp, struct ib_mr *mr, u32 rkey)
{
	struct ledger_mr *m = ledger_mr_of(mr);

	lockdep_assert_held(&ledger_lock);
	if (!m)
		return;
	m->qp = qp;
	m->rkey = rkey;
	m->exposed = true;
}

/**
 * ledger_invalidated - a handle is no longer good
 * @qp: whose
 * @rkey: the handle
 *
 * Context: under ledger_lock.
 */
void ledger_invalidated(struct ib_qp *qp, u32 rkey)
{
	struct ledger_mr *m;
	int i;

	lockdep_assert_held(&ledger_lock);
	hash_for_each(ledger_mrs, i, m, hash)
		if (m->qp == qp && m->rkey == rkey)
			m->exposed = false;
}

/**
 * ledger_unexposed - a connection ends, and with it the access by the other end
 * @qp: its QP
 *
 * Context: under ledger_lock.
 */
void ledger_unexposed(struct ib_qp *qp)
{
	struct ledger_mr *m;
	int i;

	lockdep_assert_held(&ledger_lock);
	hash_for_each(ledger_mrs, i, m, hash)
		if (m->qp == qp)
			m->exposed = false;
}

/* A context is about to be set up for @mem. Returns NULL where that is to fail. */
static struct ledger_ctx *ledger_ctx_new(struct rdma_rw_ctx *ctx,
					 struct ib_qp *qp, const void *mem,
					 u32 nents, enum dma_data_direction dir,
					 const struct ledger_site *site)
{
	struct ledger_ctx *c;

	if (ledger_fault(LEDGER_FAULT_RW_INIT, site))
		return NULL;
	c = kzalloc_obj(*c, GFP_ATOMIC | __GFP_NOWARN);
	if (!c)
		return NULL;
	c->ctx = ctx;
	c->dev = qp->device;
	c->mem = mem;
	c->nents = nents;
	c->dir = dir;
	c->site = site;
	return c;
}

/* Its owner is done with it; requests that are posted still point at it. */
static void ledger_ctx_forget(struct ledger_ctx *c)
{
	hash_del(&c->hash);
	c->ctx = NULL;
	if (!c->users)
		kfree(c);
}

/* It is set up, or failed to be. Returns @rc. */
static int ledger_ctx_enter(struct ledger_ctx *c, int rc)
{
	struct ledger_ctx *old;
	unsigned long flags;

	if (rc < 0) {
		kfree(c);
		return rc;
	}
	spin_lock_irqsave(&ledger_lock, flags);
	old = ledger_ctx_at(c->ctx);
	if (old) {
		ledger_accuse(c->dev, LEDGER_CTX_TWICE, c->site, old->site,
			      (uintptr_t)c->ctx, c->nents);
		ledger_ctx_forget(old);
	}
	hash_add(ledger_ctxs, &c->hash, (uintptr_t)c->ctx);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return rc;
}

/* One is about to be destroyed. Returns false if there is none. */
static bool ledger_ctx_end(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
			   const void *mem, u32 nents,
			   enum dma_data_direction dir,
			   const struct ledger_site *site)
{
	struct ledger_ctx *c;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	c = ledger_ctx_at(ctx);
	if (!c) {
		ledger_accuse(qp->device, LEDGER_CTX_UNKNOWN, site, NULL,
			      (uintptr_t)ctx, nents);
		spin_unlock_irqrestore(&ledger_lock, flags);
		return false;
	}
	if (c->mem != mem || c->nents != nents || c->dir != dir)
		ledger_accuse(qp->device, LEDGER_CTX_DIFFERS, site, c->site,
			      (uintptr_t)ctx, nents);
	if (c->users)
		ledger_accuse(qp->device, LEDGER_CTX_BUSY, site, c->site,
			      (uintptr_t)ctx, nents);
	ledger_ctx_forget(c);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return true;
}

/**
 * ledger_rw_init - rdma_rw_ctx_init()
 * @ctx: the context
 * @qp: where it will be posted
 * @port: as there
 * @sg: memory of this end
 * @nents: elements of that
 * @offset: as there
 * @remote: address at the other end
 * @rkey: handle of that
 * @dir: where bytes will go
 * @site: the caller
 *
 * Return: how many work requests it takes, or a negative errno.
 */
int ledger_rw_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		   struct scatterlist *sg, u32 nents, u32 offset, u64 remote,
		   u32 rkey, enum dma_data_direction dir,
		   const struct ledger_site *site)
{
	struct ledger_ctx *c;

	c = ledger_ctx_new(ctx, qp, sg, nents, dir, site);
	if (!c)
		return -ENOMEM;
	return ledger_ctx_enter(c, (rdma_rw_ctx_init)(ctx, qp, port, sg, nents,
						      offset, remote, rkey,
						      dir));
}
EXPORT_SYMBOL_GPL(ledger_rw_init);

/**
 * ledger_rw_wrs - rdma_rw_ctx_wrs()
 * @ctx: the context
 * @qp: where it will be posted
 * @port: as there
 * @cqe: who hears of its completion
 * @chain: what follows it
 * @site: the caller
 *
 * Return: the first of its requests.
 */
struct ib_send_wr *ledger_rw_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				 u32 port, struct ib_cqe *cqe,
				 struct ib_send_wr *chain,
				 const struct ledger_site *site)
{
	struct ib_send_wr *first;
	struct ledger_ctx *c;
	unsigned long flags;

	first = (rdma_rw_ctx_wrs)(ctx, qp, port, cqe, chain);
	spin_lock_irqsave(&ledger_lock, flags);
	c = ledger_ctx_at(ctx);
	if (c)
		c->first = first;
	else
		ledger_accuse(qp->device, LEDGER_CTX_UNKNOWN, site, NULL,
			      (uintptr_t)ctx, 0);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return first;
}
EXPORT_SYMBOL_GPL(ledger_rw_wrs);

/**
 * ledger_rw_destroy - rdma_rw_ctx_destroy()
 * @ctx: the context
 * @qp: as it was made for
 * @port: as there
 * @sg: as it was made for
 * @nents: as it was made for
 * @dir: as it was made for
 * @site: the caller
 */
void ledger_rw_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		       struct scatterlist *sg, u32 nents,
		       enum dma_data_direction dir,
		       const struct ledger_site *site)
{
	if (ledger_ctx_end(ctx, qp, sg, nents, dir, site))
		(rdma_rw_ctx_destroy)(ctx, qp, port, sg, nents, dir);
}
EXPORT_SYMBOL_GPL(ledger_rw_destroy);

#ifdef LEDGER_BVEC
/**
 * ledger_rw_init_bvec - rdma_rw_ctx_init_bvec()
 * @ctx: the context
 * @qp: where it will be posted
 * @port: as there
 * @bvec: memory of this end
 * @nents: elements of that
 * @iter: as there
 * @remote: address at the other end
 * @rkey: handle of that
 * @dir: where bytes will go
 * @site: the caller
 *
 * Return: how many work requests it takes, or a negative errno.
 */
int ledger_rw_init_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
			const struct bio_vec *bvec, u32 nents,
			struct bvec_iter iter, u64 remote, u32 rkey,
			enum dma_data_direction dir,
			const struct ledger_site *site)
{
	struct ledger_ctx *c;

	c = ledger_ctx_new(ctx, qp, bvec, nents, dir, site);
	if (!c)
		return -ENOMEM;
	return ledger_ctx_enter(c, (rdma_rw_ctx_init_bvec)(ctx, qp, port, bvec,
							   nents, iter, remote,
							   rkey, dir));
}
EXPORT_SYMBOL_GPL(ledger_rw_init_bvec);

/**
 * ledger_rw_destroy_bvec - rdma_rw_ctx_destroy_bvec()
 * @ctx: the context
 * @qp: as it was made for
 * @port: as there
 * @bvec: as it was made for
 * @nents: as it was made for
 * @dir: as it was made for
 * @site: the caller
 */
void ledger_rw_destroy_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
			    const struct bio_vec *bvec, u32 nents,
			    enum dma_data_direction dir,
			    const struct ledger_site *site)
{
	if (ledger_ctx_end(ctx, qp, bvec, nents, dir, site))
		(rdma_rw_ctx_destroy_bvec)(ctx, qp, port, bvec, nents, dir);
}
EXPORT_SYMBOL_GPL(ledger_rw_destroy_bvec);
#endif

/**
 * ledger_ctx_of - the context whose requests begin with one
 * @wr: that request
 *
 * Context: under ledger_lock.
 * Return: the context, or NULL.
 */
struct ledger_ctx *ledger_ctx_of(const struct ib_send_wr *wr)
{
	struct ledger_ctx *c;
	int i;

	lockdep_assert_held(&ledger_lock);
	hash_for_each(ledger_ctxs, i, c, hash)
		if (c->first == wr)
			return c;
	return NULL;
}

/**
 * ledger_ctx_unuse - a request of a context is complete
 * @c: the context
 *
 * Context: under ledger_lock.
 */
void ledger_ctx_unuse(struct ledger_ctx *c)
{
	lockdep_assert_held(&ledger_lock);
	c->users--;
	if (!c->ctx && !c->users)
		kfree(c);
}

/**
 * ledger_regs_end - what is still mapped is a leak
 * @dev: of this device only, or NULL
 *
 * Context: under ledger_lock.
 */
void ledger_regs_end(struct ib_device *dev)
{
	struct hlist_node *next;
	struct ledger_list *l;
	struct ledger_ctx *c;
	struct ledger_mr *m;
	int i;

	hash_for_each_safe(ledger_lists, i, next, l, hash) {
		if (dev && l->dev != dev)
			continue;
		ledger_accuse(l->dev, LEDGER_LEAK, l->site, NULL,
			      (uintptr_t)l->sg, l->nents);
		hash_del(&l->hash);
		kfree(l);
	}
	hash_for_each_safe(ledger_ctxs, i, next, c, hash) {
		if (dev && c->dev != dev)
			continue;
		ledger_accuse(c->dev, LEDGER_LEAK, c->site, NULL,
			      (uintptr_t)c->ctx, c->nents);
		ledger_ctx_forget(c);
	}
	hash_for_each_safe(ledger_mrs, i, next, m, hash) {
		if (dev && m->mr->device != dev)
			continue;
		hash_del(&m->hash);
		kfree(m);
	}
}
