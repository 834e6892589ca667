// SPDX-License-Identifier: GPL-2.0
/* Cases of the client role: chunks, and replies that do not fit them. */
#include "client.h"

/* What memory 0 holds is written there, and has to be what is read */
#define AT		"131072"
#define FILL(key)	"key:" key " pdata:" AT ":8192"
#define BACK(key)	MSG "0 0 1 1 seg0:8192 0 0 read:" AT ":8192 " \
			"=> reply kdata:" key ":" AT ":8192"

const struct cli_case cases_chunks[] = {
	{ "segment_length_0", "N-15",
	  MSG "0 0 1 1 seg0:0 0 0 null => reply;"
	  MSG "0 0 0 1 1 seg0:0 null => reply;"
	  MSG "0 0 1 2 seg0:8000 seg0:0 0 0 read:0:8000 => "
	  "reply data:0:8000" },
	{ "segment_length_0_first", "N-15",
	  MSG "0 0 1 2 seg0:0 seg0:8000 0 0 read:0:8000 => "
	  "reply data:0:8000" },
	{ "read_segment_length_0", "N-15 S-04",
	  MSG "0 1 wpos seg0:0 1 wpos seg0:8192 0 0 0 wcall:" AT ":8192 "
	  "=> reply;" BACK("41"), 0, FILL("41") },
	{ "read_segment_length_0_last", "N-15 S-04",
	  MSG "0 1 wpos seg0:4096 1 wpos seg0:0 1 wpos seg0:4096:4096 "
	  "1 wpos seg0:0 0 0 0 wcall:" AT ":8192 => reply;" BACK("42"), 0,
	  FILL("42") },
	{ "read_chunk_length_0", "N-15 S-04",
	  MSG "0 1 wpos seg0:0 0 0 0 wcall:" AT ":8192 => nfserr;"
	  MSG "0 1 wpos seg0:0 0 0 0 wcall:" AT ":0 => reply;"
	  MSG "0 1 wpos seg0:0 1 wpos h0 0 0 0 0 0 0 wcall:" AT ":0 => reply" },
	{ "pzrc_segment_length_0", "N-15 S-04",
	  NOMSG "0 1 0 seg0:0 1 0 seg0:24 1 0 h0 0 0 0 1 0 seg0:16:24 1 0 seg0:0 "
	  "0 0 0 => reply", 0, "null" },
	{ "pzrc_length_0", "N-15 N-17 S-04",
	  NOMSG "0 1 0 seg0:0 0 0 0 => xdr;"
	  NOMSG "0 1 0 seg0:0 1 0 h0 0 0 0 0 0 0 => xdr" },
	{ "write_chunk_unused", "A-100",
	  MSG "0 0 1 2 seg0:64 seg0:64:64 0 0 null => reply;"
	  MSG "0 0 1 1 seg0:64 1 1 seg1:64 0 0 null => reply" },
	{ "write_chunk_empty", "N-12 A-100",
	  MSG "0 0 1 0 0 0 null => reply|xdr" },
	{ "write_chunk_sum_overflow", "N-16",
	  MSG "0 0 1 2 seg0:64 h0 ffffffff 0 1000 0 0 null => xdr" },
	{ "reply_chunk_sum_overflow", "N-16",
	  MSG "0 0 0 1 2 h0 ffffffff 0 1000 seg0:64 null => xdr" },
	{ "read_chunk_sum_overflow", "N-16",
	  MSG "0 1 wpos h0 ffffffff 0 1000 1 wpos h0 ffffffff 0 1000 0 0 0 "
	  "wcall:0:64 => xdr;"
	  NOMSG "0 1 0 h0 ffffffff 0 1000 1 0 seg0:40 0 0 0 => xdr" },
	{ "read_chunks_above_maximum", "N-16",
	  MSG "0 1 wpos h0 4000000 0 1000 0 0 0 wcall:0:64 => xdr;"
	  NOMSG "0 1 0 h0 4000000 0 1000 0 0 0 => xdr;"
	  NOMSG "0 1 0 h0 7fffffff 0 1000 0 0 0 => xdr" },
	{ "pzrc_xid_differs", "N-20 B-18",
	  NOMSG "0 1 0 seg0:40 0 0 0 => xdr", 0, "null+1" },
	{ "pzrc_direction_differs", "N-20 D-23",
	  NOMSG "0 1 0 seg0:40 0 0 0 => xdr", 0, "nullreply" },
	{ "pzrc_too_short", "N-20 N-17",
	  NOMSG "0 1 0 seg0:4 0 0 0 => xdr", 0, "null" },
	{ "read_position_odd", "N-21",
	  MSG "0 1 2 seg0:64 0 0 0 wcall:0:64 => xdr;"
	  MSG "0 1 wpos+1 seg0:64 0 0 0 wcall:0:64 => xdr;"
	  MSG "0 1 7fffffff seg0:64 0 0 0 wcall:0:64 => xdr" },
	{ "read_position_beyond", "N-21",
	  MSG "0 1 2c seg0:64 0 0 0 null => xdr;"
	  MSG "0 1 7ffffffc seg0:64 0 0 0 null => xdr;"
	  MSG "0 1 fffffffc seg0:64 0 0 0 null => xdr;"
	  MSG "0 1 wpos+4 seg0:64 0 0 0 wcall:0:64 => xdr" },
	{ "read_position_in_credential", "N-21",
	  MSG "0 1 4 seg0:64 0 0 0 wcall:0:64 => xdr;"
	  MSG "0 1 1c seg0:64 0 0 0 wcall:0:64 => xdr" },
	{ "read_position_overlap", "N-21",
	  MSG "0 1 wpos-8 seg0:64 1 wpos seg1:64 0 0 0 wcall:0:64 => xdr;"
	  MSG "0 1 wpos seg0:64 1 wpos-8 seg1:64 0 0 0 wcall:0:64 => xdr" },
	{ "msg_with_pzrc", "N-22",
	  MSG "0 1 0 seg0:40 0 0 0 null => xdr", 0, "null" },
	{ "pzrc_not_first", "N-23 N-21",
	  NOMSG "0 1 4 seg1:8 1 0 seg0:40 0 0 0 => xdr|reply|rpcerr:4", 0,
	  "null" },
	{ "read_bad_handle", "N-31",
	  MSG "0 1 wpos deadbeef 40 0 1000 0 0 0 wcall:0:64 => disc" },
	{ "pzrc_bad_handle", "N-31",
	  NOMSG "0 1 0 deadbeef 28 0 1000 0 0 0 => disc" },
	{ "read_bad_address", "N-31",
	  MSG "0 1 wpos h0 40 0 1000 0 0 0 wcall:0:64 => disc" },
	{ "write_bad_handle", "N-31",
	  MSG "0 0 1 1 deadbeef 2000 0 1000 0 0 read:0:8000 => disc" },
	{ "reply_bad_handle", "N-31",
	  MSG "0 0 0 1 1 deadbeef 8000 0 1000 read:0:8000 => disc" },
	{ "cant_no_chunk", "N-32 A-26 B-65 B-66 B-67 B-69",
	  MSG "0 " LISTS "read:0:8000 => cant:1:0:r8000" },
	{ "cant_write_chunk", "N-32 B-65 B-66 B-67 B-68 B-69",
	  MSG "0 0 1 1 seg0:4000 0 0 read:0:8000 => cant:1:1:8000" },
	{ "cant_write_chunk_segments", "N-32 A-25 B-67 B-69",
	  MSG "0 0 1 3 seg0:1000 seg0:1000:1000 seg0:1000:2000 0 0 "
	  "read:0:8000 => cant:1:3:6000" },
	{ "cant_second_write_chunk", "N-32 A-25 B-67 B-68",
	  MSG "0 0 1 1 seg0:4000 1 1 seg1:1000 0 0 "
	  "read:0:4000:4000:4000 => cant:1:2:4000" },
	{ "cant_second_write_chunk_segments", "N-32 A-25 B-67 B-68",
	  MSG "0 0 1 2 seg0:2000 seg0:2000:2000 1 2 seg1:1000 "
	  "seg1:1000:1000 0 0 read:0:4000:4000:4000 => cant:1:4:3000" },
	{ "cant_reply_chunk", "N-32 B-65 B-67 B-69",
	  MSG "0 0 0 1 1 seg0:4000 read:0:8000 => cant:1:1:r8000" },
	{ "cant_reply_chunk_segments", "N-32 A-25 B-67 B-69",
	  MSG "0 0 0 1 2 seg0:1000 seg0:3000:1000 read:0:8000 => "
	  "cant:1:2:r8000-1000" },
	{ "cant_reply_chunk_after_write_chunk", "N-32 A-25 B-67 B-68",
	  MSG "0 0 1 2 seg0:2000 seg0:2000:2000 0 1 1 seg1:1000 "
	  "read:0:4000:4000:8000 => cant:1:3:r8000+16" },
	{ "cant_then_resend", "B-70 B-77",
	  MSG "0 0 1 1 seg0:100 0 0 read:0:8000 => cant:1:1:8000;"
	  MSG "0 0 1 1 seg0:8000 0 0 read:0:8000 => reply data:0:8000" },
};

const unsigned int nr_cases_chunks = ARRAY_SIZE(cases_chunks);
