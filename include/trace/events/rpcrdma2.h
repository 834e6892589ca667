/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace points of RPC-over-RDMA version 2.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM rpcrdma2

#if !defined(_TRACE_RPCRDMA2_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RPCRDMA2_H

#include <linux/tracepoint.h>
#include <linux/sunrpc/rpc_rdma2.h>

struct rpcrdma2_conn;
struct rpcrdma2_msg;

#define rpcrdma2_show_proc(x)						\
	__print_symbolic(x,						\
		{ RDMA2_MSG,		"MSG" },			\
		{ RDMA2_NOMSG,		"NOMSG" },			\
		{ RDMA2_ERROR,		"ERROR" },			\
		{ RDMA2_OPTIONAL,	"OPTIONAL" })

#define rpcrdma2_show_dir(x)						\
	__print_symbolic(x,						\
		{ RDMA2_CALL,		"CALL" },			\
		{ RDMA2_REPLY,		"REPLY" },			\
		{ RDMA2_DIR_UNKNOWN,	"?" })

#define rpcrdma2_show_err(x)						\
	__print_symbolic(x,						\
		{ RDMA2_ERR_VERS,		"VERS" },		\
		{ RDMA2_ERR_BAD_XDR,		"BAD_XDR" },		\
		{ RDMA2_ERR_CANT_REPLY,		"CANT_REPLY" },		\
		{ RDMA2_ERR_INVAL_PROC,		"INVAL_PROC" },		\
		{ RDMA2_ERR_INVAL_OPTION,	"INVAL_OPTION" })

#define rpcrdma2_show_verdict(x)					\
	__print_symbolic(x,						\
		{ RPCRDMA2_OK,		"sound" },			\
		{ RPCRDMA2_SHORT,	"too short" },			\
		{ RPCRDMA2_BAD_VERS,	"bad version" },		\
		{ RPCRDMA2_BAD_PROC,	"bad proc" },			\
		{ RPCRDMA2_BAD_XDR,	"bad XDR" },			\
		{ RPCRDMA2_BAD_OPTION,	"bad option" })

TRACE_EVENT(rpcrdma2_settled,
	TP_PROTO(const struct rpcrdma2_conn *conn),
	TP_ARGS(conn),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, version)
		__string(why, rpcrdma2_why_names[conn->cn_why])
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->version = conn->cn_version;
		__assign_str(why);
	),
	TP_printk("peer=%s version=%u: %s", __get_str(peer),
		  __entry->version, __get_str(why))
);

TRACE_EVENT(rpcrdma2_xchars,
	TP_PROTO(const struct rpcrdma2_conn *conn,
		 const struct rpcrdma2_xchars *xc, bool sent),
	TP_ARGS(conn, xc, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(bool, sent)
		__field(u32, present)
		__field(u32, rbsiz)
		__field(bool, reqreminv)
		__field(u32, brs)
		__field(u32, rtrsupp)
		__field(u32, rbstruct)
		__field(u32, reqrxlim)
		__field(u32, respsxlim)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->sent = sent;
		__entry->present = xc->present;
		__entry->rbsiz = xc->rbsiz;
		__entry->reqreminv = xc->reqreminv;
		__entry->brs = xc->brs;
		__entry->rtrsupp = xc->rtrsupp;
		__entry->rbstruct = xc->rbstruct.length;
		__entry->reqrxlim = xc->reqrxlim;
		__entry->respsxlim = xc->respsxlim;
	),
	TP_printk("peer=%s %s present=0x%x rbsiz=%u reqreminv=%u brs=%u rtrsupp=0x%x rbstruct=%u reqrxlim=%u respsxlim=%u",
		  __get_str(peer), __entry->sent ? "sent" : "received",
		  __entry->present, __entry->rbsiz, __entry->reqreminv,
		  __entry->brs, __entry->rtrsupp, __entry->rbstruct,
		  __entry->reqrxlim, __entry->respsxlim)
);

