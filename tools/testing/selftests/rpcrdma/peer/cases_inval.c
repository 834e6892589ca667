// SPDX-License-Identifier: GPL-2.0
/* Cases of the client role: remote invalidation. */
#include "client.h"

#define READ_INTO_0	"0 1 1 seg0:8000 0 0 read:0:8000 "

/* Shows whether memory 0, or 1, can still be written to */
#define DEAD		MSG "0 " READ_INTO_0 "=> disc"
#define DEAD_1		MSG "0 0 1 1 seg1:8000 0 0 read:0:8000 => disc"
#define ALIVE		MSG "0 " READ_INTO_0 "=> reply data:0:8000"

const struct cli_case cases_inval[] = {
	{ "swi_named_handle", "A-22 B-35 B-37 B-38 X-79 X-81",
	  MSG "h0 " READ_INTO_0 "=> reply swi0;" DEAD, C_INV },
	{ "swi_second_of_two", "A-22 B-38",
	  MSG "h1 0 1 1 seg0:4000 1 1 seg1:4000 0 0 "
	  "read:0:4000:4000:4000 => reply swi1;" ALIVE ";" DEAD_1, C_INV },
	{ "swi_read_chunk_handle", "A-22 B-37",
	  MSG "h0 1 wpos seg0:8000 0 0 0 wcall:65536:8000 => reply swi0;" DEAD,
	  C_INV },
	{ "swi_reply_chunk_handle", "A-22 B-37",
	  MSG "h0 0 0 1 1 seg0:16000 read:0:8000 => long swi0;" DEAD, C_INV },
	{ "swi_pzrc_handle", "A-22 B-37",
	  NOMSG "h0 1 0 seg0:40 0 0 0 => reply swi0;" DEAD, C_INV, "null" },
	{ "no_swi_handle_0", "A-22 B-36",
	  MSG "0 " READ_INTO_0 "=> reply data:0:8000;" ALIVE, C_INV },
	{ "no_swi_reqreminv_false", "A-22 X-80 B-35",
	  MSG "h0 " READ_INTO_0 "=> reply data:0:8000;" ALIVE },
	{ "no_swi_without_initxch", "A-22 X-80 X-16 B-35",
	  MSG "h0 " READ_INTO_0 "=> reply data:0:8000;" ALIVE, C_RAW },
	{ "no_swi_by_private_data", "A-42 A-22 X-80",
	  MSG "h0 " READ_INTO_0 "=> reply data:0:8000;" ALIVE, C_RAW | C_PRIV },
	{ "no_swi_private_data_reqreminv_false", "A-42 A-22 X-80",
	  MSG "h0 " READ_INTO_0 "=> reply data:0:8000;" ALIVE, C_PRIV },
	{ "no_swi_foreign_handle", "N-28 A-23 B-43",
	  MSG "12345678 " READ_INTO_0 "=> reply data:0:8000;"
	  MSG "h1 " READ_INTO_0 "=> reply data:0:8000;" ALIVE, C_INV },
	{ "no_swi_without_chunks", "N-28 A-23 B-43",
	  MSG "h0 " LISTS "null => reply;" ALIVE, C_INV },
	{ "no_swi_with_error", "A-24 B-42",
	  MSG "h0 0 1 1 seg0:100 0 0 read:0:8000 => cant:1:1:8000;"
	  MSG "h0 0 2 1 seg0:100 0 0 read:0:8000 => xdr;" ALIVE, C_INV },
};

const unsigned int nr_cases_inval = ARRAY_SIZE(cases_inval);
