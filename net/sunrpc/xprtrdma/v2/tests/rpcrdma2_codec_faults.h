/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: what may be wrong with a message, and what is not.
 *
 * A row is an example with a few words changed, or words of its own, and what
 * the codec has to say of it. Ids are those of the conformance checklist.
 */

#ifndef _RPCRDMA2_CODEC_FAULTS_H
#define _RPCRDMA2_CODEC_FAULTS_H

#include "rpcrdma2_codec_examples.h"
#include "rpcrdma2_codec_roundtrip.h"

/**
 * struct codec_patch - a changed word
 * @at: its offset in bytes; 0 ends the list
 * @val: its new value
 */
struct codec_patch {
	u32	at;
	u32	val;
};

/**
 * struct codec_fault - a message, and what there is to say of it
 * @ids: requirements that the row serves
 * @desc: what is special about the message
 * @base: example that it is made from, unless it has @words
 * @words: the message, if there is no example for it
 * @nwords: how many
 * @patch: what is changed
 * @length: bytes received, if not all of the example; behind it come zeros
 * @verdict: what rpcrdma2_decode() returns
 * @rc: what the decoder of the opttype then returns
 * @dir: direction that is found
 * @mismatch: the payload is not that of the header
 * @lim: limits, if not codec_limits
 */
struct codec_fault {
	const char			*ids;
	const char			*desc;
	u32				base;
	const u32			*words;
	u32				nwords;
	struct codec_patch		patch[6];
	u32				length;
	enum rpcrdma2_verdict		verdict;
	int				rc;
	u32				dir;
	bool				mismatch;
	const struct rpcrdma2_limits	*lim;
};

#define CALL		.dir = RDMA2_CALL
#define REPLY		.dir = RDMA2_REPLY
#define UNKNOWN		.dir = RDMA2_DIR_UNKNOWN
#define OK		.verdict = RPCRDMA2_OK
#define SHORT		.verdict = RPCRDMA2_SHORT
#define VERS		.verdict = RPCRDMA2_BAD_VERS
#define PROC		.verdict = RPCRDMA2_BAD_PROC
#define XDR		.verdict = RPCRDMA2_BAD_XDR
#define OPTION		.verdict = RPCRDMA2_BAD_OPTION
/* The header is sound, rdma_optinfo is not */
#define INFO		.verdict = RPCRDMA2_OK, .rc = -EBADMSG
#define LEN(n)		.length = (n)
#define SET(...)	.patch = { __VA_ARGS__ }

#define XID		0x11223344

/* Messages: from the first list, or the length of rdma_optinfo, on */
#define MSG(dir, ...)							\
	RPCRDMA2_WORDS(XID, 2, 32, RDMA2_MSG, dir, 0, __VA_ARGS__)
#define NOMSG(dir, ...)							\
	RPCRDMA2_WORDS(XID, 2, 32, RDMA2_NOMSG, dir, 0, __VA_ARGS__)
#define OPT(dir, type, ...)						\
	RPCRDMA2_WORDS(XID, 2, 32, RDMA2_OPTIONAL, dir, type, __VA_ARGS__)

#define JUST(...)	__VA_ARGS__

/* A segment, and an entry of the Read list; its handle and offset do not matter */
#define SEG(len)	JUST(0x77, len, 0, 0x1000)
#define RSEG(pos, len)	JUST(1, pos, 0x77, len, 0, 0x1000)

static const struct rpcrdma2_limits codec_no_lists = {
	.max_message	= 1 << 20,
	.opttypes	= 0,
};

static const struct rpcrdma2_limits codec_no_xmtreq = {
	.max_message	= 1 << 20,
	.opttypes	= BIT(ROPT_INITXCH),
};