TRACE_EVENT(rpcrdma2_reqxch,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_xchars *want, bool sent),
	TP_ARGS(conn, xid, want, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(bool, sent)
		__field(u32, present)
		__field(u32, rbsiz)
		__field(u32, brs)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->sent = sent;
		__entry->present = want->present;
		__entry->rbsiz = want->rbsiz;
		__entry->brs = want->brs;
	),
	TP_printk("peer=%s xid=0x%08x %s wanted=0x%x rbsiz=%u brs=%u",
		  __get_str(peer), __entry->xid,
		  __entry->sent ? "sent" : "received", __entry->present,
		  __entry->rbsiz, __entry->brs)
);

TRACE_EVENT(rpcrdma2_respxch,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_respxch *resp, bool sent),
	TP_ARGS(conn, xid, resp, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(bool, sent)
		__field(u32, done)
		__field(u32, rej)
		__field(u32, pend)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->sent = sent;
		__entry->done = resp->done.words[0];
		__entry->rej = resp->rej.words[0];
		__entry->pend = resp->pend.words[0];
	),
	TP_printk("peer=%s xid=0x%08x %s done=0x%x rejected=0x%x pending=0x%x",
		  __get_str(peer), __entry->xid,
		  __entry->sent ? "sent" : "received", __entry->done,
		  __entry->rej, __entry->pend)
);

TRACE_EVENT(rpcrdma2_updxch,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_xchars *now, bool pendclr, bool sent),
	TP_ARGS(conn, xid, now, pendclr, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(bool, sent)
		__field(u32, present)
		__field(u32, value)
		__field(bool, pendclr)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->sent = sent;
		__entry->present = now->present;
		__entry->value = now->present ?
			rpcrdma2_xchar_value(now, ffs(now->present) - 1) : 0;
		__entry->pendclr = pendclr;
	),
	TP_printk("peer=%s xid=0x%08x %s which=0x%x value=%u pendclr=%u",
		  __get_str(peer), __entry->xid,
		  __entry->sent ? "sent" : "received", __entry->present,
		  __entry->value, __entry->pendclr)
);

DECLARE_EVENT_CLASS(rpcrdma2_msg_class,
	TP_PROTO(const struct rpcrdma2_conn *conn,
		 const struct rpcrdma2_msg *msg),
	TP_ARGS(conn, msg),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(u32, vers)
		__field(u32, credit)
		__field(u32, proc)
		__field(u32, dir)
		__field(u32, length)
		__field(u32, verdict)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(msg->xid);
		__entry->vers = msg->vers;
		__entry->credit = msg->credit;
		__entry->proc = msg->proc;
		__entry->dir = msg->dir;
		__entry->length = msg->length;
		__entry->verdict = msg->verdict;
	),
	TP_printk("peer=%s xid=0x%08x vers=%u credit=%u %s %s length=%u: %s",
		  __get_str(peer), __entry->xid, __entry->vers,
		  __entry->credit, rpcrdma2_show_proc(__entry->proc),
		  rpcrdma2_show_dir(__entry->dir), __entry->length,
		  rpcrdma2_show_verdict(__entry->verdict))
);

#define DEFINE_RPCRDMA2_MSG_EVENT(name)					\
	DEFINE_EVENT(rpcrdma2_msg_class, name,				\
		TP_PROTO(const struct rpcrdma2_conn *conn,		\
			 const struct rpcrdma2_msg *msg),		\
		TP_ARGS(conn, msg))

DEFINE_RPCRDMA2_MSG_EVENT(rpcrdma2_receive);
DEFINE_RPCRDMA2_MSG_EVENT(rpcrdma2_bad_message);
DEFINE_RPCRDMA2_MSG_EVENT(rpcrdma2_drop);

