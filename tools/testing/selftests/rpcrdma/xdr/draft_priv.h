/* SPDX-License-Identifier: GPL-2.0 */
/* What the files share that use rpcgen's output. */
#ifndef XDR_DRAFT_PRIV_H
#define XDR_DRAFT_PRIV_H

#include "draft.h"
#include "model.h"

/* Whatever rdma_optinfo holds */
union info {
	optinfo_initxch initxch;
	optinfo_reqxch reqxch;
	optinfo_respxch respxch;
	optinfo_updxch updxch;
	optxmt_req req;
	optxmt_resp resp;
	optxmt_cont cont;
	optrept_err rept;
};

/* draft.c */
xdrproc_t value_type(u32 id);
void draft_free(xdrproc_t fn, void *x);

/* draft_to.c; what the structures point at stays until to_begin() */
void to_begin(void);
void to_lists(rpcrdma2_chunk_lists *to, const struct m_msg *m);
void to_error(rpcrdma2_error *to, const struct m_msg *m);
void to_optinfo(rpcrdma2_optional *to, const struct m_msg *m, xdrproc_t fn,
		void (*fill)(union info *to, const struct m_msg *m));
void to_initxch(union info *to, const struct m_msg *m);
void to_reqxch(union info *to, const struct m_msg *m);
void to_respxch(union info *to, const struct m_msg *m);
void to_updxch(union info *to, const struct m_msg *m);
void to_req(union info *to, const struct m_msg *m);
void to_resp(union info *to, const struct m_msg *m);
void to_cont(union info *to, const struct m_msg *m);
void to_rept(union info *to, const struct m_msg *m);

/* draft_from.c; false if something does not parse, or is more than the model can hold */
extern bool draft_too_much;
bool from_dir(u32 *dir, msg_type x);
bool exactly(const char *val, u_int len, xdrproc_t fn, void *x);
bool from_lists(struct m_msg *m, const rpcrdma2_chunk_lists *x);
bool from_error(struct m_msg *m, const rpcrdma2_error *x);
bool from_foreign(struct m_msg *m, const char *val, u_int len);
bool from_initxch(struct m_msg *m, const union info *x);
bool from_reqxch(struct m_msg *m, const union info *x);
bool from_respxch(struct m_msg *m, const union info *x);
bool from_updxch(struct m_msg *m, const union info *x);
bool from_req(struct m_msg *m, const union info *x);
bool from_resp(struct m_msg *m, const union info *x);
bool from_cont(struct m_msg *m, const union info *x);
bool from_rept(struct m_msg *m, const union info *x);

#endif /* XDR_DRAFT_PRIV_H */
