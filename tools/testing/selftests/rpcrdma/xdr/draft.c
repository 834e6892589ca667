// SPDX-License-Identifier: GPL-2.0
/*
 * Messages encoded and decoded by what rpcgen makes of the drafts' XDR. Here, and
 * nowhere else, stands which structure overlays which opaque.
 */
#include <string.h>

#include "draft_names.h"
#include "draft_priv.h"

#define CONST(c)	{ #c, c },
#define NAME(t)		#t,
#define CODE(t)		(void *)xdr_##t,

const struct m_const draft_consts[] = { DRAFT_CONSTANTS(CONST) { NULL, 0 } };
const char *const draft_types[] = { DRAFT_TYPES(NAME) };
static void *const codes[] = { DRAFT_TYPES(CODE) };
const size_t draft_ntypes = sizeof(codes) / sizeof(codes[0]);
/* Where it is counted how often each type is encoded or decoded, or NULL */
u64 *draft_count;

/**
 * type_of - find a type by its encoder and decoder, which is called very often
 * @fn: that function
 *
 * Return: number of the type, or draft_ntypes.
 */
static size_t type_of(const void *fn)
{
	static u8 known[4096];
	u8 *slot = &known[(uintptr_t)fn / 16 % sizeof(known)];
	size_t i = *slot;

	if (i < draft_ntypes && codes[i] == fn)
		return i;
	for (i = 0; i < draft_ntypes && codes[i] != fn; i++)
		;
	*slot = i;
	return i;
}

/* The generated code is compiled to call these on the way in and out of a function */
void __cyg_profile_func_enter(void *fn, void *from)
{
	size_t i = draft_count ? type_of(fn) : draft_ntypes;

	(void)from;
	if (i < draft_ntypes)
		draft_count[i]++;
}

void __cyg_profile_func_exit(void *fn, void *from)
{
	(void)fn;
	(void)from;
}

/**
 * xdr_bool - a bool, or whether there is more, as RFC 4506 has it
 * @xdrs: what it is encoded to, or decoded from
 * @x: the value
 *
 * In the place of libtirpc's, which takes every word but 0 for true.
 *
 * Return: FALSE if there is no such word, or it is neither 0 nor 1.
 */
bool_t xdr_bool(XDR *xdrs, bool_t *x)
{
	return xdr_int(xdrs, x) && (*x == FALSE || *x == TRUE || xdrs->x_op == XDR_FREE);
}

/**
 * draft_free - free what was decoded, which the generated code does, too
 * @fn: its encoder and decoder
 * @x: the structure
 */
void draft_free(xdrproc_t fn, void *x)
{
	u64 *counted = draft_count;

	draft_count = NULL;
	xdr_free(fn, x);
	draft_count = counted;
}

/* The types of the characteristics' values */
static const struct {
	u32 id;
	xdrproc_t fn;
} value_types[] = {
	{ XCHAR_RBSIZ, (xdrproc_t)xdr_xchrbsiz },
	{ XCHAR_REQREMINV, (xdrproc_t)xdr_xchrreqrem },
	{ XCHAR_BRS, (xdrproc_t)xdr_xchrbrs },
	{ XPROP_RTRSUPP, (xdrproc_t)xdr_xpr_rtrs },
	{ XPROP_RBSTRUCT, (xdrproc_t)xdr_xpr_rbs },
	{ XPROP_REQRXLIM, (xdrproc_t)xdr_xpr_rqrxl },
	{ XPROP_RESPSXLIM, (xdrproc_t)xdr_xpr_rssxl },
};

/* All but RBSTRUCT go through a u32 */
_Static_assert(sizeof(xchrbsiz) == sizeof(u32) && sizeof(xchrreqrem) == sizeof(u32) &&
	       sizeof(xchrbrs) == sizeof(u32) && sizeof(xpr_rtrs) == sizeof(u32) &&
	       sizeof(xpr_rqrxl) == sizeof(u32) && sizeof(xpr_rssxl) == sizeof(u32),
	       "values that are a word are one in C, too");

/**
 * value_type - what overlays xchv_data
 * @id: the characteristic
 *
 * Return: the encoder and decoder, or NULL if there is no such characteristic.
 */
xdrproc_t value_type(u32 id)
{
	size_t i;

	for (i = 0; i < sizeof(value_types) / sizeof(value_types[0]); i++)
		if (value_types[i].id == id)
			return value_types[i].fn;
	return NULL;
}

/**
 * draft_known_char - is there such a characteristic?
 * @id: its id
 *
 * Return: true if so.
 */
bool draft_known_char(u32 id)
{
	return value_type(id);
}