DECLARE_EVENT_CLASS(rpcrdma2_error_class,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_error *err),
	TP_ARGS(conn, xid, err),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(u32, code)
		__field(u32, low)
		__field(u32, high)
		__field(bool, processed)
		__field(u32, index)
		__field(u32, needed)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->code = err->code;
		__entry->low = err->vers_low;
		__entry->high = err->vers_high;
		__entry->processed = err->processed;
		__entry->index = err->segment_index;
		__entry->needed = err->length_needed;
	),
	TP_printk("peer=%s xid=0x%08x %s range=%u..%u processed=%u segment=%u needed=%u",
		  __get_str(peer), __entry->xid,
		  rpcrdma2_show_err(__entry->code), __entry->low,
		  __entry->high, __entry->processed, __entry->index,
		  __entry->needed)
);

#define DEFINE_RPCRDMA2_ERROR_EVENT(name)				\
	DEFINE_EVENT(rpcrdma2_error_class, name,			\
		TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,	\
			 const struct rpcrdma2_error *err),		\
		TP_ARGS(conn, xid, err))

DEFINE_RPCRDMA2_ERROR_EVENT(rpcrdma2_error_sent);
DEFINE_RPCRDMA2_ERROR_EVENT(rpcrdma2_error_received);

#define rpcrdma2_show_opterr(x)						\
	__print_symbolic(x,						\
		{ OPTRERR_BADHMT,	"BADHMT" },			\
		{ OPTRERR_BADOMT,	"BADOMT" },			\
		{ OPTRERR_BADCONT,	"BADCONT" },			\
		{ OPTRERR_BADSEQ,	"BADSEQ" },			\
		{ OPTRERR_BADXID,	"BADXID" },			\
		{ OPTRERR_BADOFF,	"BADOFF" },			\
		{ OPTRERR_BADTBSN,	"BADTBSN" },			\
		{ OPTRERR_BADPL,	"BADPL" })

#define rpcrdma2_show_memory(x)						\
	__print_symbolic(x,						\
		{ RPCRDMA2_MEMORY_ADMITTED,	"admitted" },		\
		{ RPCRDMA2_MEMORY_GROWN,	"grown" },		\
		{ RPCRDMA2_MEMORY_FAILED,	"not allocated" },	\
		{ RPCRDMA2_MEMORY_SHRUNK,	"shrunk" },		\
		{ RPCRDMA2_MEMORY_LOWERED,	"lowered" },		\
		{ RPCRDMA2_MEMORY_CLOSED,	"closed" },		\
		{ RPCRDMA2_MEMORY_DRY,		"used up" })

TRACE_EVENT(rpcrdma2_memory,
	TP_PROTO(const struct rpcrdma2_conn *conn, u32 charged, u32 credits,
		 u32 blocks, enum rpcrdma2_memory_event event),
	TP_ARGS(conn, charged, credits, blocks, event),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, charged)
		__field(u32, credits)
		__field(u32, blocks)
		__field(u32, event)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->charged = charged;
		__entry->credits = credits;
		__entry->blocks = blocks;
		__entry->event = event;
	),
	TP_printk("peer=%s %s charged=%u kB credits=%u blocks=%u",
		  __get_str(peer), rpcrdma2_show_memory(__entry->event),
		  __entry->charged, __entry->credits, __entry->blocks)
);

TRACE_EVENT(rpcrdma2_xmtreq,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_xmtreq *req, bool sent),
	TP_ARGS(conn, xid, req, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(bool, sent)
		__field(u32, items)
		__field(u32, tbsns)
		__field(u32, wanted)
		__field(u32, count)
		__field(u32, pslen)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->sent = sent;
		__entry->items = req->nitems;
		__entry->tbsns = req->pool.ntbsns;
		__entry->wanted = req->nrsditems;
		__entry->count = req->count;
		__entry->pslen = req->pslen;
	),
	TP_printk("peer=%s xid=0x%08x %s items=%u tbsns=%u wanted=%u count=%u pslen=%u",
		  __get_str(peer), __entry->xid,
		  __entry->sent ? "sent" : "received", __entry->items,
		  __entry->tbsns, __entry->wanted, __entry->count,
		  __entry->pslen)
);

