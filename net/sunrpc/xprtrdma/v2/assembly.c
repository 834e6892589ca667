// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: messages that take several transmissions, and reports about
 * them.
 *
 * Invariants:
 *
 * G1. There is at most one open group on a connection, and it is made of
 *     messages that arrived one directly after the other.
 * G2. An open group has received as many transmissions as @next says, which is
 *     at least 1 and less than @count; each of them went through
 *     rpcrdma2_check_part().
 * G3. A group is bounded by the number of transmissions that its receiver
 *     allows, each of which is in a Receive that was posted before, and by the
 *     longest message it can take (S-12). How long it may be open is for the
 *     receiver to say, who has a clock.
 * G4. A fault is reported once. What belongs to the same group is not looked at
 *     any more.
 *
 * A report names the transmission in which a fault was seen. If that one broke
 * into a group, the report also names the beginning of the group; then the
 * message that did not arrive is the group, and the intruder was processed for
 * what it is.
 */

#include "assembly.h"
#include "codec_priv.h"

/* Section: reports, as they are made */

/**
 * rpcrdma2_blame - say which transmission a report is about
 * @fault: the report: code and arguments
 * @msg: the transmission, whose direction is known
 * @seq: its number in its group; 0 if it has none
 * @has_lead: it belongs to a group, or breaks one, whose xid and direction
 *	@fault->lead already has
 */
void rpcrdma2_blame(struct rpcrdma2_repterr *fault,
		    const struct rpcrdma2_msg *msg, u32 seq, bool has_lead)
{
	fault->bad.xid = msg->xid;
	fault->bad.dir = msg->dir;
	fault->bad.seq = seq;
	fault->has_lead = has_lead;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_blame);

/* Report that something else was expected. @which: BADHMT, BADOMT, BADSEQ or BADXID.
 * Returns false.
 */
static bool rpcrdma2_expected(struct rpcrdma2_repterr *fault, u32 which,
			      u32 expect, u32 came)
{
	fault->which = which;
	fault->nargs = 2;
	fault->args[0] = expect;
	fault->args[1] = came;
	return false;
}

/* Complete the report about what broke a group. @grp: the group, still open.
 * @seq: its number, if it is a ROPT_XMTCONT. A direction that cannot be read
 * counts as that of the group.
 */
static void rpcrdma2_assembly_blame(const struct rpcrdma2_assembly *grp,
				    const struct rpcrdma2_msg *msg, u32 seq,
				    struct rpcrdma2_repterr *fault)
{
	rpcrdma2_blame(fault, msg, seq, true);
	if (msg->dir == RDMA2_DIR_UNKNOWN)
		fault->bad.dir = grp->dir;
	fault->lead.xid = grp->xid;
	fault->lead.dir = grp->dir;
	fault->lead.seq = 0;
}

/* Section: the transmissions of a group */

/* Is a ROPT_XMTCONT the one that comes next (N-182..N-185, E-07, E-10, E-11, A-67,
 * A-92)?
 */
static bool rpcrdma2_cont_place(const struct rpcrdma2_assembly *grp,
				const struct rpcrdma2_msg *msg,
				const struct rpcrdma2_xmtcont *cont,
				struct rpcrdma2_repterr *fault)
{
	if (msg->xid != grp->xid || msg->dir != grp->dir)
		return rpcrdma2_expected(fault, OPTRERR_BADXID,
					 be32_to_cpu(grp->xid),
					 be32_to_cpu(msg->xid));
	if (cont->itype != grp->itype)
		return rpcrdma2_expected(fault, OPTRERR_BADOMT, grp->itype,
					 cont->itype);
	if (cont->xnum != grp->next)
		return rpcrdma2_expected(fault, OPTRERR_BADSEQ, grp->next,
					 cont->xnum);
	return true;
}

/* Take a transmission into its group (N-135, N-186, C-04, C-09). A message that is
 * too long already does not become shorter. False if it cannot be taken.
 */
