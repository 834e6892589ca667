/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message of the protocol in words of none of its readers, so that what one of
 * them makes of it can be compared with what another does.
 *
 * The readers are the kernel's codec (codec.c), the conformance peer (peer.c), the
 * dissector (messages.c, dissected.py), and what rpcgen makes of the drafts' own XDR
 * (draft.c), by which the others are judged. None of these files includes the headers of another, since their names
 * are the same.
 */
#ifndef XDR_MODEL_H
#define XDR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum {
	M_READS		= 8,
	M_CHUNKS	= 4,
	M_SEGS		= 6,
	M_CHARS		= 8,
	M_GROUPS	= 32,
	M_DATA		= 40,
	M_WORDS		= 4,
	M_ITEMS		= 8,
	M_TBSNS		= 24,
	M_SETS		= 4,
	M_TARGETS	= 8,
	M_BUF		= 8192,
};

/* What a message is; M_FOREIGN is an OPTIONAL of a type that nobody has defined */
enum m_kind {
	M_MSG, M_NOMSG, M_ERROR, M_FOREIGN,
	M_INITXCH, M_REQXCH, M_RESPXCH, M_UPDXCH,
	M_XMTREQ, M_XMTRESP, M_XMTCONT, M_REPTERR,
	M_KINDS
};

struct m_seg {
	u32 handle, length;
	u64 offset;
};

struct m_chunk {
	u32 n;
	struct m_seg seg[M_SEGS];
};

struct m_read {
	u32 position;
	struct m_seg seg;
};

struct m_group {
	u32 count, length, align, flags;
};

/* RBSTRUCT */
struct m_rbs {
	u32 length, n;
	struct m_group group[M_GROUPS];
};

/**
 * struct m_char - a characteristic
 * @id: which one
 * @nr: which element of its message it is
 * @nochg: it will not change
 * @word: its value, of those that have one word
 * @rbs: its value, if it is RBSTRUCT
 * @len: length of @data
 * @data: its value, if its id means nothing
 */
struct m_char {
	u32 id, nr, nochg;
	u32 word;
	struct m_rbs rbs;
	u32 len;
	u8 data[M_DATA];
};

/**
 * struct m_loc - where an item is, or may go
 * @type: xmdp_type
 * @offset: xmdl_offset or xmdrsdl_dsdov
 * @ex: its segments
 * @n: how many there are of @tbsn
 * @tbsn: xmdl_bsnum
 */
struct m_loc {
	u32 type, offset;
	struct m_chunk ex;
	u32 n;
	u32 tbsn[M_TBSNS];
};

struct m_item {
	u32 disp, length;
	struct m_loc loc;
};

struct m_target {
	u32 minlen;
	struct m_loc loc;
};

/* A part of the request; n of the message's targets belong to it */
struct m_set {
	u32 begin, end, n;
};

struct m_id {
	u32 xid, dir, seq;
};

/**
 * struct m_msg - a message
 * @kind: enum m_kind
 * @hlen: length of the header, where the payload begins; not encoded
 * @slack: words of nothing at the end of each xcharsubset
 * @foreign: characteristics whose ids mean nothing, once m_normal() has dropped them
 *
 * The others have the names of the drafts, or are what the structures above are.
 */
struct m_msg {
	u32 kind, hlen, slack, foreign;
	u32 xid, vers, credit, proc, dir;
	u32 inv, nreads, nwrites, has_reply;
	struct m_read reads[M_READS];
	struct m_chunk writes[M_CHUNKS];
	struct m_chunk reply;
	u32 err, low, high, processed, index, needed;
	u32 opttype, info_len;
	u8 info[M_DATA];
	u32 nchars, which_char, nochg_word;
	struct m_char chars[M_CHARS];
	u32 done[M_WORDS], rej[M_WORDS], pend[M_WORDS];
	u32 pendclr;
	u32 nitems, nsets, ntargets;
	struct m_item items[M_ITEMS];
	struct m_set sets[M_SETS];
	struct m_target targets[M_TARGETS];
	u32 count, rsbuf, pslen, xnum, itype;
	struct m_id bad, lead;
	u32 has_lead, which, nargs;
	u32 args[3];
};

/* A constant of the drafts, as a reader has it */
struct m_const {
	const char *name;
	u32 value;
};

/**
 * struct m_gap - something that cannot be tried with a reader
 * @way: "has no", "does not encode", or in other words what is amiss
 * @name: the constant, or the kind of message
 * @why: why not
 */
struct m_gap {
	const char *way;
	const char *name;
	const char *why;
};

/**
 * struct party - a reader of the protocol that is judged
 * @name: for people
 * @encode: returns the length of the header, or -1
 * @decode: returns 0, or -1 if it refuses the message
 * @shape: brings a random message, to be encoded or decoded, into what the reader
 *	ever sends, or takes as sound
 * @keep: clears what the reader does not keep of a message
 * @consts: the numbers it has, with NULL at the end
 * @gaps: what cannot be tried, with NULL at the end
 */
struct party {
	const char *name;
	int (*encode)(const struct m_msg *m, u8 *buf, size_t size);
	int (*decode)(struct m_msg *m, const u8 *buf, size_t len);
	void (*shape)(struct m_msg *m, bool encode);
	void (*keep)(struct m_msg *m);
	const struct m_const *consts;
	const struct m_gap *gaps;
};

/* A message whose bytes are known */
struct m_example {
	const char *name;
	u32 hlen, length;
	const u8 *bytes;
};

extern const struct party codec_party, peer_party;
extern const char *const kind_name[M_KINDS];

bool codec_example(size_t i, struct m_example *ex);

/* gen.c */
extern u64 seed;
u32 rnd(u32 n);
u32 rnd_word(void);
void gen(struct m_msg *m, enum m_kind kind);
size_t gen_payload(const struct m_msg *m, u8 *buf, size_t size);

/* model.c */
void m_normal(struct m_msg *m);
const char *m_differ(const struct m_msg *a, const struct m_msg *b);

/* draft.c */
extern const struct m_const draft_consts[];
extern const char *const draft_types[];
extern const size_t draft_ntypes;
extern u64 *draft_count;
int draft_encode(const struct m_msg *m, u8 *buf, size_t size);
int draft_decode(struct m_msg *m, const u8 *buf, size_t len);
bool draft_known_char(u32 id);

#endif /* XDR_MODEL_H */
