// SPDX-License-Identifier: GPL-2.0
/*
 * The ledger of ib_dma_map_single() and ib_dma_map_page(): what is mapped, who
 * owns it, and what was synced.
 *
 * With copy=1 the device is given other memory than the caller's. Bytes move
 * between the two when a mapping is made, synced and unmapped, as swiotlb has
 * it, so that a sync that is missing or reversed shows as wrong bytes. Soft-RoCE
 * and soft-iWARP take kernel addresses for DMA addresses.
 */

#include <linux/bitmap.h>
#include <linux/interval_tree_generic.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "ledger_priv.h"

#define LEDGER_START(e)	((e)->start)
#define LEDGER_LAST(e)	((e)->last)

INTERVAL_TREE_DEFINE(struct ledger_entry, node, u64, subtree_last,
		     LEDGER_START, LEDGER_LAST, static, ledger_tree)

static struct rb_root_cached ledger_tree = RB_ROOT_CACHED;

/* The last mappings that were unmapped, to tell twice from never. */
#define LEDGER_PAST	64
static struct {
	struct ib_device		*dev;
	u64				start;
	const struct ledger_site	*site;
} ledger_past[LEDGER_PAST];
static unsigned int ledger_past_next;

static size_t ledger_len(const struct ledger_entry *e)
{
	return e->last - e->start + 1;
}

static bool ledger_to_device(enum dma_data_direction dir)
{
	return dir == DMA_TO_DEVICE || dir == DMA_BIDIRECTIONAL;
}

static bool ledger_from_device(enum dma_data_direction dir)
{
	return dir == DMA_FROM_DEVICE || dir == DMA_BIDIRECTIONAL;
}

/*
 * Several mappings may have one address, unless the device has copies: a page
 * can be on its way twice. The one that fits best is taken for the one that is
 * meant.
 */
static struct ledger_entry *
ledger_at(struct ib_device *dev, u64 addr, size_t len,
	  enum dma_data_direction dir)
{
	struct ledger_entry *e, *best = NULL;
	int points, most = -1;

	for (e = ledger_tree_iter_first(&ledger_tree, addr, addr); e;
	     e = ledger_tree_iter_next(e, addr, addr)) {
		if (e->dev != dev || e->start != addr)
			continue;
		points = 4 * (ledger_len(e) == len) + 2 * (e->dir == dir) +
			 !e->users;
		if (points > most) {
			most = points;
			best = e;
		}
	}
	return best;
}

/**
 * ledger_cover - the mapping that a range of bytes is in
 * @dev: the device
 * @addr: DMA address of the first byte
 * @len: how many bytes
 *
 * Context: under ledger_lock.
 * Return: that mapping, or NULL if there is none.
 */
struct ledger_entry *ledger_cover(struct ib_device *dev, u64 addr, size_t len)
{
	u64 last = addr + max_t(size_t, len, 1) - 1;
	struct ledger_entry *e, *best = NULL;

	lockdep_assert_held(&ledger_lock);
	for (e = ledger_tree_iter_first(&ledger_tree, addr, last); e;
	     e = ledger_tree_iter_next(e, addr, last)) {
		if (e->dev != dev || e->start > addr || e->last < last)
			continue;
		if (e->start == addr && ledger_len(e) == len && !e->users)
			return e;
		if (!best || e->users < best->users)
			best = e;
	}
	return best;
}

/* Another mapping may be the one that is in use. */
static bool ledger_alone(const struct ledger_entry *e)
{
	struct ledger_entry *o;

	for (o = ledger_tree_iter_first(&ledger_tree, e->start, e->last); o;
	     o = ledger_tree_iter_next(o, e->start, e->last))
		if (o != e && o->dev == e->dev)
			return false;
	return true;
}

static const struct ledger_site *
ledger_unmapped_by(struct ib_device *dev, u64 addr)
{
	unsigned int i;

	for (i = 0; i < LEDGER_PAST; i++)
		if (ledger_past[i].dev == dev && ledger_past[i].start == addr)
			return ledger_past[i].site;
	return NULL;
}

static void ledger_remember(const struct ledger_entry *e,
			    const struct ledger_site *site)
{
	unsigned int i = ledger_past_next++ % LEDGER_PAST;

	ledger_past[i].dev = e->dev;
	ledger_past[i].start = e->start;
	ledger_past[i].site = site;
}

/* The address is used anew: who unmaps it next is not the one before. */
static void ledger_forget(const struct ledger_entry *e)
{
	unsigned int i;

	for (i = 0; i < LEDGER_PAST; i++)
		if (ledger_past[i].dev == e->dev &&
		    ledger_past[i].start == e->start)
			ledger_past[i].dev = NULL;
}