static bool rpcrdma2_cont_append(struct rpcrdma2_assembly *grp,
				 const struct rpcrdma2_msg *msg,
				 const struct rpcrdma2_xmtcont *cont,
				 struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_part *part = &grp->parts[grp->next];

	part->length = msg->length;
	part->hdrlen = msg->hdrlen;
	part->pslen = cont->pslen;
	if (!rpcrdma2_check_part(part, 0, fault))
		return false;
	if (!rpcrdma2_check_length(grp->length + part->pslen, grp->max_message,
				   fault))
		return false;
	grp->length += part->pslen;
	grp->next++;
	return true;
}

/* Read a ROPT_XMTCONT. False if it does not parse. */
static bool rpcrdma2_cont_decode(const void *buf,
				 const struct rpcrdma2_msg *msg,
				 struct rpcrdma2_xmtcont *cont)
{
	return msg->verdict == RPCRDMA2_OK &&
	       !rpcrdma2_decode_xmtcont(buf, msg, cont);
}

/* See whether a ROPT_XMTCONT continues the open group. */
static enum rpcrdma2_step rpcrdma2_assembly_next(struct rpcrdma2_assembly *grp,
						 const void *buf,
						 const struct rpcrdma2_msg *msg,
						 struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_xmtcont cont;

	if (!rpcrdma2_cont_decode(buf, msg, &cont)) {
		rpcrdma2_assembly_drop(grp);
		return RPCRDMA2_STEP_BAD_XDR;
	}
	if (!rpcrdma2_cont_place(grp, msg, &cont, fault) ||
	    !rpcrdma2_cont_append(grp, msg, &cont, fault)) {
		rpcrdma2_assembly_blame(grp, msg, cont.xnum, fault);
		rpcrdma2_assembly_drop(grp);
		return RPCRDMA2_STEP_REPORT;
	}
	if (grp->next < grp->count)
		return RPCRDMA2_STEP_HELD;
	grp->state = RPCRDMA2_ASSEMBLY_IDLE;
	return RPCRDMA2_STEP_WHOLE;
}

/* Refuse a ROPT_XMTCONT that continues nothing (E-09, N-181, N-195). @grp: no group
 * is open, and nothing was refused. Returns what it is.
 */
static enum rpcrdma2_step rpcrdma2_assembly_stray(struct rpcrdma2_assembly *grp,
						  const void *buf,
						  const struct rpcrdma2_msg *msg,
						  struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_xmtcont cont;

	grp->state = RPCRDMA2_ASSEMBLY_DRAIN;
	if (!rpcrdma2_cont_decode(buf, msg, &cont))
		return RPCRDMA2_STEP_BAD_XDR;
	fault->which = OPTRERR_BADCONT;
	fault->nargs = 0;
	rpcrdma2_blame(fault, msg, cont.xnum, false);
	return RPCRDMA2_STEP_REPORT;
}

/* A message came between transmissions of a group (E-06, E-07, N-188, N-189, N-193).
 * @grp: open group, which ends here. @fault: the report about it, which is due
 * before the message is processed. Returns what it is.
 */
static enum rpcrdma2_step rpcrdma2_assembly_broken(struct rpcrdma2_assembly *grp,
						   const struct rpcrdma2_msg *msg,
						   struct rpcrdma2_repterr *fault)
{
	if (msg->proc != RDMA2_OPTIONAL) {
		rpcrdma2_expected(fault, OPTRERR_BADHMT, RDMA2_OPTIONAL, msg->proc);
	} else if (msg->opt.typed) {
		rpcrdma2_expected(fault, OPTRERR_BADOMT, ROPT_XMTCONT,
				  msg->opt.type);
	} else {
		rpcrdma2_assembly_drop(grp);
		return RPCRDMA2_STEP_BAD_XDR;
	}
	rpcrdma2_assembly_blame(grp, msg, 0, fault);
	rpcrdma2_assembly_drop(grp);
	return RPCRDMA2_STEP_OTHER;
}

