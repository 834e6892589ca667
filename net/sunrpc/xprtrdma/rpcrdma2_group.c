// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: messages that take several transmissions.
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
 */

#include "rpcrdma2_codec_priv.h"
#include "rpcrdma2_group.h"

/*
 * Section: reports
 */

/**
 * rpcrdma2_blame - say which transmission a report is about
 * @fault: the report: code and arguments
 * @msg: the transmission, whose direction is known
 * @seq: its number in its group; 0 if it has none
 * @has_lead: it belongs to a group, or breaks one, whose xid and direction
 *	@fault->lead already has
 *
 * Serves A-94, E-16.
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

/**
 * rpcrdma2_expected - report that something else was expected
 * @fault: OUT: the report: code and arguments
 * @which: BADHMT, BADOMT, BADSEQ or BADXID
 * @expect: what was expected
 * @came: what came
 *
 * Return: %false
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

/**
 * rpcrdma2_group_blame - complete the report about what broke a group
 * @grp: the group, still open
 * @msg: what broke it
 * @seq: its number, if it is a ROPT_XMTCONT
 * @fault: the report: code and arguments
 *
 * A direction that cannot be read counts as that of the group.
 */
static void rpcrdma2_group_blame(const struct rpcrdma2_group *grp,
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

/*
 * Section: the transmissions of a group
 */

/**
 * rpcrdma2_cont_place - is a ROPT_XMTCONT the one that comes next?
 * @grp: open group
 * @msg: the message
 * @cont: what it says
 * @fault: OUT: what is wrong
 *
 * Serves N-182..N-185, E-07, E-10, E-11, A-67, A-92.
 *
 * Return: %false if it is not
 */
static bool rpcrdma2_cont_place(const struct rpcrdma2_group *grp,
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

/**
 * rpcrdma2_cont_append - take a transmission into its group
 * @grp: open group
 * @msg: ROPT_XMTCONT that comes next
 * @cont: what it says
 * @fault: OUT: what is wrong
 *
 * A message that is too long already does not become shorter. Serves N-135,
 * N-186, C-04, C-09.
 *
 * Return: %false if it cannot be taken
 */
static bool rpcrdma2_cont_append(struct rpcrdma2_group *grp,
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

/**
 * rpcrdma2_cont_decode - read a ROPT_XMTCONT
 * @buf: the received bytes
 * @msg: message decoded from them
 * @cont: OUT: what it says
 *
 * Return: %false if it does not parse
 */
static bool rpcrdma2_cont_decode(const void *buf,
				 const struct rpcrdma2_msg *msg,
				 struct rpcrdma2_xmtcont *cont)
{
	return msg->verdict == RPCRDMA2_OK &&
	       !rpcrdma2_decode_xmtcont(buf, msg, cont);
}

/**
 * rpcrdma2_group_next - see whether a ROPT_XMTCONT continues the open group
 * @grp: open group
 * @buf: the received bytes
 * @msg: ROPT_XMTCONT decoded from them
 * @fault: OUT: what is wrong
 *
 * Return: what it is
 */
static enum rpcrdma2_step rpcrdma2_group_next(struct rpcrdma2_group *grp,
					      const void *buf,
					      const struct rpcrdma2_msg *msg,
					      struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_xmtcont cont;

	if (!rpcrdma2_cont_decode(buf, msg, &cont)) {
		rpcrdma2_group_drop(grp);
		return RPCRDMA2_STEP_BAD_XDR;
	}
	if (!rpcrdma2_cont_place(grp, msg, &cont, fault) ||
	    !rpcrdma2_cont_append(grp, msg, &cont, fault)) {
		rpcrdma2_group_blame(grp, msg, cont.xnum, fault);
		rpcrdma2_group_drop(grp);
		return RPCRDMA2_STEP_REPORT;
	}
	if (grp->next < grp->count)
		return RPCRDMA2_STEP_HELD;
	grp->state = RPCRDMA2_GROUP_IDLE;
	return RPCRDMA2_STEP_WHOLE;
}

/**
 * rpcrdma2_group_stray - refuse a ROPT_XMTCONT that continues nothing
 * @grp: no group is open, and nothing was refused
 * @buf: the received bytes
 * @msg: ROPT_XMTCONT decoded from them
 * @fault: OUT: what is wrong
 *
 * Serves E-09, N-181, N-195.
 *
 * Return: what it is
 */
static enum rpcrdma2_step rpcrdma2_group_stray(struct rpcrdma2_group *grp,
					       const void *buf,
					       const struct rpcrdma2_msg *msg,
					       struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_xmtcont cont;

	grp->state = RPCRDMA2_GROUP_DRAIN;
	if (!rpcrdma2_cont_decode(buf, msg, &cont))
		return RPCRDMA2_STEP_BAD_XDR;
	fault->which = OPTRERR_BADCONT;
	fault->nargs = 0;
	rpcrdma2_blame(fault, msg, cont.xnum, false);
	return RPCRDMA2_STEP_REPORT;
}

/**
 * rpcrdma2_group_broken - a message came between transmissions of a group
 * @grp: open group, which ends here
 * @msg: message that is no ROPT_XMTCONT
 * @fault: OUT: the report about it, which is due before the message is
 *	processed
 *
 * Serves E-06, E-07, N-188, N-189, N-193.
 *
 * Return: what it is
 */
static enum rpcrdma2_step rpcrdma2_group_broken(struct rpcrdma2_group *grp,
						const struct rpcrdma2_msg *msg,
						struct rpcrdma2_repterr *fault)
{
	if (msg->proc != RDMA2_OPTIONAL) {
		rpcrdma2_expected(fault, OPTRERR_BADHMT, RDMA2_OPTIONAL,
				  msg->proc);
	} else if (msg->opt.typed) {
		rpcrdma2_expected(fault, OPTRERR_BADOMT, ROPT_XMTCONT,
				  msg->opt.type);
	} else {
		rpcrdma2_group_drop(grp);
		return RPCRDMA2_STEP_BAD_XDR;
	}
	rpcrdma2_group_blame(grp, msg, 0, fault);
	rpcrdma2_group_drop(grp);
	return RPCRDMA2_STEP_OTHER;
}

/**
 * rpcrdma2_group_step - look at a message in the order of arrival
 * @grp: reassembly of its connection
 * @buf: the received bytes
 * @msg: message decoded from them, 16 bytes or more; its body may be bad
 * @fault: OUT: what is wrong; @which is 0 if nothing is
 *
 * What a message breaks is looked at before its body is. If the group
 * was open before and is not afterwards, and this is not RPCRDMA2_STEP_WHOLE,
 * then the caller frees what it holds of the group, and fails the RPC if it is
 * a reply. With RPCRDMA2_STEP_OTHER there may be a report to send all the same;
 * a ROPT_XMTREQ or ROPT_XMTRESP then goes to rpcrdma2_group_lead() or
 * rpcrdma2_group_refuse(). RPCRDMA2_STEP_BAD_XDR is answered by RDMA2_ERROR
 * unless the message is a reply. Serves A-93, C-24, N-181..N-197.
 *
 * Context: once for each message of a connection, in the order of arrival, if
 * the receiver takes ROPT_XMTCONT at all
 *
 * Return: what the message is
 */
enum rpcrdma2_step rpcrdma2_group_step(struct rpcrdma2_group *grp,
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
		case RPCRDMA2_GROUP_DRAIN:
			return RPCRDMA2_STEP_DISCARD;
		case RPCRDMA2_GROUP_OPEN:
			return rpcrdma2_group_next(grp, buf, msg, fault);
		default:
			return rpcrdma2_group_stray(grp, buf, msg, fault);
		}
	}
	if (rpcrdma2_group_is_open(grp))
		return rpcrdma2_group_broken(grp, msg, fault);
	grp->state = RPCRDMA2_GROUP_IDLE;
	return RPCRDMA2_STEP_OTHER;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_group_step);

/*
 * Section: how a group begins and ends
 */

/**
 * rpcrdma2_group_lead - judge an initial transmission
 * @grp: reassembly of its connection, behind rpcrdma2_group_step()
 * @msg: ROPT_XMTREQ or ROPT_XMTRESP that parses
 * @arr: the message as far as it is here, @parts being its first part
 * @req: the request, or NULL if it is a response
 * @parts: room for as many parts as @arr->limit; stays the caller's, who keeps
 *	it until the group is complete or dropped
 * @fault: OUT: what is wrong
 *
 * With RPCRDMA2_STEP_WHOLE, here or from rpcrdma2_group_step(), what is left is
 * rpcrdma2_check_whole(), in any context. Behind a group that this message has
 * broken the state stays RPCRDMA2_GROUP_DRAIN unless a group opens. Serves
 * N-127, N-128, S-12.
 *
 * Return: RPCRDMA2_STEP_WHOLE, RPCRDMA2_STEP_HELD or RPCRDMA2_STEP_REPORT
 */
enum rpcrdma2_step rpcrdma2_group_lead(struct rpcrdma2_group *grp,
				       const struct rpcrdma2_msg *msg,
				       const struct rpcrdma2_arrival *arr,
				       const struct rpcrdma2_xmtreq *req,
				       struct rpcrdma2_part *parts,
				       struct rpcrdma2_repterr *fault)
{
	if (!rpcrdma2_check_lead(arr, req, fault)) {
		rpcrdma2_blame(fault, msg, 0, false);
		if (arr->count > 1)
			grp->state = RPCRDMA2_GROUP_DRAIN;
		return RPCRDMA2_STEP_REPORT;
	}
	if (arr->count == 1)
		return RPCRDMA2_STEP_WHOLE;

	grp->state = RPCRDMA2_GROUP_OPEN;
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
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_group_lead);

/**
 * rpcrdma2_group_refuse - an initial transmission is refused for other reasons
 * @grp: reassembly of its connection, behind rpcrdma2_group_step()
 * @count: transmissions it is said to consist of; 0 if that cannot be read
 *
 * Serves N-121, N-161, N-162.
 */
void rpcrdma2_group_refuse(struct rpcrdma2_group *grp, u32 count)
{
	if (count != 1)
		grp->state = RPCRDMA2_GROUP_DRAIN;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_group_refuse);

/**
 * rpcrdma2_group_drop - give up the group that is open, if there is one
 * @grp: reassembly of a connection
 *
 * What is still to come of it is discarded.
 */
void rpcrdma2_group_drop(struct rpcrdma2_group *grp)
{
	if (!rpcrdma2_group_is_open(grp))
		return;
	grp->state = RPCRDMA2_GROUP_DRAIN;
	grp->parts = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_group_drop);

/*
 * Section: sending
 */

/**
 * struct rpcrdma2_planner - a message that is being split
 * @plan: what came of it so far
 * @to: what it is sent to
 * @payload: length of the payload stream, in bytes
 * @next: first segment of the last transmission that no item is in
 * @start: first byte of the last transmission behind header and payload
 */
struct rpcrdma2_planner {
	struct rpcrdma2_plan		*plan;
	const struct rpcrdma2_dest	*to;
	u32				payload;
	u32				next;
	u32				start;
};

/**
 * rpcrdma2_planner_add - add a transmission
 * @pl: message that is being split
 * @hdrlen: its header, in bytes
 * @done: payload that is in the ones before it, in bytes
 *
 * Parts of the payload stream are whole words.
 *
 * Return: how much of the payload fits into it, or a negative errno if there
 * can be no more of them
 */
static int rpcrdma2_planner_add(struct rpcrdma2_planner *pl, u32 hdrlen,
				u32 done)
{
	struct rpcrdma2_plan *plan = pl->plan;
	struct rpcrdma2_xmt *xmt;
	u32 room;

	if (plan->nxmts == min_t(u32, pl->to->max_xmts, RPCRDMA2_MAX_XMTS) ||
	    hdrlen > pl->to->limit)
		return -EMSGSIZE;
	room = (pl->to->limit - hdrlen) & ~(RPCRDMA2_WORD - 1);
	xmt = &plan->xmts[plan->nxmts++];
	xmt->hdrlen = hdrlen;
	xmt->payload = done;
	xmt->pslen = min_t(u32, pl->payload - done, room);
	xmt->length = hdrlen + xmt->pslen;
	xmt->run = plan->nruns;
	xmt->nruns = 0;
	pl->next = 0;
	pl->start = xmt->length;
	return xmt->pslen;
}

/**
 * rpcrdma2_planner_payload - split the payload stream
 * @pl: message that is being split, without transmissions
 * @hdrlen: header of the initial transmission, in bytes
 *
 * The initial transmission has to hold its beginning (C-10).
 *
 * Return: %false if it does not fit
 */
static bool rpcrdma2_planner_payload(struct rpcrdma2_planner *pl, u32 hdrlen)
{
	u32 done;
	int len;

	len = rpcrdma2_planner_add(pl, hdrlen, 0);
	if (len < 0 ||
	    (u32)len < min_t(u32, pl->payload, RPCRDMA2_PAYLOAD_MIN))
		return false;
	for (done = len; done < pl->payload; done += len) {
		len = rpcrdma2_planner_add(pl, RPCRDMA2_CONT_SIZE, done);
		if (len <= 0)
			return false;
	}
	return true;
}

/**
 * rpcrdma2_planner_find - find free segments in the last transmission
 * @pl: message that is being split
 * @left: what is left of an item, in bytes
 * @row: OUT: the segments that it reaches into
 *
 * An item leaves a segment only at its end, so that one which the peer's
 * Receives do not cover is of use to the last bytes of an item at most.
 *
 * Return: how much of the item fits there, in bytes; 0 if there are none
 */
static u32 rpcrdma2_planner_find(struct rpcrdma2_planner *pl, u32 left,
				 struct rpcrdma2_row *row)
{
	u32 room, limit = pl->to->limit;

	for (; rpcrdma2_plt_row(pl->to->rb, pl->next, row); pl->next++) {
		if (row->offset < pl->start)
			continue;
		if (row->offset > limit)
			return 0;
		room = limit - row->offset;
		left = min_t(u64, left, (u64)row->count * row->size);
		if (left > room)
			left = room - room % row->size;
		row->count = DIV_ROUND_UP(left, row->size);
		return left;
	}
	return 0;
}

/**
 * rpcrdma2_planner_place - place the next bytes of an item
 * @pl: message that is being split; @next is the first of the segments
 * @item: the item
 * @from: first byte, from the start of the item
 * @row: the segments
 * @length: how many bytes, up to the end of these
 *
 * Pieces that are neighbours in a Send are one.
 *
 * Return: %false if there are too many pieces
 */
static bool rpcrdma2_planner_place(struct rpcrdma2_planner *pl, u32 item,
				   u32 from, const struct rpcrdma2_row *row,
				   u32 length)
{
	struct rpcrdma2_plan *plan = pl->plan;
	struct rpcrdma2_xmt *xmt = &plan->xmts[plan->nxmts - 1];
	struct rpcrdma2_run *run = NULL;

	if (xmt->nruns)
		run = &plan->runs[plan->nruns - 1];
	if (run && run->item == item &&
	    run->span.offset + run->span.length == row->offset) {
		run->span.length += length;
		run->count += row->count;
	} else {
		if (plan->nruns == RPCRDMA2_MAX_RUNS)
			return false;
		run = &plan->runs[plan->nruns++];
		run->xnum = plan->nxmts - 1;
		run->item = item;
		run->from = from;
		run->span.offset = row->offset;
		run->span.length = length;
		run->tbsn = run->xnum * rpcrdma2_plt_count(pl->to->rb) +
			    pl->next;
		run->count = row->count;
		xmt->nruns++;
	}
	xmt->length = row->offset + length;
	pl->next += row->count;
	return true;
}

/**
 * rpcrdma2_planner_item - place an item
 * @pl: message that is being split, its payload done
 * @item: the item
 * @length: its length, in bytes
 *
 * Where a transmission has no segment left, another one brings more (C-05). If
 * it brings none, there will soon be too many. So there will if the peer's
 * segments are as short as a byte.
 *
 * Return: how many segments it reaches into, or a negative errno if it does not
 * fit
 */
static int rpcrdma2_planner_item(struct rpcrdma2_planner *pl, u32 item,
				 u32 length)
{
	u32 from, fits, count = 0;
	struct rpcrdma2_row row;

	for (from = 0; from < length; from += fits) {
		while (!(fits = rpcrdma2_planner_find(pl, length - from, &row)))
			if (rpcrdma2_planner_add(pl, RPCRDMA2_CONT_SIZE,
						 pl->payload) < 0)
				return -EMSGSIZE;
		if (row.count > RPCRDMA2_MAX_TBSNS - count ||
		    !rpcrdma2_planner_place(pl, item, from, &row, fits))
			return -EMSGSIZE;
		count += row.count;
	}
	return count;
}

/**
 * rpcrdma2_plan_once - split a message whose header has a certain length
 * @plan: OUT: how it is sent
 * @to: what it is sent to
 * @hdrlen: header of the initial transmission, in bytes
 * @payload: length of the payload stream, in bytes
 * @lengths: lengths of the items that are placed, in bytes
 * @nitems: how many there are
 *
 * Return: how many segments the items reach into, or a negative errno if the
 * message does not fit
 */
static int rpcrdma2_plan_once(struct rpcrdma2_plan *plan,
			      const struct rpcrdma2_dest *to, u32 hdrlen,
			      u32 payload, const u32 *lengths, u32 nitems)
{
	struct rpcrdma2_planner pl = {
		.plan		= plan,
		.to		= to,
		.payload	= payload,
	};
	int count, words = 0;
	u32 i;

	plan->nxmts = 0;
	plan->nruns = 0;
	if (!rpcrdma2_planner_payload(&pl, hdrlen))
		return -EMSGSIZE;
	for (i = 0; i < nitems; i++) {
		count = rpcrdma2_planner_item(&pl, i, lengths[i]);
		if (count < 0)
			return count;
		words += count;
	}
	return words <= RPCRDMA2_MAX_TBSNS ? words : -EMSGSIZE;
}

/**
 * rpcrdma2_payload_xmts - how many transmissions does a payload take?
 * @limit: longest Send that the peer can take, in bytes
 * @hdrlen: header of the initial transmission, in bytes
 * @payload: length of the payload stream, in bytes
 *
 * Return: the number that rpcrdma2_plan() would find for a message without
 * items; more than RPCRDMA2_MAX_XMTS if there is no such message
 */
u32 rpcrdma2_payload_xmts(u32 limit, u32 hdrlen, u32 payload)
{
	u32 lead, cont;

	if (limit < hdrlen + RPCRDMA2_PAYLOAD_MIN ||
	    limit < RPCRDMA2_CONT_SIZE + RPCRDMA2_WORD ||
	    payload % RPCRDMA2_WORD)
		return U32_MAX;
	lead = (limit - hdrlen) & ~(RPCRDMA2_WORD - 1);
	cont = (limit - RPCRDMA2_CONT_SIZE) & ~(RPCRDMA2_WORD - 1);
	if (payload <= lead)
		return 1;
	return 1 + (payload - lead - 1) / cont + 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_xmts);

/**
 * rpcrdma2_plan - split a message over transmissions
 * @plan: OUT: how it is sent
 * @to: what it is sent to
 * @hdrlen: header of the initial transmission in bytes, with the items but
 *	without numbers of segments
 * @payload: length of the payload stream in bytes, a multiple of 4
 * @lengths: lengths of the items that are placed, in bytes
 * @nitems: how many there are, up to RPCRDMA2_MAX_MITEMS
 *
 * The payload stream comes first, the items behind it, in segments of the same
 * transmission as far as there are any. Numbers of segments are part of the
 * header, so that a longer list of them may move what follows. Each
 * transmission takes a credit of the peer's, so the caller compares
 * @plan->nxmts with what it has, and uses explicit RDMA if that is less.
 * Serves C-05, C-06, C-12, C-14, P-13, P-15, A-60, A-66, A-77.
 *
 * Return: %false if the message does not fit, and has to go by explicit RDMA
 */
bool rpcrdma2_plan(struct rpcrdma2_plan *plan, const struct rpcrdma2_dest *to,
		   u32 hdrlen, u32 payload, const u32 *lengths, u32 nitems)
{
	struct rpcrdma2_xmt *lead = &plan->xmts[0];
	int words, room = 0;

	if (nitems > RPCRDMA2_MAX_MITEMS || payload % RPCRDMA2_WORD)
		return false;
	for (;;) {
		words = rpcrdma2_plan_once(plan, to,
					   hdrlen + room * RPCRDMA2_WORD,
					   payload, lengths, nitems);
		if (words < 0)
			return false;
		if (words <= room)
			break;
		room = words;
	}
	lead->hdrlen = hdrlen + words * RPCRDMA2_WORD;
	if (!lead->nruns)
		lead->length = lead->hdrlen + lead->pslen;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plan);

/**
 * rpcrdma2_plan_item - let an item say where it is placed
 * @plan: how its message is sent
 * @n: which item
 * @item: OUT: the item; position and length were set by the caller
 * @pool: gets the numbers
 *
 * Return: %false if there is no room for them in @pool
 */
bool rpcrdma2_plan_item(const struct rpcrdma2_plan *plan, u32 n,
			struct rpcrdma2_mitem *item,
			struct rpcrdma2_pool *pool)
{
	const struct rpcrdma2_run *run;
	u32 i;

	item->type = XMPTYPE_TBSN;
	item->offset = 0;
	item->first = pool->ntbsns;
	for (run = plan->runs; run < plan->runs + plan->nruns; run++) {
		if (run->item != n)
			continue;
		if (run->count > RPCRDMA2_MAX_TBSNS - pool->ntbsns)
			return false;
		for (i = 0; i < run->count; i++)
			pool->tbsns[pool->ntbsns++] = run->tbsn + i;
	}
	item->count = pool->ntbsns - item->first;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plan_item);

/**
 * rpcrdma2_run_gap - what is between a run and what is before it in its Send
 * @plan: how a message is sent
 * @n: the run
 *
 * Serves S-01.
 *
 * Return: how many bytes of zeros to send in front of the run
 */
u32 rpcrdma2_run_gap(const struct rpcrdma2_plan *plan, u32 n)
{
	const struct rpcrdma2_run *run = &plan->runs[n];
	const struct rpcrdma2_xmt *xmt = &plan->xmts[run->xnum];

	if (n > xmt->run)
		return run->span.offset -
		       (run[-1].span.offset + run[-1].span.length);
	return run->span.offset - (xmt->hdrlen + xmt->pslen);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_run_gap);
