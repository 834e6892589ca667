// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: memory of Receives that data may be placed in.
 *
 *	page 0			page 1		page 2		...
 *	|      (unused) head	| placed	| placed	|
 *	                ^ first byte of the Receive
 *
 * The head segment is the end of a page, so that the segments behind it are
 * whole pages, and yet all of the Receive is one piece: the device needs one
 * SGE, and a message without placed data can be read as it is. When memory is
 * fragmented, the pages come from a few pieces, and are contiguous for the CPU
 * by virtual address.
 *
 * A block stays mapped as long as it is used. It belongs to one connection,
 * and begins as zeros: nothing in it was ever another peer's.
 */

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "memory.h"

/* Order of what is asked of the page allocator in one piece, at most. With 17
 * pages, 5 stands for all of them.
 */
unsigned int rpcrdma2_block_order = RPCRDMA2_BLOCK_ORDER;

/* What is left unused before the first byte. Returns a length in bytes. */
static u32 rpcrdma2_block_lead(u32 head)
{
	return head ? PAGE_SIZE - head : 0;
}

/**
 * rpcrdma2_recvblock_pages - how much memory a block takes
 * @length: length of the Receive, in bytes
 * @head: length of its head segment, in bytes; at most a page
 *
 * Context: Any context.
 * Return: a number of pages
 */
u32 rpcrdma2_recvblock_pages(u32 length, u32 head)
{
	return DIV_ROUND_UP(rpcrdma2_block_lead(head) + length, PAGE_SIZE);
}

/* Allocate pages that are contiguous. @pages: the pages, each of which can be freed
 * alone. Receives are allocated where messages arrive, too. What takes a high order
 * is not worth any compaction: smaller pieces will do. Only what is kept is cleared.
 * False if there is no such memory.
 */
static bool rpcrdma2_chunk_alloc(struct page **pages, u32 count, int node,
				 gfp_t gfp)
{
	unsigned int order = get_order(count << PAGE_SHIFT);
	struct page *page;
	u32 i;

	if (order > PAGE_ALLOC_COSTLY_ORDER)
		gfp |= __GFP_NORETRY;
	page = alloc_pages_node(node, gfp | __GFP_NOWARN, order);
	if (!page)
		return false;
	split_page(page, order);
	for (i = 0; i < count; i++) {
		pages[i] = page + i;
		if (!want_init_on_alloc(gfp))
			clear_page(page_address(pages[i]));
	}
	for (; i < 1U << order; i++)
		__free_page(page + i);
	return true;
}

static void rpcrdma2_pages_free(struct page **pages, u32 count)
{
	while (count--)
		__free_page(pages[count]);
}

/* Allocate the pages of a block. False if there is no such memory. */
static bool rpcrdma2_block_gather(struct page **pages, u32 count, u32 per,
				  int node, gfp_t gfp)
{
	u32 done, n;

	for (done = 0; done < count; done += n) {
		n = min(per, count - done);
		if (!rpcrdma2_chunk_alloc(&pages[done], n, node, gfp)) {
			rpcrdma2_pages_free(pages, done);
			return false;
		}
	}
	return true;
}

/* Note where the pieces of a block are. */
static void rpcrdma2_block_set_sges(struct rpcrdma2_recvblock *block, u32 per)
{
	u32 lead = rpcrdma2_block_lead(block->rb_head);
	u32 done, n;

	for (done = 0; done < block->rb_length; done += n) {
		n = min_t(u32, (per << PAGE_SHIFT) - lead, block->rb_length - done);
		block->rb_sges[block->rb_nsges++].length = n;
		lead = 0;
	}
}

/* Give a block its memory. @pages: belongs to the block if it is vmapped. False if
 * there is no such memory.
 */
