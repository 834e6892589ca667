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
		__string(why, rpcrdma2_why_name(conn->cn_why))
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

#endif /* _TRACE_RPCRDMA2_H */

#include <trace/define_trace.h>