static const struct codec_fault codec_faults[] = {
	/* D.1: fixed words */
	{ "N-01", "15 bytes", EX_E1, LEN(15), SHORT, UNKNOWN },
	{ "N-01", "1 byte", EX_E1, LEN(1), SHORT, UNKNOWN },
	{ "N-02 A-19", "16 bytes of MSG", EX_E1, LEN(16), XDR, UNKNOWN },
	{ "N-02", "direction cut", EX_E1, LEN(19), XDR, UNKNOWN },
	{ "N-02", "cut behind a direction of CALL", EX_E1, LEN(20), XDR, CALL },
	{ "N-02", "cut behind a direction of REPLY", EX_E1, SET({ 16, 1 }), LEN(20), XDR, REPLY },
	{ "N-02", "last word of the header missing", EX_E1, LEN(32), XDR, CALL },
	{ "N-02", "last byte of the header missing", EX_E1, LEN(35), XDR, CALL },
	{ "N-02", "Read list cut", EX_E12, LEN(47), XDR, CALL },
	{ "N-02", "Write chunk cut", EX_E11, LEN(51), XDR, CALL },
	{ "N-03", "version 0", EX_E1, SET({ 4, 0 }), VERS, UNKNOWN },
	{ "N-03", "version 3", EX_E1, SET({ 4, 3 }), VERS, UNKNOWN },
	{ "N-03", "version 0xffffffff", EX_E1, SET({ 4, ~0U }), VERS, UNKNOWN },
	{ "N-03 B-02", "version 7 with a garbage body", EX_E1,
	  SET({ 4, 7 }, { 16, 9 }, { 24, 9 }), VERS, UNKNOWN },
	{ "N-03", "version 3, 16 bytes", EX_E1, SET({ 4, 3 }), LEN(16), VERS, UNKNOWN },
	{ "N-04", "version 1", EX_E1, SET({ 4, 1 }), VERS, UNKNOWN },
	{ "N-05 B-19", "version 3 and proc 9", EX_E1, SET({ 4, 3 }, { 12, 9 }), VERS, UNKNOWN },
	{ "N-06", "proc 2", EX_E1, SET({ 12, 2 }), PROC, UNKNOWN },
	{ "N-06", "proc 3", EX_E1, SET({ 12, 3 }), PROC, UNKNOWN },
	{ "N-06", "proc 6", EX_E1, SET({ 12, 6 }), PROC, UNKNOWN },
	{ "N-06", "proc 0x80000000", EX_E1, SET({ 12, 0x80000000 }), PROC, UNKNOWN },
	{ "N-06 B-19", "proc 6, 16 bytes", EX_E1, SET({ 12, 6 }), LEN(16), PROC, UNKNOWN },
	{ "N-07", "credit 0", EX_E1, SET({ 8, 0 }), OK, CALL },
	{ "N-07", "credit 0xffffffff", EX_E1, SET({ 8, ~0U }), OK, CALL },

	/* D.1: MSG and NOMSG */
	{ "N-11 B-12", "direction 2", EX_E1, SET({ 16, 2 }), XDR, UNKNOWN },
	{ "N-11", "direction 0x01000000", EX_E1, SET({ 16, 0x01000000 }), XDR, UNKNOWN },
	{ "N-11 B-19", "direction 2 in front of a bad list", EX_E1,
	  SET({ 16, 2 }, { 24, 2 }), XDR, UNKNOWN },
	{ "N-12 A-08", "Read list word 2", EX_E12, SET({ 24, 2 }), XDR, CALL },
	{ "N-12 A-08", "Read list ended by 2", EX_E12, SET({ 48, 2 }), XDR, CALL },
	{ "N-12 A-08", "Write list word 2", EX_E11, SET({ 28, 2 }), XDR, CALL },
	{ "N-12 A-08", "Write list ended by 0xffffffff", EX_E11, SET({ 52, ~0U }), XDR, CALL },
	{ "N-12 A-08", "Reply chunk word 2", EX_E11, SET({ 56, 2 }), XDR, CALL },
	{ "N-12 A-08", "Reply chunk word 2 in a reply", EX_E11,
	  SET({ 16, 1 }, { 56, 2 }), XDR, REPLY },
	{ "N-12 S-11", "Write chunk of 0xffffffff segments", EX_E11, SET({ 32, ~0U }), XDR, CALL },
	{ "N-12 S-11", "Write chunk of 0x10000001 segments", EX_E11,
	  SET({ 32, 0x10000001 }), XDR, CALL },
	{ "N-12", "Write chunk of a segment too many", EX_E11, SET({ 32, 3 }), XDR, CALL },
	{ "N-12 S-11", "Reply chunk of 0xffffffff segments",
	  NOMSG(1, 0, 0, 1, ~0U, SEG(64)), XDR, REPLY },
	{ "N-12", "Reply chunk of a segment too many",
	  NOMSG(1, 0, 0, 1, 2, SEG(64)), XDR, REPLY },
	{ "N-12", "8 Read segments",
	  MSG(0, RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), RSEG(4, 8),
	      RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), 0, 0, 0, XID, 0), OK, CALL },
	{ "N-12 A-20", "more Read segments than supported",
	  MSG(0, RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), RSEG(4, 8),
	      RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), RSEG(4, 8), 0, 0, 0, XID, 0), XDR, CALL },
	{ "N-12", "8 segments in a Reply chunk",
	  MSG(0, 0, 0, 1, 8, SEG(1), SEG(1), SEG(1), SEG(1), SEG(1), SEG(1),
	      SEG(1), SEG(1), XID, 0), OK, CALL },
	{ "N-12 A-20", "more segments in a chunk than supported",
	  MSG(0, 0, 0, 1, 9, SEG(1), SEG(1), SEG(1), SEG(1), SEG(1), SEG(1),
	      SEG(1), SEG(1), SEG(1), XID, 0), XDR, CALL },
	{ "N-12", "4 Write chunks",
	  MSG(0, 0, 1, 1, SEG(1), 1, 1, SEG(1), 1, 1, SEG(1), 1, 1, SEG(1), 0, 0,
	      XID, 0), OK, CALL },
	{ "N-12 A-20", "more Write chunks than supported",
	  MSG(0, 0, 1, 1, SEG(1), 1, 1, SEG(1), 1, 1, SEG(1), 1, 1, SEG(1),
	      1, 1, SEG(1), 0, 0, XID, 0), XDR, CALL },
	{ "N-12", "Write chunk without segments",
	  MSG(0, 0, 1, 0, 0, 0, XID, 0), OK, CALL },
	{ "N-15", "Write segment of length 0", EX_E11, SET({ 40, 0 }), OK, CALL },
	{ "N-15", "Read segment of length 0",
	  MSG(0, RSEG(8, 0), 0, 0, 0, XID, 0), OK, CALL },
	{ "N-16", "Write chunk of 0xffffffff bytes",
	  MSG(0, 0, 1, 2, SEG(0x80000000), SEG(0x7fffffff), 0, 0, XID, 0), OK, CALL },
	{ "N-16", "Write chunk beyond 32 bit",
	  MSG(0, 0, 1, 2, SEG(0x80000000), SEG(0x80000000), 0, 0, XID, 0), XDR, CALL },
	{ "N-16", "two Write chunks, together beyond 32 bit",
	  MSG(0, 0, 1, 1, SEG(0x80000000), 1, 1, SEG(0x80000000), 0, 0, XID, 0),
	  OK, CALL },
	{ "N-16", "Reply chunk beyond 32 bit",
	  MSG(0, 0, 0, 1, 2, SEG(0x80000000), SEG(0x80000000), XID, 0), XDR, CALL },
	{ "N-16", "Read chunk beyond 32 bit",
	  MSG(0, RSEG(8, 0x80000000), RSEG(8, 0x80000000), 0, 0, 0, XID, 0),
	  XDR, CALL },
	{ "N-16", "Read chunk just below the longest message",
	  MSG(0, RSEG(8, (1 << 20) - 8), 0, 0, 0, XID, 0), OK, CALL },
	{ "N-16", "Read chunk and payload above the longest message",
	  MSG(0, RSEG(8, (1 << 20) - 7), 0, 0, 0, XID, 0), XDR, CALL },
	{ "N-16", "two Read chunks above the longest message",
	  MSG(0, RSEG(4, 1 << 19), RSEG((1 << 19) + 8, 1 << 19), 0, 0, 0, XID, 0),
	  XDR, CALL },
	{ "N-16", "position-zero chunk above the longest message", EX_E12,
	  SET({ 36, (1 << 20) + 1 }), XDR, CALL },
	{ "N-16", "position-zero chunk of the longest message", EX_E12,
	  SET({ 36, 1 << 20 }), OK, CALL },
	{ "N-16", "position-zero chunk whose length wraps",
	  NOMSG(0, RSEG(0, 0xffffff80), RSEG(0, 0x100), 0, 0, 0), XDR, CALL },
	{ "N-17", "MSG without payload", EX_E1, LEN(36), XDR, CALL },
	{ "N-17", "payload of 7 bytes", EX_E1, LEN(43), XDR, CALL },
	{ "N-17", "payload of 8 bytes", EX_E1, LEN(44), OK, CALL },
	{ "N-17", "payload of 7 bytes in a reply", EX_E1, SET({ 16, 1 }, { 40, 1 }), LEN(43),
	  XDR, REPLY },
	{ "N-18 B-18", "payload with another xid", EX_E1, SET({ 36, 0xa1b20002 }), XDR, CALL,
	  .mismatch = true },
	{ "N-18 B-04", "REPLY in a payload of direction CALL", EX_E1, SET({ 40, 1 }), XDR, CALL,
	  .mismatch = true },
	{ "N-18 B-04", "CALL in a payload of direction REPLY", EX_E1, SET({ 16, 1 }), XDR, REPLY,
	  .mismatch = true },
	{ "N-18", "reply with another xid in the payload", EX_E1,
	  SET({ 16, 1 }, { 36, 1 }, { 40, 1 }), XDR, REPLY, .mismatch = true },
	{ "N-21", "Read position 2",
	  MSG(0, RSEG(2, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "Read position at the end of the payload",
	  MSG(0, RSEG(12, 8), 0, 0, 0, XID, 0, 0), OK, CALL },
	{ "N-21", "Read position beyond the payload",
	  MSG(0, RSEG(16, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "Read position 0xfffffffc",
	  MSG(0, RSEG(0xfffffffc, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "two Read chunks, one behind the other",
	  MSG(0, RSEG(8, 5), RSEG(16, 8), 0, 0, 0, XID, 0, 0), OK, CALL },
	{ "N-21", "second Read chunk beyond the stream",
	  MSG(0, RSEG(8, 5), RSEG(24, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "Read chunks that overlap",
	  MSG(0, RSEG(8, 8), RSEG(12, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "Read chunk in the padding of another",
	  MSG(0, RSEG(8, 13), RSEG(20, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "Read chunks in descending order",
	  MSG(0, RSEG(16, 8), RSEG(8, 8), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-21", "segments of two Read chunks mixed",
	  MSG(0, RSEG(8, 4), RSEG(12, 4), RSEG(8, 4), 0, 0, 0, XID, 0, 0), XDR, CALL },
	{ "N-22", "MSG with a position-zero chunk",
	  MSG(0, RSEG(0, 100), 0, 0, 0, XID, 0), XDR, CALL },
	{ "N-23 B-17", "NOMSG Call with no lists",
	  NOMSG(0, 0, 0, 0, XID, 0), XDR, CALL },
	{ "N-23", "NOMSG Call with a Read chunk elsewhere", EX_E12, SET({ 28, 4 }), XDR, CALL },
	{ "N-23", "NOMSG Call with a Reply chunk only",
	  NOMSG(0, 0, 0, 1, 1, SEG(64)), XDR, CALL },
	{ "N-23 B-17", "NOMSG reply without Reply chunk",
	  NOMSG(1, 0, 1, 1, SEG(64), 0, 0), XDR, REPLY },
	{ "N-23", "NOMSG reply with a Reply chunk",
	  NOMSG(1, 0, 0, 1, 1, SEG(64)), OK, REPLY },
	{ "N-20 N-23", "position-zero chunk of 7 bytes", EX_E12, SET({ 36, 7 }), XDR, CALL },
	{ "N-21", "Read chunk inside of a position-zero chunk",
	  NOMSG(0, RSEG(0, 100), RSEG(40, 8192), 0, 0, 0), OK, CALL },
	{ "N-21", "Read chunk beyond a position-zero chunk",
	  NOMSG(0, RSEG(0, 100), RSEG(104, 8192), 0, 0, 0), XDR, CALL },
	{ "N-21", "position-zero chunk behind another",
	  NOMSG(0, RSEG(40, 0), RSEG(0, 100), 0, 0, 0), XDR, CALL },
	{ "N-25 A-15", "NOMSG with trailing bytes", EX_E12, LEN(100), OK, CALL },
	{ "N-26", "reply with a Read list",
	  MSG(1, RSEG(8, 8), 0, 0, 0, XID, 1), XDR, REPLY },
	{ "N-28 A-23", "inv_handle that is not in the Call", EX_E11,
	  SET({ 20, 0x9999 }), OK, CALL },
	{ "N-33 D-28", "any list where none is supported", EX_E11, XDR, CALL,
	  .lim = &codec_no_lists },
	{ "N-33", "no list where none is supported", EX_E1, OK, CALL, .lim = &codec_no_lists },
	{ "N-33 D-28", "Read list where none is supported", EX_E12, XDR, CALL,
	  .lim = &codec_no_lists },

	/* D.2: ERROR */
	{ "N-41", "no rdma_err", EX_E10D, LEN(16), XDR, REPLY },
	{ "N-41", "rdma_err cut", EX_E10D, LEN(19), XDR, REPLY },
	{ "N-41", "rdma_err 0", EX_E10D, SET({ 16, 0 }), XDR, REPLY },
	{ "N-41", "rdma_err 6", EX_E10D, SET({ 16, 6 }), XDR, REPLY },
	{ "N-41", "rdma_err 0xffffffff", EX_E10D, SET({ 16, ~0U }), XDR, REPLY },
	{ "N-41", "VERS without a range", EX_E10A, LEN(20), XDR, REPLY },
	{ "N-41", "VERS with half a range", EX_E10A, LEN(24), XDR, REPLY },
	{ "N-41", "CANT_REPLY without rdma_processed", EX_E10B, LEN(20), XDR, REPLY },
	{ "N-41", "CANT_REPLY without a length", EX_E10B, LEN(31), XDR, REPLY },
	{ "N-44", "VERS with low above high", EX_E10A, SET({ 20, 3 }), OK, REPLY },
	{ "N-47", "rdma_processed 2", EX_E10B, SET({ 20, 2 }), XDR, REPLY },
	{ "N-47", "length needed 0xffffffff", EX_E10B, SET({ 28, ~0U }), OK, REPLY },
	{ "N-51 A-16", "ERROR with trailing bytes", EX_E10D, LEN(64), OK, REPLY },
	{ "A-36 B-94", "VERS in an ERROR of version 1", EX_E10A, SET({ 4, 1 }), OK, REPLY },
	{ "A-36", "VERS in an ERROR of version 99", EX_E10A, SET({ 4, 99 }), OK, REPLY },
	{ "A-36 N-41", "VERS in an ERROR of version 1, cut", EX_E10A, SET({ 4, 1 }), LEN(24),
	  XDR, REPLY },
	{ "A-36 N-03", "BAD_XDR in an ERROR of version 1", EX_E10D, SET({ 4, 1 }), VERS, REPLY },
	{ "A-36 N-03", "ERROR of version 1, cut", EX_E10A, SET({ 4, 1 }), LEN(16), VERS, REPLY },

	/* D.3: OPTIONAL */
	{ "N-61", "OPTIONAL of 16 bytes", EX_E2, LEN(16), XDR, UNKNOWN },
	{ "N-61", "OPTIONAL cut behind its direction", EX_E2, LEN(20), XDR, CALL },
	{ "N-61", "OPTIONAL cut behind its direction, REPLY", EX_E3, LEN(20), XDR, REPLY },
	{ "N-61", "OPTIONAL of 27 bytes", EX_E2, LEN(27), XDR, CALL },
	{ "N-61 B-19", "unknown opttype without length", EX_E2,
	  SET({ 20, 99 }), LEN(24), XDR, CALL },
	{ "N-62", "optdir 2", EX_E2, SET({ 16, 2 }), XDR, UNKNOWN },
	{ "N-62 B-19", "optdir 2 and unknown opttype", EX_E2, SET({ 16, 2 }, { 20, 99 }),
	  XDR, UNKNOWN },
	{ "N-63", "optinfo one byte longer than the Send", EX_E2, SET({ 24, 49 }), XDR, CALL },
	{ "N-63", "optinfo length 0xffffffff", EX_E2, SET({ 24, ~0U }), XDR, CALL },
	{ "N-63", "optinfo length 0xfffffffd", EX_E2, SET({ 24, 0xfffffffd }), XDR, CALL },
	{ "N-63", "optinfo length 0xfffffffc", EX_E2, SET({ 24, 0xfffffffc }), XDR, CALL },
	{ "N-63", "optinfo longer than the Send, REPLY", EX_E3, SET({ 24, 0x70 }), XDR, REPLY },
	{ "N-63", "padding of optinfo cut", EX_E2,
	  SET({ 20, 99 }, { 24, 47 }), LEN(75), XDR, CALL },
	{ "N-64 B-51", "opttype 0", EX_E2, SET({ 20, 0 }), OPTION, CALL },
	{ "N-64 B-51", "opttype 9", EX_E2, SET({ 20, 9 }), OPTION, CALL },
	{ "N-64 B-51", "opttype 32", EX_E2, SET({ 20, 32 }), OPTION, CALL },
	{ "N-64 B-51", "opttype 33", EX_E2, SET({ 20, 33 }), OPTION, CALL },
	{ "N-64 B-51", "opttype 0xffffffff", EX_E2, SET({ 20, ~0U }), OPTION, CALL },
	{ "N-64 B-51", "opttype 9, REPLY", EX_E3, SET({ 20, 9 }), OPTION, REPLY },
	{ "N-64", "unknown opttype, no optinfo", EX_E2, SET({ 20, 9 }, { 24, 0 }), LEN(28),
	  OPTION, CALL },
	{ "N-64", "unknown opttype, 5 bytes of optinfo", EX_E2, SET({ 20, 9 }, { 24, 5 }),
	  OPTION, CALL },
	{ "N-64 B-19", "unknown opttype, optinfo beyond the Send", EX_E2,
	  SET({ 20, 9 }, { 24, 52 }), XDR, CALL },
	{ "N-63 N-64 B-19", "unknown opttype, optinfo length 0xfffffffd", EX_E2,
	  SET({ 20, 99 }, { 24, 0xfffffffd }), XDR, CALL },
	{ "N-65 X-22", "INITXCH where it is not supported", EX_E2, OPTION, CALL,
	  .lim = &codec_no_lists },
	{ "N-65 B-19", "INITXCH where it is not supported, garbled", EX_E2, SET({ 28, ~0U }),
	  OPTION, CALL, .lim = &codec_no_lists },
	{ "N-65 B-19", "INITXCH where it is not supported, odd length", EX_E2, SET({ 24, 47 }),
	  OPTION, CALL, .lim = &codec_no_lists },
	{ "N-66 A-17", "optinfo length 47", EX_E2, SET({ 24, 47 }), XDR, CALL },
	{ "N-66 A-17", "optinfo length 47, REPLY", EX_E3, SET({ 24, 107 }), XDR, REPLY },
	{ "N-66 A-17", "INITXCH without its last word", EX_E2, SET({ 24, 44 }), INFO, CALL },
	{ "N-66 A-17", "INITXCH with a word left over", EX_E2,
	  SET({ 24, 52 }), LEN(80), INFO, CALL },
	{ "N-66 A-17", "INITXCH without content", EX_E2, SET({ 24, 0 }), INFO, CALL },
	{ "N-66", "REQXCH with a word left over", EX_E4A, SET({ 24, 32 }), LEN(60), INFO, CALL },
	{ "N-66", "RESPXCH with a word left over", EX_E4B, SET({ 24, 24 }), LEN(52), INFO, REPLY },
	{ "N-66", "UPDXCH with a word left over", EX_E4C, SET({ 24, 20 }), LEN(48), INFO, CALL },
	{ "N-66", "XMTREQ with a word left over", EX_E5, SET({ 24, 52 }), INFO, CALL },
	{ "N-66", "XMTRESP with a word left over", EX_E6, SET({ 24, 16 }), INFO, REPLY },
	{ "N-70 A-16", "INITXCH with trailing bytes", EX_E2, LEN(100), OK, CALL },
	{ "N-70 A-16", "REPTERR with trailing bytes", EX_E9B, LEN(100), OK, REPLY },

	/* D.4: characteristics */
	{ "N-69 N-85 A-09", "padding that is not zero",
	  OPT(0, ROPT_INITXCH, 20, 1, 99, 1, 0x01ffffff, 0), OK, CALL },
	{ "N-81 S-11", "0xffffffff characteristics", EX_E2, SET({ 28, ~0U }), INFO, CALL },
	{ "N-81 S-11", "0x20000001 characteristics", EX_E2, SET({ 28, 0x20000001 }), INFO, CALL },
	{ "N-81", "a characteristic too many", EX_E2, SET({ 28, 4 }), INFO, CALL },
	{ "N-81", "REQXCH with a characteristic too many", EX_E4A, SET({ 28, 3 }), INFO, CALL },
	{ "N-82 X-03", "value one word too long", EX_E4A, SET({ 48, 8 }), INFO, CALL },
	{ "N-82 X-03", "value of 0xffffffff bytes", EX_E2, SET({ 36, ~0U }), INFO, CALL },
	{ "N-82 X-03", "value of 0xfffffffd bytes", EX_E2, SET({ 36, 0xfffffffd }), INFO, CALL },
	{ "N-82", "unknown value beyond optinfo", EX_E4A, SET({ 44, 99 }, { 48, 5 }), INFO, CALL },
	{ "N-82", "unknown value beyond optinfo, not the Send", EX_E4A,
	  SET({ 44, 99 }, { 48, 8 }), LEN(64), INFO, CALL },
	{ "N-82", "unknown value of 0xfffffffe bytes", EX_E4A,
	  SET({ 44, 99 }, { 48, 0xfffffffe }), INFO, CALL },
	{ "N-82 X-03", "unknown value of 0xfffffffd bytes, none there",
	  OPT(0, ROPT_REQXCH, 12, 1, 99, 0xfffffffd), INFO, CALL },
	{ "N-83 X-05", "RBSIZ of 0 bytes",
	  OPT(0, ROPT_INITXCH, 16, 1, 1, 0, 0), INFO, CALL },
	{ "N-83 X-05", "RBSIZ of 3 bytes", EX_E4A, SET({ 36, 3 }), INFO, CALL },
	{ "N-83 X-06", "RBSIZ of 5 bytes",
	  OPT(0, ROPT_INITXCH, 24, 1, 1, 5, 4096, 0, 0), INFO, CALL },
	{ "N-83 X-06", "RBSIZ of 8 bytes",
	  OPT(0, ROPT_INITXCH, 24, 1, 1, 8, 4096, 0, 0), INFO, CALL },
	{ "N-83 X-05", "REQREMINV of 2 bytes", EX_E2, SET({ 48, 2 }), INFO, CALL },
	{ "N-83 X-05", "BRS of 1 byte", EX_E2, SET({ 60, 1 }), INFO, CALL },
	{ "N-83 X-05", "RTRSUPP of 3 bytes", EX_E3, SET({ 48, 3 }), INFO, REPLY },
	{ "N-83 X-05", "REQRXLIM of 3 bytes", EX_E3, SET({ 108, 3 }), INFO, REPLY },
	{ "N-83 X-05", "RESPSXLIM of 3 bytes", EX_E3, SET({ 120, 3 }), INFO, REPLY },
	{ "N-84 X-04", "REQREMINV 2", EX_E2, SET({ 52, 2 }), INFO, CALL },
	{ "N-84 X-04", "BRS 3", EX_E2, SET({ 64, 3 }), INFO, CALL },
	{ "N-84", "BRS 2", EX_E2, SET({ 64, 2 }), OK, CALL },
	{ "N-85 X-07", "unknown id between known ones", EX_E2, SET({ 44, 99 }), OK, CALL },
	{ "N-86 X-12", "RBSIZ twice", EX_E2, SET({ 56, 1 }), INFO, CALL },
	{ "N-86 X-12", "disregarded RBSIZ, then another", EX_E2, SET({ 40, 5 }, { 56, 1 },
	  { 64, 8192 }), INFO, CALL },
	{ "N-86", "unknown id twice", EX_E2, SET({ 44, 99 }, { 56, 99 }), OK, CALL },
	{ "N-87 X-16", "INITXCH with nothing in it",
	  OPT(0, ROPT_INITXCH, 8, 0, 0), OK, CALL },
	{ "N-87", "REQXCH with nothing in it",
	  OPT(0, ROPT_REQXCH, 4, 0), OK, CALL },
	{ "N-88 A-46", "subset bits beyond the spec", EX_E2, SET({ 72, ~0U }), OK, CALL },
	{ "N-88", "subset of 6 words",
	  OPT(0, ROPT_INITXCH, 32, 0, 6, 1, 2, 3, 4, 5, 6), OK, CALL },
	{ "N-89 S-11", "subset of 0xffffffff words", EX_E2, SET({ 68, ~0U }), INFO, CALL },
	{ "N-89 S-11", "subset of 0x40000001 words", EX_E2, SET({ 68, 0x40000001 }), INFO, CALL },
	{ "N-89", "subset of a word too many", EX_E2, SET({ 68, 2 }), INFO, CALL },
	{ "N-89 N-104", "RESPXCH with a subset too long", EX_E4B, SET({ 40, 2 }), INFO, REPLY },
	{ "N-97", "RBSTRUCT without a group count", EX_E3, SET({ 60, 4 }), INFO, REPLY },
	{ "N-97", "RBSTRUCT cut in a group", EX_E3, SET({ 60, 36 }), INFO, REPLY },
	{ "N-97 S-11", "RBSTRUCT of 0xffffffff groups", EX_E3, SET({ 68, ~0U }), INFO, REPLY },
	{ "N-97 S-11", "RBSTRUCT of 0x10000002 groups", EX_E3, SET({ 68, 0x10000002 }),
	  INFO, REPLY },
	{ "N-97", "RBSTRUCT of a group too many", EX_E3, SET({ 68, 3 }), INFO, REPLY },
	{ "N-97 X-06", "RBSTRUCT with a group left over", EX_E3, SET({ 68, 1 }), INFO, REPLY },
	{ "N-101", "REQXCH with optdir REPLY", EX_E4A, SET({ 16, 1 }), XDR, REPLY },
	{ "N-106", "RESPXCH with optdir CALL", EX_E4B, SET({ 16, 0 }), XDR, CALL },
	{ "N-107", "pendclr 2", EX_E4C, SET({ 40, 2 }), INFO, CALL },
	{ "N-107", "pendclr 2, REPLY", EX_E4C, SET({ 16, 1 }, { 40, 2 }), INFO, REPLY },
	{ "N-107", "UPDXCH without pendclr", EX_E4C, SET({ 24, 12 }), INFO, CALL },
	{ "N-108", "UPDXCH with REQREMINV 2", EX_E4C, SET({ 28, 2 }, { 36, 2 }), INFO, CALL },
	{ "N-108", "UPDXCH with RBSIZ of 3 bytes", EX_E4C, SET({ 32, 3 }), INFO, CALL },
	{ "N-85", "UPDXCH of an unknown id", EX_E4C, SET({ 28, 99 }), OK, CALL },
	{ "A-40", "UPDXCH with optdir REPLY", EX_E4C, SET({ 16, 1 }), OK, REPLY },

	/* D.5, D.6: XMTREQ, XMTRESP */
	{ "N-121 A-87", "XMTREQ with optdir REPLY", EX_E5, SET({ 16, 1 }), XDR, REPLY },
	{ "N-122", "XMTREQ where it is not supported", EX_E5, OPTION, CALL,
	  .lim = &codec_no_xmtreq },
	{ "N-123 S-11", "0xffffffff items", EX_E5, SET({ 28, ~0U }), INFO, CALL },
	{ "N-123 S-11", "0x15555556 items", EX_E5, SET({ 28, 0x15555556 }), INFO, CALL },
	{ "N-123", "an item too many", EX_E5, SET({ 28, 2 }), INFO, CALL },
	{ "N-123 S-11", "0xffffffff numbers", EX_E5, SET({ 48, ~0U }), INFO, CALL },
	{ "N-123 S-11", "0x40000002 numbers", EX_E5, SET({ 48, 0x40000002 }), INFO, CALL },
	{ "N-123", "a number too many", EX_E5, SET({ 48, 3 }), INFO, CALL },
	{ "N-123 S-11", "0xffffffff sets", EX_E7A, SET({ 32, ~0U }), INFO, CALL },
	{ "N-123", "a set too many", EX_E7A, SET({ 32, 2 }), INFO, CALL },
	{ "N-123 S-11", "0xffffffff wanted items", EX_E7A, SET({ 44, ~0U }), INFO, CALL },
	{ "N-123", "a wanted item too many", EX_E7A, SET({ 44, 2 }), INFO, CALL },
	{ "N-123 S-11", "0xffffffff segments", EX_E7A, SET({ 56, ~0U }), INFO, CALL },
	{ "N-123 S-11", "0x10000001 segments", EX_E7A, SET({ 56, 0x10000001 }), INFO, CALL },
	{ "N-124", "item of type 0", EX_E5, SET({ 40, 0 }), INFO, CALL },
	{ "N-124", "item of type CHOICE", EX_E5, SET({ 40, 3 }), INFO, CALL },
	{ "N-124", "item of type BYSIZE", EX_E5, SET({ 40, 4 }), INFO, CALL },
	{ "N-124", "item of type 7", EX_E5, SET({ 40, 7 }), INFO, CALL },
	{ "N-125 A-79", "TOOSHORT in a request",
	  OPT(0, ROPT_XMTREQ, 32, 1, 0, 0, XMPTYPE_TOOSHORT, 0, 1, 1, 8, XID, 0),
	  OK, CALL },
	{ "N-125 A-79", "NOITEM in a request",
	  OPT(0, ROPT_XMTREQ, 32, 1, 0, 0, XMPTYPE_NOITEM, 0, 1, 1, 8, XID, 0),
	  OK, CALL },
	{ "N-126", "wanted item of type 0", EX_E7A, SET({ 52, 0 }), INFO, CALL },
	{ "N-126", "wanted item of type TOOSHORT", EX_E7A, SET({ 52, 5 }), INFO, CALL },
	{ "N-126", "wanted item of type NOITEM", EX_E7A, SET({ 52, 6 }), INFO, CALL },
	{ "N-126", "wanted item of type 7", EX_E7A, SET({ 52, 7 }), INFO, CALL },
	{ "N-126", "wanted item of type EXRW", EX_E7A, SET({ 52, 1 }), OK, CALL },
	{ "N-126 P-26", "wanted items of all types",
	  OPT(0, ROPT_XMTREQ, 128, 0, 1, 0, 64, 4,
	      0, XMPTYPE_EXRW, 1, SEG(64), 0, XMPTYPE_TBSN, 0, XMPTYPE_CHOICE, 1, SEG(64),
	      0, XMPTYPE_BYSIZE, 4096, 1, SEG(64), 1, 1, 8, XID, 0), OK, CALL },
	{ "N-153 B-19", "bad type and count 0", EX_E5, SET({ 40, 7 }, { 64, 0 }), INFO, CALL },
	{ "N-127", "count 0", EX_E5, SET({ 64, 0 }), OK, CALL },
	{ "N-161 A-87", "XMTRESP with optdir CALL", EX_E6, SET({ 16, 0 }), XDR, CALL },
	{ "N-164 S-11", "0xffffffff items of a response", EX_E7B, SET({ 28, ~0U }), INFO, REPLY },
	{ "N-164", "item of type CHOICE in a response", EX_E7B, SET({ 40, 3 }), INFO, REPLY },
	{ "N-164 S-11", "0xffffffff numbers in a response", EX_E7B, SET({ 48, ~0U }), INFO, REPLY },
	{ "N-170 P-29", "TOOSHORT and NOITEM in a response",
	  OPT(1, ROPT_XMTRESP, 36, 2, 44, 100, XMPTYPE_TOOSHORT, 0, 0, XMPTYPE_NOITEM,
	      1, 8, XID, 1), OK, REPLY },

	/* D.7, D.8: XMTCONT, REPTERR */
	{ "N-187", "XMTCONT of 8 bytes", EX_E8, SET({ 24, 8 }), INFO, CALL },
	{ "N-187", "XMTCONT of 16 bytes", EX_E8, SET({ 24, 16 }), INFO, CALL },
	{ "N-187", "XMTCONT of 8 bytes, REPLY", EX_E8, SET({ 16, 1 }, { 24, 8 }), INFO, REPLY },
	{ "N-184 N-185", "XMTCONT with any numbers", EX_E8, SET({ 28, ~0U }, { 32, 7 },
	  { 36, ~0U }), OK, CALL },
	{ "N-211", "REPTERR without code", EX_E9B, SET({ 24, 16 }), LEN(44), INFO, REPLY },
	{ "N-211", "REPTERR without its last word", EX_E9A, SET({ 24, 36 }), INFO, REPLY },
	{ "N-211", "REPTERR with a word left over", EX_E9A, SET({ 24, 44 }), LEN(72), INFO, REPLY },
	{ "N-211", "optre_lead word 2", EX_E9A, SET({ 40, 2 }), INFO, REPLY },
	{ "N-211", "code 0", EX_E9B, SET({ 44, 0 }), INFO, REPLY },
	{ "N-211", "code 9", EX_E9B, SET({ 44, 9 }), INFO, REPLY },
	{ "N-211", "xmsi_dir 2", EX_E9B, SET({ 32, 2 }), INFO, REPLY },
	{ "N-211", "xmsi_dir 2 in optre_lead", EX_E9A, SET({ 48, 2 }), INFO, REPLY },
	{ "N-211", "BADOFF with two words", EX_E9A, SET({ 56, 6 }), INFO, REPLY },
	{ "N-211", "BADCONT with two words", EX_E9A, SET({ 56, 3 }), INFO, REPLY },
	{ "N-215", "BADTBSN with min above max",
	  OPT(1, ROPT_REPTERR, 32, 1, 0, ~0U, 0, OPTRERR_BADTBSN, 0, 1, 0), OK, REPLY },
};

/**
 * struct codec_bad_reply - a reply that does not parse
 * @fault: the reply, and what is wrong with it
 * @ends: the RPC that it names fails
 */
struct codec_bad_reply {
	struct codec_fault	fault;
	bool			ends;
};

static const struct codec_bad_reply codec_bad_replies[] = {
	{ { "N-02", "MSG cut", EX_E1, SET({ 16, 1 }), LEN(20), XDR, REPLY }, true },
	{ { "N-12", "NOMSG with a bad list", 0, NOMSG(1, 2, 0, 0), XDR, REPLY }, true },
	{ { "N-18", "MSG of another xid", EX_E1, SET({ 16, 1 }, { 36, 1 }, { 40, 1 }), XDR, REPLY,
	    .mismatch = true }, false },
	{ { "N-61", "XMTRESP cut behind its type", EX_E6, LEN(24), XDR, REPLY }, false },
	{ { "N-61", "XMTRESP cut in the length of optinfo", EX_E6, LEN(27), XDR, REPLY }, false },
	{ { "N-63", "XMTRESP, optinfo longer than the Send", EX_E6, SET({ 24, 68 }), XDR, REPLY },
	  false },
	{ { "N-63", "XMTRESP, optinfo length 0xffffffff", EX_E6, SET({ 24, ~0U }), XDR, REPLY },
	  false },
	{ { "N-63", "XMTRESP, optinfo length 0xfffffffd", EX_E6, SET({ 24, ~2U }), XDR, REPLY },
	  false },
	{ { "N-66", "XMTRESP, optinfo as long as the Send", EX_E6, SET({ 24, 64 }), INFO, REPLY },
	  true },
	{ { "N-66", "XMTRESP, optinfo length 11", EX_E6, SET({ 24, 11 }), XDR, REPLY }, true },
	{ { "N-66 N-164", "XMTRESP with a word left over", EX_E6, SET({ 24, 16 }), INFO, REPLY },
	  true },
	{ { "N-164", "XMTRESP, 0xffffffff items", EX_E7B, SET({ 28, ~0U }), INFO, REPLY }, true },
	{ { "N-66", "RESPXCH, optinfo length 23", EX_E4B, SET({ 24, 23 }), XDR, REPLY }, false },
	{ { "N-187", "XMTCONT of 8 bytes", EX_E8, SET({ 16, 1 }, { 24, 8 }), INFO, REPLY }, false },
};

#undef CALL
#undef REPLY
#undef UNKNOWN
#undef OK
#undef SHORT
#undef VERS
#undef PROC
#undef XDR
#undef OPTION
#undef INFO
#undef LEN
#undef SET

#endif /* _RPCRDMA2_CODEC_FAULTS_H */
