// SPDX-License-Identifier: GPL-2.0
/*
 * CM events that come when nobody counts on them, and a device with small queues.
 *
 * Loaded on the client before it mounts, this comes between the connection manager
 * and rpcrdma.ko. What it does is written to /sys/module/rpcrdma_cmfault/parameters:
 *
 *   early      number of the event that the next connection is told of just before
 *              its route is resolved, which is as soon as CMA can tell of it
 *   now        number of the event that the present connection is told of at once
 *   hide       number of the event that connections are not told of meanwhile; 0 for none
 *   established  how many connections were established; to be read
 *   max_qp_wr  longest queue that the device admits to; 0 for what is true
 *   local_inv  1: connections do not offer that the server invalidates their memory
 *
 * Numbers are those of enum rdma_cm_event_type. Events are delivered as CMA does,
 * from a process and with the handler's mutex held. One connection at a time is
 * looked after. Works with any rpcrdma.ko; stays loaded.
 */

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sunrpc/xdr.h>
#include <linux/sunrpc/rpc_rdma.h>
#include <rdma/rdma_cm.h>

static rdma_cm_event_handler cmfault_orig;	/* of all that were wrapped */
static struct rdma_cm_id *cmfault_live;		/* established connection */
static int cmfault_true_wr;
static int cmfault_early;
static int cmfault_hide;
static int cmfault_established;
static int cmfault_max_qp_wr;
static bool cmfault_local_inv;

module_param_named(early, cmfault_early, int, 0600);
module_param_named(hide, cmfault_hide, int, 0600);
module_param_named(established, cmfault_established, int, 0400);
module_param_named(max_qp_wr, cmfault_max_qp_wr, int, 0600);
module_param_named(local_inv, cmfault_local_inv, bool, 0600);

/**
 * cmfault_tell - tell of an event that has not happened
 * @id: who is told
 * @type: the event
 */
static void cmfault_tell(struct rdma_cm_id *id, int type)
{
	struct rdma_cm_event event = { .event = type, .status = -ETIMEDOUT };

	pr_info("rpcrdma_cmfault: %s\n", rdma_event_msg(type));
	if (cmfault_orig(id, &event))
		pr_err("rpcrdma_cmfault: the rdma_cm_id should be gone\n");
}

/**
 * cmfault_queues - have the device admit to queues of some length
 * @attrs: of the device
 */
static void cmfault_queues(struct ib_device_attr *attrs)
{
	if (!cmfault_true_wr)
		cmfault_true_wr = attrs->max_qp_wr;
	attrs->max_qp_wr = cmfault_max_qp_wr ?: cmfault_true_wr;
}

/**
 * cmfault_event - take an event in rpcrdma's place
 * @id: connection
 * @event: the event
 *
 * Return: what rpcrdma returns
 */
static int cmfault_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	int early;

	if (cmfault_hide && event->event == cmfault_hide)
		return 0;
	switch (event->event) {
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		cmfault_queues(&id->device->attrs);
		early = xchg(&cmfault_early, 0);
		if (early)
			cmfault_tell(id, early);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		WRITE_ONCE(cmfault_live, id);
		cmfault_established++;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		cmpxchg(&cmfault_live, id, NULL);
		break;
	default:
		break;
	}
	return cmfault_orig(id, event);
}

/**
 * cmfault_set_now - tell the present connection of an event
 * @val: its number
 * @kp: unused
 *
 * Return: 0 or a negative errno
 */
static int cmfault_set_now(const char *val, const struct kernel_param *kp)
{
	struct rdma_cm_id *id = READ_ONCE(cmfault_live);
	int type, rc = kstrtoint(val, 0, &type);

	if (rc)
		return rc;
	if (!id)
		return -ENOTCONN;
	rdma_lock_handler(id);
	cmfault_tell(id, type);
	rdma_unlock_handler(id);
	return 0;
}

static const struct kernel_param_ops cmfault_now_ops = {
	.set	= cmfault_set_now,
};

module_param_cb(now, &cmfault_now_ops, NULL, 0200);

/**
 * cmfault_create_entry - is it rpcrdma that makes a connection?
 * @ri: call of __rdma_create_kernel_id()
 * @regs: its arguments, the last of which names the caller
 *
 * Return: 0 if it is
 */
static int cmfault_create_entry(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	const char *caller = (const char *)regs_get_kernel_argument(regs, 5);

	return strcmp(caller, "rpcrdma");
}

/**
 * cmfault_created - come between the connection manager and rpcrdma
 * @ri: call of __rdma_create_kernel_id()
 * @regs: its result
 *
 * Return: 0
 */
static int cmfault_created(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct rdma_cm_id *id = (struct rdma_cm_id *)regs_return_value(regs);

	if (!IS_ERR(id) && id->event_handler != cmfault_event) {
		cmfault_orig = id->event_handler;
		id->event_handler = cmfault_event;
	}
	return 0;
}

/**
 * cmfault_destroyed - a connection goes without a word
 * @p: unused
 * @regs: arguments of rdma_destroy_id()
 *
 * Return: 0
 */
static int cmfault_destroyed(struct kprobe *p, struct pt_regs *regs)
{
	cmpxchg(&cmfault_live,
		(struct rdma_cm_id *)regs_get_kernel_argument(regs, 0), NULL);
	return 0;
}

/**
 * cmfault_connect - a connection is asked for
 * @p: unused
 * @regs: arguments of rdma_connect()
 *
 * Return: 0
 */
static int cmfault_connect(struct kprobe *p, struct pt_regs *regs)
{
	struct rdma_conn_param *param =
		(struct rdma_conn_param *)regs_get_kernel_argument(regs, 1);
	struct rpcrdma_connect_private *pmsg =
		(struct rpcrdma_connect_private *)param->private_data;

	if (cmfault_local_inv && pmsg && pmsg->cp_magic == rpcrdma_cmp_magic)
		pmsg->cp_flags &= ~RPCRDMA_CMP_F_SND_W_INV_OK;
	return 0;
}

static struct kretprobe cmfault_create = {
	.kp.symbol_name	= "__rdma_create_kernel_id",
	.entry_handler	= cmfault_create_entry,
	.handler	= cmfault_created,
	.maxactive	= 16,
};

static struct kprobe cmfault_destroy = {
	.symbol_name	= "rdma_destroy_id",
	.pre_handler	= cmfault_destroyed,
};

static struct kprobe cmfault_connects = {
	.symbol_name	= "rdma_connect",
	.pre_handler	= cmfault_connect,
};

static struct kprobe *cmfault_probes[] = {
	&cmfault_destroy,
	&cmfault_connects,
};

/**
 * cmfault_init - load the module
 *
 * Return: 0 or a negative errno
 */
static int __init cmfault_init(void)
{
	int rc = register_kprobes(cmfault_probes, ARRAY_SIZE(cmfault_probes));

	if (rc)
		return rc;
	rc = register_kretprobe(&cmfault_create);
	if (rc)
		unregister_kprobes(cmfault_probes, ARRAY_SIZE(cmfault_probes));
	return rc;
}

/* Without an exit: connections may outlive whoever would unload this. */
module_init(cmfault_init);
MODULE_DESCRIPTION("CM events for the tests of RPC-over-RDMA");
MODULE_LICENSE("GPL");