/**
 * rpcrdma2_assembly_step - look at a message in the order of arrival
 * @grp: reassembly of its connection
 * @buf: the received bytes
 * @msg: message decoded from them, 16 bytes or more; its body may be bad
 * @fault: OUT: what is wrong; @which is 0 if nothing is
 *
 * What a message breaks is looked at before its body is. If the group
 * was open before and is not afterwards, and this is not RPCRDMA2_STEP_WHOLE,
 * then the caller frees what it holds of the group, and fails the RPC if it is
 * a reply. With RPCRDMA2_STEP_OTHER there may be a report to send all the same;
 * a ROPT_XMTREQ or ROPT_XMTRESP then goes to rpcrdma2_assembly_lead() or
 * rpcrdma2_assembly_refuse(). RPCRDMA2_STEP_BAD_XDR is answered by RDMA2_ERROR
 * unless the message is a reply.
 *
 * Context: once for each message of a connection, in the order of arrival, if
 * the receiver takes ROPT_XMTCONT at all
 * Return: what the message is
 */
enum rpcrdma2_step rpcrdma2_assembly_step(struct rpcrdma2_assembly *grp,
					  const void *buf,
					  const struct rpcrdma2_msg *msg,
					  struct rpcrdma2_repterr *fault)
{
	memset(fault, 0, sizeof(*fault));
	if (msg->vers != RPCRDMA2_VERSION)
		return RPCRDMA2_STEP_OTHER;
	if (msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	    msg->opt.type == ROPT_XMTCONT) {
		switch (grp->state) {
		case RPCRDMA2_ASSEMBLY_DRAIN:
			return RPCRDMA2_STEP_DISCARD;
		case RPCRDMA2_ASSEMBLY_OPEN:
			return rpcrdma2_assembly_next(grp, buf, msg, fault);
		default:
			return rpcrdma2_assembly_stray(grp, buf, msg, fault);
		}
	}
	if (rpcrdma2_assembly_is_open(grp))
		return rpcrdma2_assembly_broken(grp, msg, fault);
	grp->state = RPCRDMA2_ASSEMBLY_IDLE;
	return RPCRDMA2_STEP_OTHER;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_assembly_step);

/* Section: how a group begins and ends */

/**
 * rpcrdma2_assembly_lead - judge an initial transmission
 * @grp: reassembly of its connection, behind rpcrdma2_assembly_step()
 * @msg: ROPT_XMTREQ or ROPT_XMTRESP that parses
 * @arr: the message as far as it is here, @parts being its first part
 * @req: the request, or NULL if it is a response
 * @parts: room for as many parts as @arr->limit; stays the caller's, who keeps
 *	it until the group is complete or dropped
 * @fault: OUT: what is wrong
 *
 * With RPCRDMA2_STEP_WHOLE, here or from rpcrdma2_assembly_step(), what is left
 * is rpcrdma2_check_whole(), in any context. Behind a group that this message
 * has broken the state stays RPCRDMA2_ASSEMBLY_DRAIN unless a group opens.
 *
 * Return: RPCRDMA2_STEP_WHOLE, RPCRDMA2_STEP_HELD or RPCRDMA2_STEP_REPORT
 */
enum rpcrdma2_step rpcrdma2_assembly_lead(struct rpcrdma2_assembly *grp,
					  const struct rpcrdma2_msg *msg,
					  const struct rpcrdma2_arrival *arr,
					  const struct rpcrdma2_xmtreq *req,
					  struct rpcrdma2_part *parts,
					  struct rpcrdma2_repterr *fault)
{
	if (!rpcrdma2_check_lead(arr, req, fault)) {
		rpcrdma2_blame(fault, msg, 0, false);
		if (arr->count > 1)
			grp->state = RPCRDMA2_ASSEMBLY_DRAIN;
		return RPCRDMA2_STEP_REPORT;
	}
	if (arr->count == 1)
		return RPCRDMA2_STEP_WHOLE;