static void ledger_free(struct ledger_entry *e)
{
	if (e->copy)
		memset(e->copy, LEDGER_POISON, ledger_len(e));
	kfree(e->copy);
	bitmap_free(e->synced);
	kfree(e);
}

/* The words that a range is in. */
static unsigned int ledger_word(size_t offset)
{
	return offset / LEDGER_GRAIN;
}

static unsigned int ledger_words(size_t offset, size_t len)
{
	return DIV_ROUND_UP(offset + len, LEDGER_GRAIN) - ledger_word(offset);
}

/* Requests still point at a mapping that went before they were complete. */
static void ledger_put(struct ledger_entry *e)
{
	if (e->gone && !e->users)
		ledger_free(e);
}

/**
 * ledger_unuse - a request that uses a mapping is complete
 * @e: the mapping
 *
 * Context: under ledger_lock.
 */
void ledger_unuse(struct ledger_entry *e)
{
	lockdep_assert_held(&ledger_lock);
	e->users--;
	ledger_put(e);
}

static bool ledger_tracked(struct ledger_entry *e, size_t len)
{
	if (!e->single || !ledger_to_device(e->dir))
		return true;
	e->synced = bitmap_alloc(ledger_words(0, len), GFP_ATOMIC | __GFP_NOWARN);
	if (!e->synced)
		return false;
	bitmap_fill(e->synced, ledger_words(0, len));
	return true;
}

static bool ledger_copied(struct ledger_entry *e, size_t len)
{
	if (!ledger_copy)
		return true;
	e->copy = kmalloc(len, GFP_ATOMIC | __GFP_NOWARN);
	if (!e->copy)
		return false;
	memcpy(e->copy, e->cpu, len);
	return true;
}

/**
 * ledger_map - ib_dma_map_single() or ib_dma_map_page()
 * @dev: the device
 * @cpu: what is mapped
 * @len: its length in bytes
 * @dir: where bytes will go
 * @single: it is ib_dma_map_single()
 * @site: the caller
 *
 * Return: the DMA address, or one that ledger_mapping_error() knows for bad.
 */
u64 ledger_map(struct ib_device *dev, void *cpu, size_t len,
	       enum dma_data_direction dir, bool single,
	       const struct ledger_site *site)
{
	struct ledger_entry *e;
	unsigned long flags;

	if (WARN_ON_ONCE(!ib_uses_virt_dma(dev)) ||
	    ledger_fault(LEDGER_FAULT_MAP, site))
		return LEDGER_NO_ADDR;
	e = kzalloc_obj(*e, GFP_ATOMIC | __GFP_NOWARN);
	if (!e)
		return LEDGER_NO_ADDR;
	e->dev = dev;
	e->cpu = cpu;
	e->dir = dir;
	e->single = single;
	e->site = site;
	e->last = len - 1;
	if (!len || !ledger_tracked(e, len) || !ledger_copied(e, len)) {
		ledger_free(e);
		return LEDGER_NO_ADDR;
	}
	e->start = (uintptr_t)(e->copy ?: cpu);
	e->last = e->start + len - 1;
	spin_lock_irqsave(&ledger_lock, flags);
	ledger_tree_insert(e, &ledger_tree);
	ledger_forget(e);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return e->start;
}
EXPORT_SYMBOL_GPL(ledger_map);

/**
 * ledger_mapping_error - ib_dma_mapping_error()
 * @dev: the device
 * @addr: what mapping has returned
 *
 * Return: 1 if it is no address.
 */
int ledger_mapping_error(struct ib_device *dev, u64 addr)
{
	struct ledger_entry *e;
	unsigned long flags;

	if (addr == LEDGER_NO_ADDR)
		return 1;
	spin_lock_irqsave(&ledger_lock, flags);
	for (e = ledger_tree_iter_first(&ledger_tree, addr, addr); e;
	     e = ledger_tree_iter_next(e, addr, addr))
		if (e->dev == dev && e->start == addr)
			e->checked = true;
	spin_unlock_irqrestore(&ledger_lock, flags);
	return 0;
}
EXPORT_SYMBOL_GPL(ledger_mapping_error);

static void ledger_judge_unmap(struct ledger_entry *e, size_t len,
			       enum dma_data_direction dir,
			       const struct ledger_site *site)
{
	if (ledger_len(e) != len)
		ledger_accuse(e->dev, LEDGER_UNMAP_LENGTH, site, e->site,
			      e->start, len);
	if (e->dir != dir)
		ledger_accuse(e->dev, LEDGER_UNMAP_DIRECTION, site, e->site,
			      e->start, len);
	if (e->users && ledger_alone(e))
		ledger_accuse(e->dev, LEDGER_UNMAP_BUSY, site, e->site,
			      e->start, len);
}

