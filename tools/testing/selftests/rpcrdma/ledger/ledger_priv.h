/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the ledger share. One lock, ledger_lock, protects all there
 * is; the device's own locks are taken below it, when a request is posted.
 */

#ifndef RPCRDMA_LEDGER_PRIV_H
#define RPCRDMA_LEDGER_PRIV_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>

#include "ledger.h"

#define LEDGER_NO_ADDR		(~(u64)0)
#define LEDGER_POISON		0xdb
/* What is sent has whole words of XDR. */
#define LEDGER_GRAIN		4

/**
 * struct ledger_entry - a mapping that is alive
 * @node: by address, in ledger_tree
 * @start: its first byte, as the device knows it
 * @last: its last byte
 * @subtree_last: for the tree
 * @dev: the device it was made for
 * @cpu: the memory that was mapped
 * @copy: what the device has in its place, or NULL
 * @dir: the direction it was made for
 * @single: by ib_dma_map_single(), so that its owner writes to it again
 * @checked: ib_dma_mapping_error() was asked
 * @cpu_owns: synced for the CPU, and not for the device since
 * @gone: unmapped while requests used it
 * @users: requests that are posted and use it
 * @synced: a bit for each LEDGER_GRAIN bytes that are as the CPU has left them; only
 *	if @single and for the device
 * @filled: so many bytes were received and not synced for the CPU since
 * @seen: so many bytes were synced for the CPU, and not for the device since
 * @site: who mapped it
 */
struct ledger_entry {
	struct rb_node			node;
	u64				start;
	u64				last;
	u64				subtree_last;
	struct ib_device		*dev;
	void				*cpu;
	void				*copy;
	enum dma_data_direction		dir;
	bool				single;
	bool				checked;
	bool				cpu_owns;
	bool				gone;
	unsigned int			users;
	unsigned long			*synced;
	size_t				filled;
	size_t				seen;
	const struct ledger_site	*site;
};

/**
 * struct ledger_list - a scatterlist that is mapped
 * @hash: by its address
 * @dev: the device
 * @sg: its first element
 * @nents: how many elements were mapped
 * @dir: in which direction
 * @site: who mapped it
 */
struct ledger_list {
	struct hlist_node		hash;
	struct ib_device		*dev;
	struct scatterlist		*sg;
	int				nents;
	enum dma_data_direction		dir;
	const struct ledger_site	*site;
};

/**
 * struct ledger_ctx - an rdma_rw_ctx that is alive
 * @hash: by its address
 * @ctx: the context
 * @dev: its device
 * @mem: the scatterlist or bvec it was made for
 * @nents: the length of that
 * @dir: its direction
 * @first: the first of its work requests, once they have been asked for
 * @users: those that are posted
 * @site: who made it
 */
struct ledger_ctx {
	struct hlist_node		hash;
	struct rdma_rw_ctx		*ctx;
	struct ib_device		*dev;
	const void			*mem;
	u32				nents;
	enum dma_data_direction		dir;
	const struct ib_send_wr		*first;
	unsigned int			users;
	const struct ledger_site	*site;
};

extern spinlock_t ledger_lock;

void ledger_accuse(struct ib_device *dev, enum ledger_crime what,
		   const struct ledger_site *site,
		   const struct ledger_site *other, u64 addr, size_t len);

/* ledger_map.c */
struct ledger_entry *ledger_cover(struct ib_device *dev, u64 addr, size_t len);
void ledger_judge_post(struct ib_device *dev, struct ledger_entry *e,
		       const struct ib_sge *sge, bool recv,
		       const struct ledger_site *site);
void ledger_unuse(struct ledger_entry *e);
void ledger_received(struct ledger_entry *e, u64 addr, size_t len);
void ledger_maps_end(struct ib_device *dev);
void ledger_maps_show(struct seq_file *m);

/* ledger_reg.c */
void ledger_registered(struct ib_qp *qp, struct ib_mr *mr, u32 rkey);
void ledger_invalidated(struct ib_qp *qp, u32 rkey);
void ledger_unexposed(struct ib_qp *qp);
struct ledger_ctx *ledger_ctx_of(const struct ib_send_wr *wr);
void ledger_ctx_unuse(struct ledger_ctx *c);
void ledger_regs_end(struct ib_device *dev);

/* ledger_wr.c */
void ledger_wrs_end(void);

/* ledger_fault.c */
void ledger_faults_create(struct dentry *dir);
size_t ledger_fault_part(enum ledger_fault what, size_t count);

#endif /* RPCRDMA_LEDGER_PRIV_H */
