/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: messages whose bytes are known.
 *
 * Used by the tests of the codec in the kernel and in user space, and as seeds
 * of the fuzzer. Words behind those listed are zero.
 */

#ifndef _RPCRDMA2_CODEC_EXAMPLES_H
#define _RPCRDMA2_CODEC_EXAMPLES_H

#include <linux/types.h>

/**
 * struct rpcrdma2_example - a sound message
 * @id: its name
 * @desc: what it is
 * @words: its first words, in host order
 * @nwords: how many there are
 * @hdrlen: length of the transport header, in bytes
 * @length: length of the Send, in bytes
 */
struct rpcrdma2_example {
	const char	*id;
	const char	*desc;
	const u32	*words;
	u32		nwords;
	u32		hdrlen;
	u32		length;
};

#define RPCRDMA2_WORDS(...)						\
	.words = (const u32[]){ __VA_ARGS__ },				\
	.nwords = sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32)

enum {
	EX_E1,
	EX_E2,
	EX_E3,
	EX_E4A,
	EX_E4B,
	EX_E4C,
	EX_E5,
	EX_E6,
	EX_E7A,
	EX_E7B,
	EX_E8,
	EX_E9A,
	EX_E9B,
	EX_E10A,
	EX_E10B,
	EX_E10C,
	EX_E10D,
	EX_E11,
	EX_E12,
	NR_EXAMPLES,
};

