/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: memory of Receives that data may be placed in.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_MEMORY_H
#define _RPCRDMA2_MEMORY_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

enum {
	/* Order of the largest of them, unless a test has set another one */
	RPCRDMA2_BLOCK_ORDER	= 5,
	/* Pieces of memory that one Receive is made of at most */
	RPCRDMA2_BLOCK_SGES	= 8,
	/* Head segment of our own Receives, in bytes: header and payload of a
	 * WRITE or of the reply to a READ are shorter, and what is left of it
	 * goes over the wire as zeros. With 8 KiB of data behind it, it still
	 * fits one TCP segment below an MTU of 9000, as soft-iWARP sends it.
	 */
	RPCRDMA2_BLOCK_HEAD	= 704,
};

/**
 * struct rpcrdma2_recvblock - memory of one Receive
 * @rb_buf: its first byte; all of it is contiguous for the CPU
 * @rb_length: its length, in bytes
 * @rb_head: length of the head segment; a page begins behind it
 * @rb_npages: pages it consists of, the one with the head segment included
 * @rb_vmapped: they are contiguous by virtual address only
 * @rb_device: device it is mapped for; NULL if it is not
 * @rb_nsges: entries of @rb_sges
 * @rb_sges: for the Receive; addresses are valid while it is mapped
 */
struct rpcrdma2_recvblock {
	void			*rb_buf;
	u32			rb_length;
	u32			rb_head;
	u32			rb_npages;
	bool			rb_vmapped;
	struct ib_device	*rb_device;
	u32			rb_nsges;
	struct ib_sge		rb_sges[RPCRDMA2_BLOCK_SGES];
};

extern unsigned int rpcrdma2_block_order;

u32 rpcrdma2_recvblock_pages(u32 length, u32 head);
struct rpcrdma2_recvblock *
rpcrdma2_recvblock_alloc(u32 length, u32 head, u32 max_sges, int node, gfp_t gfp);
bool rpcrdma2_recvblock_map(struct rpcrdma2_recvblock *block, struct ib_pd *pd);
void rpcrdma2_recvblock_unmap(struct rpcrdma2_recvblock *block);
void rpcrdma2_recvblock_free(struct rpcrdma2_recvblock *block);
void rpcrdma2_recvblock_for_cpu(struct rpcrdma2_recvblock *block, u32 length);
void rpcrdma2_recvblock_for_device(struct rpcrdma2_recvblock *block, u32 length);
struct page *rpcrdma2_recvblock_page(const struct rpcrdma2_recvblock *block,
				     u32 offset);

#endif /* _RPCRDMA2_MEMORY_H */