static bool rpcrdma2_block_fill(struct rpcrdma2_recvblock *block,
				struct page **pages, u32 per, int node,
				gfp_t gfp)
{
	u32 count = block->rb_npages;
	void *base;

	if (!rpcrdma2_block_gather(pages, count, per, node, gfp))
		return false;
	block->rb_vmapped = per < count;
	if (block->rb_vmapped)
		base = vmap(pages, count, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	else
		base = page_address(pages[0]);
	if (!base) {
		rpcrdma2_pages_free(pages, count);
		return false;
	}
	block->rb_buf = base + rpcrdma2_block_lead(block->rb_head);
	rpcrdma2_block_set_sges(block, per);
	return true;
}

/* The smallest pieces that a block can be made of. The first piece has two pages at
 * least, so that one SGE holds what every peer may send. Returns an order of the
 * page allocator.
 */
static unsigned int rpcrdma2_block_least(u32 count, u32 max_sges)
{
	unsigned int order = 1;

	while (DIV_ROUND_UP(count, 1U << order) > max_sges)
		order++;
	return min_t(unsigned int, order, get_order(count << PAGE_SHIFT));
}

/* How hard to try for pieces of a block. Nothing is reclaimed or moved about for the
 * sake of fewer pieces. Returns how to allocate them.
 */
static gfp_t rpcrdma2_block_gfp(gfp_t gfp, unsigned int order, unsigned int least)
{
	if (order > PAGE_ALLOC_COSTLY_ORDER)
		gfp &= ~__GFP_KSWAPD_RECLAIM;
	return order == least ? gfp : gfp & ~__GFP_DIRECT_RECLAIM;
}

/* Give a block its memory, in as few pieces as possible. @pages: belongs to the
 * block if it is vmapped. False if there is no such memory.
 */
static bool rpcrdma2_block_try(struct rpcrdma2_recvblock *block,
			       struct page **pages, u32 max_sges, int node,
			       gfp_t gfp)
{
	u32 count = block->rb_npages, per;
	unsigned int least = rpcrdma2_block_least(count, max_sges);
	unsigned int order = min_t(unsigned int, get_order(count << PAGE_SHIFT),
				   READ_ONCE(rpcrdma2_block_order));

	for (order = max(order, least); ; order--) {
		per = min(count, 1U << order);
		if (rpcrdma2_block_fill(block, pages, per, node,
					rpcrdma2_block_gfp(gfp, order, least)))
			return true;
		if (order == least)
			return false;
	}
}

/**
 * rpcrdma2_recvblock_alloc - allocate memory for a Receive
 * @length: its length, in bytes
 * @head: length of its head segment, in bytes; at most a page
 * @max_sges: pieces that the device can scatter to
 * @node: memory node
 * @gfp: how to allocate; should not try too hard for what has a fallback
 *
 * Not even vmap() must get memory by writing to the peer. It waits for memory,
 * whatever @gfp says: whoever must not wait gets pages that are contiguous.
 *
 * Context: process context
 * Return: a block that is not mapped, or NULL if there is no such memory
 */
struct rpcrdma2_recvblock *
rpcrdma2_recvblock_alloc(u32 length, u32 head, u32 max_sges, int node, gfp_t gfp)
{
	u32 count = rpcrdma2_recvblock_pages(length, head);
	unsigned int noio = memalloc_noio_save();
	struct rpcrdma2_recvblock *block;
	struct page **pages;

	block = kzalloc_node(sizeof(*block), gfp, node);
	pages = kvmalloc_array(count, sizeof(*pages), gfp);
	if (!block || !pages)
		goto out_free;
	block->rb_length = length;
	block->rb_head = head;
	block->rb_npages = count;
	max_sges = min_t(u32, max_sges, RPCRDMA2_BLOCK_SGES);
	if (!gfpflags_allow_blocking(gfp))
		max_sges = 1;
	if (!rpcrdma2_block_try(block, pages, max_sges, node, gfp))
		goto out_free;
	if (!block->rb_vmapped)
		kvfree(pages);
	memalloc_noio_restore(noio);
	return block;

out_free:
	kvfree(pages);
	kfree(block);
	memalloc_noio_restore(noio);
	return NULL;
}

/**
 * rpcrdma2_recvblock_map - make a block known to a device
 * @block: block that is not mapped
 * @pd: protection domain of the connection
 *
 * Return: %false if it cannot be mapped
 */
bool rpcrdma2_recvblock_map(struct rpcrdma2_recvblock *block, struct ib_pd *pd)
{
	u32 i, offset = 0;

	for (i = 0; i < block->rb_nsges; i++) {
		struct ib_sge *sge = &block->rb_sges[i];
		struct page *page = rpcrdma2_recvblock_page(block, offset);

		sge->lkey = pd->local_dma_lkey;
		sge->addr = ib_dma_map_page(pd->device, page,
					    offset_in_page(block->rb_buf +
							   offset),
					    sge->length, DMA_FROM_DEVICE);
		if (ib_dma_mapping_error(pd->device, sge->addr))
			goto out_unmap;
		offset += sge->length;
	}
	block->rb_device = pd->device;
	return true;

out_unmap:
	while (i--)
		ib_dma_unmap_page(pd->device, block->rb_sges[i].addr,
				  block->rb_sges[i].length, DMA_FROM_DEVICE);
	return false;
}

/**
 * rpcrdma2_recvblock_unmap - let a device forget a block
 * @block: block that is not posted
 */
void rpcrdma2_recvblock_unmap(struct rpcrdma2_recvblock *block)
{
	u32 i;

	if (!block->rb_device)
		return;
	for (i = 0; i < block->rb_nsges; i++)
		ib_dma_unmap_page(block->rb_device, block->rb_sges[i].addr,
				  block->rb_sges[i].length, DMA_FROM_DEVICE);
	block->rb_device = NULL;
}

/**
 * rpcrdma2_recvblock_free - release a block
 * @block: block that is not posted, or NULL
 *
 * Context: process context
 */
void rpcrdma2_recvblock_free(struct rpcrdma2_recvblock *block)
{
	void *base;
	u32 i;

	if (!block)
		return;
	rpcrdma2_recvblock_unmap(block);
	base = block->rb_buf - rpcrdma2_block_lead(block->rb_head);
	if (block->rb_vmapped)
		vfree(base);
	else
		for (i = 0; i < block->rb_npages; i++)
			free_page((unsigned long)base + i * PAGE_SIZE);
	kfree(block);
}

/**
 * rpcrdma2_recvblock_for_cpu - look at what was received
 * @block: mapped block
 * @length: bytes received
 */
void rpcrdma2_recvblock_for_cpu(struct rpcrdma2_recvblock *block, u32 length)
{
	u32 i, n, left = length;

	for (i = 0; i < block->rb_nsges && left; i++, left -= n) {
		n = min(left, block->rb_sges[i].length);
		ib_dma_sync_single_for_cpu(block->rb_device,
					   block->rb_sges[i].addr, n,
					   DMA_FROM_DEVICE);
	}
	if (block->rb_vmapped)
		invalidate_kernel_vmap_range(block->rb_buf, length);
}

/**
 * rpcrdma2_recvblock_for_device - have the CPU done with a block
 * @block: mapped block that the CPU may have written to
 * @length: bytes that it may have touched
 */
void rpcrdma2_recvblock_for_device(struct rpcrdma2_recvblock *block, u32 length)
{
	u32 i, n, left = length;

	if (block->rb_vmapped)
		flush_kernel_vmap_range(block->rb_buf, length);
	for (i = 0; i < block->rb_nsges && left; i++, left -= n) {
		n = min(left, block->rb_sges[i].length);
		ib_dma_sync_single_for_device(block->rb_device,
					      block->rb_sges[i].addr, n,
					      DMA_FROM_DEVICE);
	}
}

/**
 * rpcrdma2_recvblock_page - find the page of a byte
 * @block: the block
 * @offset: the byte, from the start of the Receive
 *
 * Return: the page, which stays the block's
 */
struct page *rpcrdma2_recvblock_page(const struct rpcrdma2_recvblock *block,
				     u32 offset)
{
	const void *addr = block->rb_buf + offset;

	return block->rb_vmapped ? vmalloc_to_page(addr) : virt_to_page(addr);
}