static const struct rpcrdma2_example rpcrdma2_examples[NR_EXAMPLES] = {
	[EX_E1] = {
		.id = "E1", .desc = "NULL Call, empty lists", .hdrlen = 36, .length = 76,
		RPCRDMA2_WORDS(0xa1b20001, 0x00000002, 0x00000020, 0x00000000, 0x00000000,
			       0x00000000, 0x00000000, 0x00000000, 0x00000000, 0xa1b20001,
			       0x00000000, 0x00000002, 0x000186a3, 0x00000004, 0x00000000,
			       0x00000000, 0x00000000, 0x00000000, 0x00000000),
	},
	[EX_E2] = {
		.id = "E2", .desc = "INITXCH of a client", .hdrlen = 76, .length = 76,
		RPCRDMA2_WORDS(0xa1b20000, 0x00000002, 0x00000020, 0x00000005, 0x00000000,
			       0x00000001, 0x00000030, 0x00000003, 0x00000001, 0x00000004,
			       0x00003000, 0x00000002, 0x00000004, 0x00000001, 0x00000003,
			       0x00000004, 0x00000001, 0x00000001, 0x00000006),
	},
	[EX_E3] = {
		.id = "E3", .desc = "INITXCH answer of a server", .hdrlen = 136, .length = 136,
		RPCRDMA2_WORDS(0xa1b20000, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000001, 0x0000006c, 0x00000005, 0x00000001, 0x00000004,
			       0x00003000, 0xffffff03, 0x00000004, 0x00000007, 0x00000004,
			       0x00000028, 0x00003000, 0x00000002, 0x00000001, 0x00001000,
			       0x00000001, 0x00000000, 0x00000002, 0x00001000, 0x00001000,
			       0x00000001, 0x00000005, 0x00000004, 0x00000008, 0x00000006,
			       0x00000004, 0x00000008, 0x00000001, 0x0000001e),
	},
	[EX_E4A] = {
		.id = "E4a", .desc = "REQXCH", .hdrlen = 56, .length = 56,
		RPCRDMA2_WORDS(0xa1b20009, 0x00000002, 0x00000020, 0x00000005, 0x00000000,
			       0x00000002, 0x0000001c, 0x00000002, 0x00000001, 0x00000004,
			       0x00004000, 0x00000003, 0x00000004, 0x00000002),
	},
	[EX_E4B] = {
		.id = "E4b", .desc = "RESPXCH", .hdrlen = 48, .length = 48,
		RPCRDMA2_WORDS(0xa1b20009, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000003, 0x00000014, 0x00000000, 0x00000001, 0x00000002,
			       0x00000001, 0x00000001),
	},
	[EX_E4C] = {
		.id = "E4c", .desc = "UPDXCH", .hdrlen = 44, .length = 44,
		RPCRDMA2_WORDS(0x77000001, 0x00000002, 0x00000002, 0x00000005, 0x00000000,
			       0x00000004, 0x00000010, 0x00000001, 0x00000004, 0x00004000,
			       0x00000001),
	},
	[EX_E5] = {
		.id = "E5", .desc = "XMTREQ, WRITE by TBSN", .hdrlen = 76, .length = 12288,
		RPCRDMA2_WORDS(0xa1b20010, 0x00000002, 0x00000020, 0x00000005, 0x00000000,
			       0x00000005, 0x00000030, 0x00000001, 0x00000050, 0x00002000,
			       0x00000002, 0x00000000, 0x00000002, 0x00000000, 0x00000001,
			       0x00000000, 0x00000001, 0x00000001, 0x00000050, 0xa1b20010,
			       0x00000000, 0x00000002, 0x000186a3, 0x00000003, 0x00000007,
			       0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000010,
			       0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff, 0x00000000,
			       0x00000000, 0x00002000, 0x00000002, 0x00002000),
	},
	[EX_E6] = {
		.id = "E6", .desc = "XMTRESP, nothing excised", .hdrlen = 40, .length = 92,
		RPCRDMA2_WORDS(0xa1b20010, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000006, 0x0000000c, 0x00000000, 0x00000001, 0x00000034,
			       0xa1b20010, 0x00000001, 0x00000000, 0x00000000, 0x00000000,
			       0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00002000,
			       0x00000002, 0x0a0b0c0d, 0x01020304),
	},
	[EX_E7A] = {
		.id = "E7a", .desc = "XMTREQ, READ by CHOICE", .hdrlen = 88, .length = 160,
		RPCRDMA2_WORDS(0xa1b20011, 0x00000002, 0x00000020, 0x00000005, 0x00000000,
			       0x00000005, 0x0000003c, 0x00000000, 0x00000001, 0x00000000,
			       0x00000048, 0x00000001, 0x00001000, 0x00000003, 0x00000001,
			       0x00001234, 0x00002000, 0x00007f00, 0x12345000, 0x00000001,
			       0x00000001, 0x00000048, 0xa1b20011, 0x00000000, 0x00000002,
			       0x000186a3, 0x00000003, 0x00000006, 0x00000000, 0x00000000,
			       0x00000000, 0x00000000, 0x00000010, 0x00112233, 0x44556677,
			       0x8899aabb, 0xccddeeff, 0x00000000, 0x00000000, 0x00002000),
	},
	[EX_E7B] = {
		.id = "E7b", .desc = "XMTRESP, READ by TBSN", .hdrlen = 68, .length = 12288,
		RPCRDMA2_WORDS(0xa1b20011, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000006, 0x00000028, 0x00000001, 0x0000002c, 0x00002000,
			       0x00000002, 0x00000000, 0x00000002, 0x00000000, 0x00000001,
			       0x00000001, 0x0000002c, 0xa1b20011, 0x00000001, 0x00000000,
			       0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
			       0x00002000, 0x00000001, 0x00002000),
	},
	[EX_E8] = {
		.id = "E8", .desc = "XMTCONT", .hdrlen = 40, .length = 2088,
		RPCRDMA2_WORDS(0xa1b20012, 0x00000002, 0x00000020, 0x00000005, 0x00000000,
			       0x00000007, 0x0000000c, 0x00000001, 0x00000005, 0x00000800),
	},
	[EX_E9A] = {
		.id = "E9a", .desc = "REPTERR BADSEQ", .hdrlen = 68, .length = 68,
		RPCRDMA2_WORDS(0xa1b20012, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000008, 0x00000028, 0xa1b20012, 0x00000000, 0x00000002,
			       0x00000001, 0xa1b20012, 0x00000000, 0x00000000, 0x00000004,
			       0x00000001, 0x00000002),
	},
	[EX_E9B] = {
		.id = "E9b", .desc = "REPTERR BADCONT", .hdrlen = 48, .length = 48,
		RPCRDMA2_WORDS(0xa1b20013, 0x00000002, 0x00000040, 0x00000005, 0x00000001,
			       0x00000008, 0x00000014, 0xa1b20013, 0x00000000, 0x00000001,
			       0x00000000, 0x00000003),
	},
	[EX_E10A] = {
		.id = "E10a", .desc = "ERR_VERS", .hdrlen = 28, .length = 28,
		RPCRDMA2_WORDS(0xa1b20000, 0x00000002, 0x00000040, 0x00000004, 0x00000001,
			       0x00000001, 0x00000001),
	},
	[EX_E10B] = {
		.id = "E10b", .desc = "CANT_REPLY", .hdrlen = 32, .length = 32,
		RPCRDMA2_WORDS(0xa1b20014, 0x00000002, 0x00000040, 0x00000004, 0x00000003,
			       0x00000001, 0x00000001, 0x00004000),
	},
	[EX_E10C] = {
		.id = "E10c", .desc = "INVAL_OPTION", .hdrlen = 20, .length = 20,
		RPCRDMA2_WORDS(0xa1b20015, 0x00000002, 0x00000040, 0x00000004, 0x00000005),
	},
	[EX_E10D] = {
		.id = "E10d", .desc = "BAD_XDR", .hdrlen = 20, .length = 20,
		RPCRDMA2_WORDS(0xa1b20016, 0x00000002, 0x00000040, 0x00000004, 0x00000002),
	},
	[EX_E11] = {
		.id = "E11", .desc = "MSG Call with a Write chunk", .hdrlen = 60, .length = 68,
		RPCRDMA2_WORDS(0xa1b20017, 0x00000002, 0x00000020, 0x00000000, 0x00000000,
			       0x00001234, 0x00000000, 0x00000001, 0x00000001, 0x00001234,
			       0x00002000, 0x00007f00, 0x12345000, 0x00000000, 0x00000000,
			       0xa1b20017, 0x00000000),
	},
	[EX_E12] = {
		.id = "E12", .desc = "NOMSG Call", .hdrlen = 60, .length = 60,
		RPCRDMA2_WORDS(0xa1b20017, 0x00000002, 0x00000020, 0x00000001, 0x00000000,
			       0x00001234, 0x00000001, 0x00000000, 0x00001234, 0x00002328,
			       0x00007f00, 0x12345000, 0x00000000, 0x00000000, 0x00000000),
	},
};

#endif /* _RPCRDMA2_CODEC_EXAMPLES_H */