/**
 * ledger_unmap - ib_dma_unmap_single() or ib_dma_unmap_page()
 * @dev: the device
 * @addr: the DMA address
 * @len: the length that was mapped
 * @dir: the direction that was mapped
 * @site: the caller
 */
void ledger_unmap(struct ib_device *dev, u64 addr, size_t len,
		  enum dma_data_direction dir, const struct ledger_site *site)
{
	const struct ledger_site *before;
	struct ledger_entry *e;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	e = ledger_at(dev, addr, len, dir);
	if (!e) {
		before = ledger_unmapped_by(dev, addr);
		ledger_accuse(dev, before ? LEDGER_UNMAP_TWICE :
			      LEDGER_UNMAP_UNKNOWN, site, before, addr, len);
		goto out;
	}
	ledger_judge_unmap(e, len, dir, site);
	ledger_tree_remove(e, &ledger_tree);
	ledger_remember(e, site);
	if (e->copy && ledger_from_device(dir))
		memcpy(e->cpu, e->copy, min(len, ledger_len(e)));
	e->gone = true;
	ledger_put(e);
out:
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_unmap);

/* Finds what a sync is about; complains if there is no such thing. */
static struct ledger_entry *
ledger_synced(struct ib_device *dev, u64 addr, size_t len,
	      enum dma_data_direction dir, const struct ledger_site *site)
{
	struct ledger_entry *e = ledger_cover(dev, addr, len);

	if (!e) {
		ledger_accuse(dev, LEDGER_SYNC_UNKNOWN, site, NULL, addr, len);
		return NULL;
	}
	if (e->dir != dir)
		ledger_accuse(dev, LEDGER_SYNC_DIRECTION, site, e->site, addr,
			      len);
	return e;
}

/* Gives what a sync is about to its new @owner. */
static void ledger_sync(struct ib_device *dev, u64 addr, size_t len,
			enum dma_data_direction dir,
			void (*owner)(struct ledger_entry *e, size_t from, size_t len),
			const struct ledger_site *site)
{
	struct ledger_entry *e;
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	e = ledger_synced(dev, addr, len, dir, site);
	if (e)
		owner(e, addr - e->start, len);
	spin_unlock_irqrestore(&ledger_lock, flags);
}

static void ledger_to_the_cpu(struct ledger_entry *e, size_t from, size_t len)
{
	e->cpu_owns = true;
	if (from + len >= e->filled)
		e->filled = 0;
	if (from <= e->seen)
		e->seen = max(e->seen, from + len);
	if (e->copy && ledger_from_device(e->dir))
		memcpy(e->cpu + from, e->copy + from, len);
}

static void ledger_to_the_device(struct ledger_entry *e, size_t from, size_t len)
{
	e->cpu_owns = false;
	if (e->synced)
		bitmap_set(e->synced, ledger_word(from), ledger_words(from, len));
	if (!from && len >= e->seen)
		e->seen = 0;
	if (e->copy && ledger_to_device(e->dir))
		memcpy(e->copy + from, e->cpu + from, len);
}

/**
 * ledger_sync_for_cpu - ib_dma_sync_single_for_cpu()
 * @dev: the device
 * @addr: DMA address of the first byte
 * @len: how many bytes
 * @dir: the direction of the mapping
 * @site: the caller
 */
void ledger_sync_for_cpu(struct ib_device *dev, u64 addr, size_t len,
			 enum dma_data_direction dir,
			 const struct ledger_site *site)
{
	ledger_sync(dev, addr, len, dir, ledger_to_the_cpu, site);
}
EXPORT_SYMBOL_GPL(ledger_sync_for_cpu);

/**
 * ledger_sync_for_device - ib_dma_sync_single_for_device()
 * @dev: the device
 * @addr: DMA address of the first byte
 * @len: how many bytes
 * @dir: the direction of the mapping
 * @site: the caller
 */
void ledger_sync_for_device(struct ib_device *dev, u64 addr, size_t len,
			    enum dma_data_direction dir,
			    const struct ledger_site *site)
{
	ledger_sync(dev, addr, len, dir, ledger_to_the_device, site);
}
EXPORT_SYMBOL_GPL(ledger_sync_for_device);