TRACE_EVENT(rpcrdma2_xmtresp,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,
		 const struct rpcrdma2_xmtresp *resp, bool sent),
	TP_ARGS(conn, xid, resp, sent),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(bool, sent)
		__field(u32, items)
		__field(u32, tbsns)
		__field(u32, count)
		__field(u32, pslen)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->sent = sent;
		__entry->items = resp->nitems;
		__entry->tbsns = resp->pool.ntbsns;
		__entry->count = resp->count;
		__entry->pslen = resp->pslen;
	),
	TP_printk("peer=%s xid=0x%08x %s items=%u tbsns=%u count=%u pslen=%u",
		  __get_str(peer), __entry->xid,
		  __entry->sent ? "sent" : "received", __entry->items,
		  __entry->tbsns, __entry->count, __entry->pslen)
);

DECLARE_EVENT_CLASS(rpcrdma2_repterr_class,
	TP_PROTO(const struct rpcrdma2_conn *conn,
		 const struct rpcrdma2_repterr *rep),
	TP_ARGS(conn, rep),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(u32, dir)
		__field(u32, seq)
		__field(u32, which)
		__array(u32, args, 3)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(rep->bad.xid);
		__entry->dir = rep->bad.dir;
		__entry->seq = rep->bad.seq;
		__entry->which = rep->which;
		memcpy(__entry->args, rep->args, sizeof(rep->args));
	),
	TP_printk("peer=%s xid=0x%08x %s seq=%u %s (%u, %u, %u)",
		  __get_str(peer), __entry->xid,
		  rpcrdma2_show_dir(__entry->dir), __entry->seq,
		  rpcrdma2_show_opterr(__entry->which), __entry->args[0],
		  __entry->args[1], __entry->args[2])
);

#define DEFINE_RPCRDMA2_REPTERR_EVENT(name)				\
	DEFINE_EVENT(rpcrdma2_repterr_class, name,			\
		TP_PROTO(const struct rpcrdma2_conn *conn,		\
			 const struct rpcrdma2_repterr *rep),		\
		TP_ARGS(conn, rep))

DEFINE_RPCRDMA2_REPTERR_EVENT(rpcrdma2_repterr_sent);
DEFINE_RPCRDMA2_REPTERR_EVENT(rpcrdma2_repterr_received);

DECLARE_EVENT_CLASS(rpcrdma2_group_class,
	TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid, u32 dir,
		 u32 count, u32 here),
	TP_ARGS(conn, xid, dir, count, here),
	TP_STRUCT__entry(
		__string(peer, conn->cn_name)
		__field(u32, xid)
		__field(u32, dir)
		__field(u32, count)
		__field(u32, here)
	),
	TP_fast_assign(
		__assign_str(peer);
		__entry->xid = be32_to_cpu(xid);
		__entry->dir = dir;
		__entry->count = count;
		__entry->here = here;
	),
	TP_printk("peer=%s xid=0x%08x %s transmissions=%u/%u",
		  __get_str(peer), __entry->xid,
		  rpcrdma2_show_dir(__entry->dir), __entry->here,
		  __entry->count)
);

#define DEFINE_RPCRDMA2_GROUP_EVENT(name)				\
	DEFINE_EVENT(rpcrdma2_group_class, name,			\
		TP_PROTO(const struct rpcrdma2_conn *conn, __be32 xid,	\
			 u32 dir, u32 count, u32 here),			\
		TP_ARGS(conn, xid, dir, count, here))

DEFINE_RPCRDMA2_GROUP_EVENT(rpcrdma2_group_sent);
DEFINE_RPCRDMA2_GROUP_EVENT(rpcrdma2_group_received);
DEFINE_RPCRDMA2_GROUP_EVENT(rpcrdma2_group_broken);

#endif /* _TRACE_RPCRDMA2_H */

#include <trace/define_trace.h>