/* What overlays rdma_optinfo */
static const struct overlay {
	u32 type;
	xdrproc_t fn;
	void (*to)(union info *to, const struct m_msg *m);
	bool (*from)(struct m_msg *m, const union info *x);
} overlays[M_KINDS] = {
	[M_INITXCH] = { ROPT_INITXCH, (xdrproc_t)xdr_optinfo_initxch, to_initxch, from_initxch },
	[M_REQXCH] = { ROPT_REQXCH, (xdrproc_t)xdr_optinfo_reqxch, to_reqxch, from_reqxch },
	[M_RESPXCH] = { ROPT_RESPXCH, (xdrproc_t)xdr_optinfo_respxch, to_respxch, from_respxch },
	[M_UPDXCH] = { ROPT_UPDXCH, (xdrproc_t)xdr_optinfo_updxch, to_updxch, from_updxch },
	[M_XMTREQ] = { ROPT_XMTREQ, (xdrproc_t)xdr_optxmt_req, to_req, from_req },
	[M_XMTRESP] = { ROPT_XMTRESP, (xdrproc_t)xdr_optxmt_resp, to_resp, from_resp },
	[M_XMTCONT] = { ROPT_XMTCONT, (xdrproc_t)xdr_optxmt_cont, to_cont, from_cont },
	[M_REPTERR] = { ROPT_REPTERR, (xdrproc_t)xdr_optrept_err, to_rept, from_rept },
};

/**
 * kind_of - what an OPTIONAL is
 * @type: rdma_opttype
 *
 * Return: its kind.
 */
static enum m_kind kind_of(u32 type)
{
	int k;

	for (k = M_INITXCH; k < M_KINDS; k++)
		if (overlays[k].type == type)
			return k;
	return M_FOREIGN;
}

static void to_optional(rpcrdma2_optional *to, const struct m_msg *m)
{
	to->rdma_optdir = m->dir;
	to->rdma_opttype = m->opttype;
	to_optinfo(to, m, overlays[m->kind].fn, overlays[m->kind].to);
}

/**
 * draft_encode - encode a message
 * @m: the message
 * @buf: where its header goes
 * @size: room there
 *
 * Return: length of the header, or -1.
 */
int draft_encode(const struct m_msg *m, u8 *buf, size_t size)
{
	rpcrdma2_xprt_hdr hdr;
	rpcrdma2_body *body = &hdr.rdma_body;
	XDR xdrs;

	memset(&hdr, 0, sizeof(hdr));
	to_begin();
	hdr.rdma_xid = m->xid;
	hdr.rdma_vers = m->vers;
	hdr.rdma_credit = m->credit;
	body->rdma_proc = m->proc;
	if (m->kind <= M_NOMSG)
		to_lists(&body->rpcrdma2_body_u.rdma_chunks, m);
	else if (m->kind == M_ERROR)
		to_error(&body->rpcrdma2_body_u.rdma_error, m);
	else
		to_optional(&body->rpcrdma2_body_u.rdma_optional, m);
	xdrmem_create(&xdrs, (char *)buf, size, XDR_ENCODE);
	return xdr_rpcrdma2_xprt_hdr(&xdrs, &hdr) ? (int)xdr_getpos(&xdrs) : -1;
}

/**
 * from_optional - take an OPTIONAL over
 * @m: OUT: the message
 * @x: the OPTIONAL
 *
 * Return: false if rdma_optinfo is not what its type says, to the byte.
 */
static bool from_optional(struct m_msg *m, const rpcrdma2_optional *x)
{
	const struct overlay *o = &overlays[m->kind = kind_of(x->rdma_opttype)];
	const char *val = x->rdma_optinfo.rdma_optinfo_val;
	u32 len = x->rdma_optinfo.rdma_optinfo_len;
	union info info;
	bool ok;

	m->opttype = x->rdma_opttype;
	if (!from_dir(&m->dir, x->rdma_optdir))
		return false;
	if (!o->fn)
		return from_foreign(m, val, len);
	memset(&info, 0, sizeof(info));
	ok = exactly(val, len, o->fn, &info) && o->from(m, &info);
	draft_free(o->fn, &info);
	return ok;
}

static bool from_body(struct m_msg *m, const rpcrdma2_body *body)
{
	m->proc = body->rdma_proc;
	switch (body->rdma_proc) {
	case RDMA2_MSG:
	case RDMA2_NOMSG:
		m->kind = m->proc == RDMA2_MSG ? M_MSG : M_NOMSG;
		return from_lists(m, &body->rpcrdma2_body_u.rdma_chunks);
	case RDMA2_ERROR:
		m->kind = M_ERROR;
		m->dir = REPLY;
		return from_error(m, &body->rpcrdma2_body_u.rdma_error);
	default:
		return from_optional(m, &body->rpcrdma2_body_u.rdma_optional);
	}
}

/**
 * draft_decode - decode a message
 * @m: OUT: the message
 * @buf: its bytes
 * @len: how many
 *
 * Return: 0; -1 if it does not parse; -2 if it holds more than the model can.
 */
int draft_decode(struct m_msg *m, const u8 *buf, size_t len)
{
	rpcrdma2_xprt_hdr hdr;
	XDR xdrs;
	bool ok;

	draft_too_much = false;
	memset(m, 0, sizeof(*m));
	memset(&hdr, 0, sizeof(hdr));
	xdrmem_create(&xdrs, (char *)buf, len, XDR_DECODE);
	ok = xdr_rpcrdma2_xprt_hdr(&xdrs, &hdr);
	m->hlen = xdr_getpos(&xdrs);
	m->xid = hdr.rdma_xid;
	m->vers = hdr.rdma_vers;
	m->credit = hdr.rdma_credit;
	ok = ok && from_body(m, &hdr.rdma_body);
	draft_free((xdrproc_t)xdr_rpcrdma2_xprt_hdr, &hdr);
	return ok ? 0 : draft_too_much ? -2 : -1;
}