static void ledger_judge_send(struct ledger_entry *e, const struct ib_sge *sge,
			      const struct ledger_site *site)
{
	size_t from = sge->addr - e->start;
	unsigned int end;

	if (!ledger_to_device(e->dir))
		ledger_accuse(e->dev, LEDGER_POST_DIRECTION, site, e->site,
			      sge->addr, sge->length);
	/* pages may change while they are sent, as any file's may */
	if (!e->synced)
		return;
	end = ledger_word(from) + ledger_words(from, sge->length);
	if (find_next_zero_bit(e->synced, end, ledger_word(from)) < end)
		ledger_accuse(e->dev, LEDGER_POST_UNSYNCED, site, e->site,
			      sge->addr, sge->length);
	else if (e->copy && memcmp(e->copy + from, e->cpu + from, sge->length))
		ledger_accuse(e->dev, LEDGER_POST_CHANGED, site, e->site,
			      sge->addr, sge->length);
	/* what is sent next is another message */
	bitmap_clear(e->synced, ledger_word(from), end - ledger_word(from));
}

static void ledger_judge_recv(struct ledger_entry *e, const struct ib_sge *sge,
			      const struct ledger_site *site)
{
	size_t from = sge->addr - e->start;

	if (!ledger_from_device(e->dir))
		ledger_accuse(e->dev, LEDGER_POST_DIRECTION, site, e->site,
			      sge->addr, sge->length);
	if (e->filled)
		ledger_accuse(e->dev, LEDGER_RECV_UNREAD, site, e->site,
			      sge->addr, e->filled);
	if (e->copy && memcmp(e->copy, e->cpu, e->seen))
		ledger_accuse(e->dev, LEDGER_RECV_WRITTEN, site, e->site,
			      sge->addr, e->seen);
	e->filled = 0;
	e->seen = 0;
	/* what is read before it is synced shall not look like a message */
	if (e->copy && e->dir == DMA_FROM_DEVICE) {
		memset(e->cpu + from, LEDGER_POISON, sge->length);
		memset(e->copy + from, LEDGER_POISON, sge->length);
	}
}

/**
 * ledger_judge_post - a request is about to be posted that uses a mapping
 * @dev: the device
 * @e: that mapping
 * @sge: the part that is used
 * @recv: by a Receive
 * @site: the caller
 *
 * Context: under ledger_lock.
 */
void ledger_judge_post(struct ib_device *dev, struct ledger_entry *e,
		       const struct ib_sge *sge, bool recv,
		       const struct ledger_site *site)
{
	lockdep_assert_held(&ledger_lock);
	if (!e->checked)
		ledger_accuse(dev, LEDGER_POST_UNCHECKED, site, e->site,
			      sge->addr, sge->length);
	if (e->dir == DMA_BIDIRECTIONAL && e->cpu_owns)
		ledger_accuse(dev, LEDGER_POST_CPU, site, e->site, sge->addr,
			      sge->length);
	if (recv)
		ledger_judge_recv(e, sge, site);
	else
		ledger_judge_send(e, sge, site);
}

/**
 * ledger_received - the device has written to a mapping
 * @e: the mapping
 * @addr: where it began
 * @len: how many bytes
 *
 * Context: under ledger_lock.
 */
void ledger_received(struct ledger_entry *e, u64 addr, size_t len)
{
	lockdep_assert_held(&ledger_lock);
	if (len)
		e->filled = max(e->filled, (size_t)(addr - e->start) + len);
}

/**
 * ledger_maps_end - what is still mapped is a leak
 * @dev: of this device only, or NULL
 *
 * Context: under ledger_lock.
 */
void ledger_maps_end(struct ib_device *dev)
{
	struct ledger_entry *e, *next;

	for (e = ledger_tree_iter_first(&ledger_tree, 0, ULLONG_MAX); e;
	     e = next) {
		next = ledger_tree_iter_next(e, 0, ULLONG_MAX);
		if (dev && e->dev != dev)
			continue;
		ledger_accuse(e->dev, LEDGER_LEAK, e->site, NULL, e->start,
			      ledger_len(e));
		ledger_tree_remove(e, &ledger_tree);
		e->gone = true;
		ledger_put(e);
	}
	memset(ledger_past, 0, sizeof(ledger_past));
}

/**
 * ledger_maps_show - prints what is mapped, for people
 * @m: where to
 *
 * Context: under ledger_lock.
 */
void ledger_maps_show(struct seq_file *m)
{
	struct ledger_entry *e;

	for (e = ledger_tree_iter_first(&ledger_tree, 0, ULLONG_MAX); e;
	     e = ledger_tree_iter_next(e, 0, ULLONG_MAX))
		seq_printf(m, "%s %zu bytes, direction %d, %u users, %s:%u\n",
			   e->single ? "single" : "page", ledger_len(e),
			   e->dir, e->users, e->site->func, e->site->line);
}
