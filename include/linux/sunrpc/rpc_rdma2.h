/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: the numbers of the wire.
 *
 * Names and values follow draft-cel-nfsv4-rpcrdma-version-two-02 (base
 * protocol), draft-dnoveck-nfsv4-rpcrdma-xcharext-02 (transport
 * characteristics) and draft-dnoveck-nfsv4-rpcrdma-rtrext-02 (transmissions).
 * Documentation/protocol.rst says how the three are fitted together.
 */

#ifndef _LINUX_SUNRPC_RPC_RDMA2_H
#define _LINUX_SUNRPC_RPC_RDMA2_H

#include <linux/types.h>

enum {
	RPCRDMA2_VERSION	= 2,
	/* What either end must be able to receive in one Send (B-21, B-23) */
	RPCRDMA2_DEF_INLINE	= 4096,
	/* The opening exchange, when the peer may still be a version 1 one */
	RPCRDMA2_FIRST_MSG_MAX	= 1024,
};

/* rdma_proc */
enum rpcrdma2_proc {
	RDMA2_MSG		= 0,
	RDMA2_NOMSG		= 1,
	RDMA2_ERROR		= 4,
	RDMA2_OPTIONAL		= 5,
};

/* rdma_direction, rdma_optdir: the values of msg_type */
enum rpcrdma2_dir {
	RDMA2_CALL		= 0,
	RDMA2_REPLY		= 1,
	/* Not on the wire: the header was cut before it, or is garbled */
	RDMA2_DIR_UNKNOWN	= 2,
};

/* rdma_err */
enum rpcrdma2_errcode {
	RDMA2_ERR_VERS		= 1,
	RDMA2_ERR_BAD_XDR	= 2,
	RDMA2_ERR_CANT_REPLY	= 3,
	RDMA2_ERR_INVAL_PROC	= 4,
	RDMA2_ERR_INVAL_OPTION	= 5,
};

/* rdma_opttype */
enum rpcrdma2_opttype {
	ROPT_INITXCH		= 1,
	ROPT_REQXCH		= 2,
	ROPT_RESPXCH		= 3,
	ROPT_UPDXCH		= 4,
	ROPT_XMTREQ		= 5,
	ROPT_XMTRESP		= 6,
	ROPT_XMTCONT		= 7,
	ROPT_REPTERR		= 8,
};

/* xchv_which */
#define RDMA2_XCHAR_RBSIZ	1U
#define RDMA2_XCHAR_REQREMINV	2U
#define RDMA2_XCHAR_BRS		3U
#define RDMA2_XCHAR_RBSTRUCT	4U
#define RDMA2_XCHAR_REQRXLIM	5U
#define RDMA2_XCHAR_RESPSXLIM	6U
#define RDMA2_XCHAR_RTRSUPP	0xffffff03U

/* Backward request support (BRS) */
enum rpcrdma2_brs {
	RDMA2_BRS_NONE		= 0,
	RDMA2_BRS_INLINE	= 1,
	RDMA2_BRS_GENL		= 2,
};

/* RTRSUPP */
#define RDMA2_RTRSUPP_XREQ	1U
#define RDMA2_RTRSUPP_XRESP	2U
#define RDMA2_RTRSUPP_XCONT	4U
#define RDMA2_RTRSUPP_ALL	7U

/* xmrseg_flags: placed data may be aimed at the segment (PLT) */
#define RDMA2_XMRSFLAG_PLT	1U

/* xmdl_type, xmdrsdl_type: where an excised item is, or is wanted */
enum rpcrdma2_xmptype {
	XMPTYPE_EXRW		= 1,	/* explicit RDMA Read or Write */
	XMPTYPE_TBSN		= 2,	/* placement-targetable segments */
	XMPTYPE_CHOICE		= 3,	/* as the responder likes */
	XMPTYPE_BYSIZE		= 4,	/* as the length of the item says */
	XMPTYPE_TOOSHORT	= 5,	/* left inline for its shortness */
	XMPTYPE_NOITEM		= 6,	/* there was no such item */
};

/* optr_info's discriminator */
enum rpcrdma2_opterr {
	OPTRERR_BADHMT		= 1,
	OPTRERR_BADOMT		= 2,
	OPTRERR_BADCONT		= 3,
	OPTRERR_BADSEQ		= 4,
	OPTRERR_BADXID		= 5,
	OPTRERR_BADOFF		= 6,
	OPTRERR_BADTBSN		= 7,
	OPTRERR_BADPL		= 8,
};

/* Sizes of header parts, in bytes */
enum {
	RPCRDMA2_FIXED_SIZE	= 16,	/* xid, vers, credit, proc */
	RPCRDMA2_PREFIX_SIZE	= 24,	/* fixed part, direction, inv_handle */
	RPCRDMA2_HDRLEN_MIN	= 36,	/* MSG with empty chunk lists */
	RPCRDMA2_OPT_SIZE	= 28,	/* OPTIONAL without optinfo */
	RPCRDMA2_ERRLEN_MAX	= 32,	/* CANT_REPLY */
};

#endif /* _LINUX_SUNRPC_RPC_RDMA2_H */