	grp->state = RPCRDMA2_ASSEMBLY_OPEN;
	grp->xid = msg->xid;
	grp->dir = msg->dir;
	grp->itype = msg->opt.type;
	grp->count = arr->count;
	grp->next = 1;
	grp->length = rpcrdma2_virtual_length(arr);
	grp->max_message = arr->max_message;
	grp->parts = parts;
	return RPCRDMA2_STEP_HELD;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_assembly_lead);

/* Section: reports, as they are obeyed */

static const char * const rpcrdma2_opterr_names[] = {
	[OPTRERR_BADHMT]	= "BADHMT",
	[OPTRERR_BADOMT]	= "BADOMT",
	[OPTRERR_BADCONT]	= "BADCONT",
	[OPTRERR_BADSEQ]	= "BADSEQ",
	[OPTRERR_BADXID]	= "BADXID",
	[OPTRERR_BADOFF]	= "BADOFF",
	[OPTRERR_BADTBSN]	= "BADTBSN",
	[OPTRERR_BADPL]		= "BADPL",
};

/**
 * rpcrdma2_opterr_name - the name of a code
 * @which: enum rpcrdma2_opterr, or something else
 *
 * Return: text that never goes away
 */
const char *rpcrdma2_opterr_name(u32 which)
{
	if (which >= ARRAY_SIZE(rpcrdma2_opterr_names) ||
	    !rpcrdma2_opterr_names[which])
		return "?";
	return rpcrdma2_opterr_names[which];
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_opterr_name);

/**
 * rpcrdma2_repterr_about - which message did not arrive?
 * @msg: received ROPT_REPTERR, header sound
 * @rep: its content
 * @about: OUT: xid and direction of the message
 *
 * The direction of a report is opposite to that of the fault, and its xid is
 * the same; one that says otherwise is about nothing. The values
 * of a report are information and are not looked at (N-215).
 *
 * Return: %false if the report contradicts itself
 */
bool rpcrdma2_repterr_about(const struct rpcrdma2_msg *msg,
			    const struct rpcrdma2_repterr *rep,
			    struct rpcrdma2_xmsid *about)
{
	if (rep->bad.xid != msg->xid || rep->bad.dir == msg->dir)
		return false;
	*about = rep->has_lead ? rep->lead : rep->bad;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_repterr_about);

/**
 * rpcrdma2_is_refusal - does a message say that a Call was not processed?
 * @msg: message that ends a Call, perhaps not sound
 *
 * All of a Call has been received that is replied to, however badly.
 *
 * Return: %false if it is meant as a reply
 */
bool rpcrdma2_is_refusal(const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_ERROR ||
	       (msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
		msg->opt.type == ROPT_REPTERR);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_is_refusal);

/**
 * rpcrdma2_recent_add - note that a response was sent
 * @recent: where to
 * @xid: its rdma_xid
 *
 * The oldest one is forgotten: the more have been sent after a response, the
 * less likely is a report about it.
 */
void rpcrdma2_recent_add(struct rpcrdma2_recent *recent, __be32 xid)
{
	u32 n = atomic_fetch_inc(&recent->count);

	WRITE_ONCE(recent->xids[n % RPCRDMA2_MAX_RECENT], (__force u32)xid);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_recent_add);

/**
 * rpcrdma2_recent_take - can a report be about a response of ours?
 * @recent: responses that were noted
 * @xid: the xid that the report is about
 *
 * Each response can be reported once (N-212).
 *
 * Return: %false if none with this xid was noted, or it was forgotten
 */
bool rpcrdma2_recent_take(struct rpcrdma2_recent *recent, __be32 xid)
{
	u32 noted = (__force u32)xid, i;

	if (!noted)
		return false;
	for (i = 0; i < RPCRDMA2_MAX_RECENT; i++)
		if (READ_ONCE(recent->xids[i]) == noted &&
		    cmpxchg(&recent->xids[i], noted, 0) == noted)
			return true;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_recent_take);
