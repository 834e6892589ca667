// SPDX-License-Identifier: GPL-2.0
/*
 * Reverse Calls in any number, without an NFS server that has a reason for them.
 *
 * Loaded on the server before a client mounts, this notices each reverse
 * transport that is made. Writing "COUNT PARALLEL SIZE TIMEOUT [TIME]" to
 * /sys/kernel/debug/rpcrdma_flood calls the client that came last with COUNT
 * CB_NULLs, PARALLEL at a time, each SIZE bytes longer than it would have to
 * be, and waits for the replies: TIMEOUT milliseconds for each. After TIME
 * milliseconds no more are sent. Reading it tells how that went. An empty line
 * lets go of connections that are closed; each new one does so, too.
 *
 * Works with any rpcrdma.ko. nfsd is not asked and does not notice.
 */

#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/semaphore.h>
#include <linux/sort.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#define FLOOD_PROGRAM	0x40000000	/* NFS4_CALLBACK */
#define FLOOD_MAX	1000000

/**
 * struct flood - a run
 * @count: Calls to send
 * @parallel: Calls under way at once
 * @size: bytes to add to each
 * @timeout: milliseconds that a Call has
 * @time: milliseconds that there are for all Calls, or 0
 * @next: Calls sent
 * @failed: Calls that were not answered
 * @error: why the last of these was not
 * @slots: one for each Call that may be sent
 * @lock: protects @failed, @error, @answered and @usecs
 * @answered: Calls answered
 * @usecs: how long each of these took
 * @total: how long all of it took, in microseconds
 */
struct flood {
	unsigned int		count, parallel, size, timeout, time;
	unsigned int		next, failed;
	int			error;
	struct semaphore	slots;
	spinlock_t		lock;	/* what Calls leave behind */
	unsigned int		answered;
	u32			*usecs;
	u64			total;
};

/**
 * struct flood_call - a Call under way
 * @flood: the run it belongs to
 * @start: when it was made
 */
struct flood_call {
	struct flood		*flood;
	ktime_t			start;
};

static DEFINE_MUTEX(flood_mutex);	/* one run at a time */
static DEFINE_SPINLOCK(flood_lock);	/* flood_xprts */
static struct svc_xprt *flood_xprts[32];
static unsigned int flood_nr_xprts;
static struct flood flood_last;
static struct dentry *flood_dentry;

/*
 * Section: the RPC program
 */

/**
 * flood_encode - encode the arguments of a Call that has none
 * @req: RPC request
 * @xdr: stream to encode into
 * @data: run
 */
static void flood_encode(struct rpc_rqst *req, struct xdr_stream *xdr,
			 const void *data)
{
	const struct flood *flood = data;
	__be32 *p = xdr_reserve_space(xdr, flood->size);

	if (p)
		memset(p, 0, flood->size);
}

/**
 * flood_decode - decode the results of a Call that has none
 * @req: RPC request
 * @xdr: stream to decode from
 * @data: run
 *
 * Return: 0
 */
static int flood_decode(struct rpc_rqst *req, struct xdr_stream *xdr,
			void *data)
{
	return 0;
}

/* p_arglen is set for each run */
static struct rpc_procinfo flood_procs[] = {
	{
		.p_proc		= 0,
		.p_encode	= flood_encode,
		.p_decode	= flood_decode,
		.p_name		= "FLOOD",
	},
};

static unsigned int flood_counts[ARRAY_SIZE(flood_procs)];
static const struct rpc_version flood_version1 = {
	.number		= 1,
	.nrprocs	= ARRAY_SIZE(flood_procs),
	.procs		= flood_procs,
	.counts		= flood_counts,
};

static const struct rpc_version *flood_versions[] = {
	[1]		= &flood_version1,
};

static const struct rpc_program flood_program;
static struct rpc_stat flood_stats = {
	.program	= &flood_program,
};

static const struct rpc_program flood_program = {
	.name		= "flood",
	.number		= FLOOD_PROGRAM,
	.nrvers		= ARRAY_SIZE(flood_versions),
	.version	= flood_versions,
	.stats		= &flood_stats,
};

/*
 * Section: connections
 */

static void flood_tidy(struct work_struct *work);
static DECLARE_WORK(flood_work, flood_tidy);

/**
 * flood_notice - a reverse transport is about to be made
 * @probe: on xprt_setup_rdma_bc()
 * @regs: its arguments
 *
 * Context: any; must not sleep
 *
 * Return: 0
 */
static int flood_notice(struct kprobe *probe, struct pt_regs *regs)
{
	struct xprt_create *args = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long flags;

	spin_lock_irqsave(&flood_lock, flags);
	if (flood_nr_xprts < ARRAY_SIZE(flood_xprts)) {
		svc_xprt_get(args->bc_xprt);
		flood_xprts[flood_nr_xprts++] = args->bc_xprt;
	}
	spin_unlock_irqrestore(&flood_lock, flags);
	schedule_work(&flood_work);
	return 0;
}

static struct kprobe flood_probe = {
	.symbol_name	= "xprt_setup_rdma_bc",
	.pre_handler	= flood_notice,
};

/**
 * flood_find - find the client that came last
 *
 * Return: its connection, which stays until flood_let_go(), or NULL
 */
static struct svc_xprt *flood_find(void)
{
	struct svc_xprt *sxprt = NULL;

	spin_lock_irq(&flood_lock);
	if (flood_nr_xprts)
		sxprt = flood_xprts[flood_nr_xprts - 1];
	spin_unlock_irq(&flood_lock);
	return sxprt;
}

/**
 * flood_take - take a connection off the list
 * @closed: one that is closed
 *
 * Return: the connection, or NULL if there is none
 */
static struct svc_xprt *flood_take(bool closed)
{
	struct svc_xprt *sxprt = NULL;
	unsigned int i;

	spin_lock_irq(&flood_lock);
	for (i = 0; i < flood_nr_xprts && !sxprt; i++) {
		if (closed && !test_bit(XPT_DEAD, &flood_xprts[i]->xpt_flags))
			continue;
		sxprt = flood_xprts[i];
		flood_nr_xprts--;
		memmove(&flood_xprts[i], &flood_xprts[i + 1],
			(flood_nr_xprts - i) * sizeof(sxprt));
	}
	spin_unlock_irq(&flood_lock);
	return sxprt;
}

/**
 * flood_let_go - let go of connections
 * @closed: only of those that are closed
 */
static void flood_let_go(bool closed)
{
	struct svc_xprt *sxprt;

	while ((sxprt = flood_take(closed)))
		svc_xprt_put(sxprt);
}

/**
 * flood_tidy - let go of connections that are closed
 * @work: what flood_notice() has scheduled
 *
 * None of them is in use by a run.
 */
static void flood_tidy(struct work_struct *work)
{
	mutex_lock(&flood_mutex);
	flood_let_go(true);
	mutex_unlock(&flood_mutex);
}

/**
 * flood_client - make an RPC client for a connection's reverse direction
 * @sxprt: connection
 * @flood: run
 *
 * Return: the client or an ERR_PTR
 */
static struct rpc_clnt *flood_client(struct svc_xprt *sxprt,
				     const struct flood *flood)
{
	struct rpc_timeout timeout = {
		.to_initval	= msecs_to_jiffies(flood->timeout),
		.to_maxval	= msecs_to_jiffies(flood->timeout),
	};
	struct rpc_create_args args = {
		.net		= sxprt->xpt_net,
		.address	= (struct sockaddr *)&sxprt->xpt_remote,
		.addrsize	= sxprt->xpt_remotelen,
		.protocol	= sxprt->xpt_class->xcl_ident |
				  XPRT_TRANSPORT_BC,
		.bc_xprt	= sxprt,
		.timeout	= &timeout,
		.program	= &flood_program,
		.prognumber	= FLOOD_PROGRAM,
		.version	= 1,
		.authflavor	= RPC_AUTH_NULL,
		.flags		= RPC_CLNT_CREATE_NOPING |
				  RPC_CLNT_CREATE_QUIET,
		.cred		= current_cred(),
	};

	return rpc_create(&args);
}

/*
 * Section: a run
 */

/**
 * flood_done - a Call has ended
 * @task: its task
 * @data: the Call
 */
static void flood_done(struct rpc_task *task, void *data)
{
	struct flood_call *call = data;
	struct flood *flood = call->flood;

	spin_lock(&flood->lock);
	if (task->tk_status < 0) {
		flood->failed++;
		flood->error = task->tk_status;
	} else {
		flood->usecs[flood->answered++] =
			ktime_us_delta(ktime_get(), call->start);
	}
	spin_unlock(&flood->lock);
}

/**
 * flood_release - release a Call
 * @data: the Call
 */
static void flood_release(void *data)
{
	struct flood_call *call = data;

	up(&call->flood->slots);
	kfree(call);
}

static const struct rpc_call_ops flood_ops = {
	.rpc_call_done	= flood_done,
	.rpc_release	= flood_release,
};

/**
 * flood_send - make a Call
 * @clnt: RPC client
 * @flood: run
 *
 * Return: 0 or a negative errno
 */
static int flood_send(struct rpc_clnt *clnt, struct flood *flood)
{
	struct rpc_message msg = {
		.rpc_proc	= &flood_procs[0],
		.rpc_argp	= flood,
		.rpc_resp	= flood,
	};
	struct flood_call *call;

	call = kmalloc(sizeof(*call), GFP_KERNEL);
	if (!call)
		return -ENOMEM;
	call->flood = flood;
	call->start = ktime_get();
	return rpc_call_async(clnt, &msg, RPC_TASK_SOFT | RPC_TASK_NOCONNECT,
			      &flood_ops, call);
}

/**
 * flood_more - is there another Call to make?
 * @flood: run
 * @start: when it began
 *
 * The first failure ends it.
 *
 * Return: true if there is
 */
static bool flood_more(struct flood *flood, ktime_t start)
{
	return flood->next < flood->count && !READ_ONCE(flood->failed) &&
	       (!flood->time ||
		ktime_ms_delta(ktime_get(), start) < flood->time);
}

/**
 * flood_send_all - make all Calls and wait for their end
 * @clnt: RPC client
 * @flood: run
 *
 * Return: 0 or a negative errno
 */
static int flood_send_all(struct rpc_clnt *clnt, struct flood *flood)
{
	ktime_t start = ktime_get();
	unsigned int i;
	int rc = 0;

	while (!rc && flood_more(flood, start)) {
		rc = down_killable(&flood->slots);
		if (!rc)
			rc = flood_send(clnt, flood);
		if (!rc)
			flood->next++;
	}
	for (i = 0; i < flood->parallel; i++)
		down(&flood->slots);
	return rc;
}

/**
 * flood_cmp - compare two durations
 * @a: one
 * @b: another
 *
 * Return: less than, equal to or greater than 0
 */
static int flood_cmp(const void *a, const void *b)
{
	u32 x = *(u32 *)a, y = *(u32 *)b;

	return x < y ? -1 : x > y;
}

/**
 * flood_run - do a run
 * @flood: what to do; gets the results
 *
 * Return: 0, or a negative errno if there was none
 */
static int flood_run(struct flood *flood)
{
	struct svc_xprt *sxprt = flood_find();
	struct rpc_clnt *clnt;
	ktime_t start;
	int rc;

	if (!sxprt)
		return -ENOTCONN;
	sema_init(&flood->slots, flood->parallel);
	spin_lock_init(&flood->lock);
	flood->usecs = vcalloc(flood->count, sizeof(u32));
	if (!flood->usecs)
		return -ENOMEM;
	flood_procs[0].p_arglen = flood->size / XDR_UNIT;
	clnt = flood_client(sxprt, flood);
	if (IS_ERR(clnt))
		return PTR_ERR(clnt);

	start = ktime_get();
	rc = flood_send_all(clnt, flood);
	flood->total = ktime_us_delta(ktime_get(), start);
	rpc_shutdown_client(clnt);
	sort(flood->usecs, flood->answered, sizeof(u32), flood_cmp, NULL);
	return rc;
}

/**
 * flood_write - write to the file
 * @file: the file
 * @buf: COUNT PARALLEL SIZE TIMEOUT [TIME], or an empty line
 * @len: length of that
 * @pos: ignored
 *
 * Return: @len or a negative errno
 */
static ssize_t flood_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	struct flood *flood = &flood_last;
	char line[64] = "";
	int rc = 0;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	mutex_lock(&flood_mutex);
	vfree(flood->usecs);
	memset(flood, 0, sizeof(*flood));
	if (!*strim(line))
		flood_let_go(true);
	else if (sscanf(line, "%u %u %u %u %u", &flood->count, &flood->parallel,
			&flood->size, &flood->timeout, &flood->time) < 4 ||
		 flood->count > FLOOD_MAX || !flood->parallel ||
		 flood->size % XDR_UNIT)
		rc = -EINVAL;
	else
		rc = flood_run(flood);
	mutex_unlock(&flood_mutex);
	return rc ?: len;
}

/**
 * flood_percentile - how long Calls took
 * @flood: run
 * @percent: of them took
 *
 * Return: at most so many microseconds
 */
static u32 flood_percentile(const struct flood *flood, unsigned int percent)
{
	if (!flood->answered)
		return 0;
	return flood->usecs[(flood->answered - 1) * percent / 100];
}

/**
 * flood_show - read the file
 * @seq: file being read
 * @unused: only one record
 *
 * Return: 0
 */
static int flood_show(struct seq_file *seq, void *unused)
{
	const struct flood *flood = &flood_last;

	mutex_lock(&flood_mutex);
	seq_printf(seq, "sent: %u\nanswered: %u\nfailed: %u\nerror: %d\n",
		   flood->next, flood->answered, flood->failed, flood->error);
	seq_printf(seq, "total_us: %llu\np50_us: %u\np99_us: %u\nmax_us: %u\n",
		   flood->total, flood_percentile(flood, 50),
		   flood_percentile(flood, 99), flood_percentile(flood, 100));
	mutex_unlock(&flood_mutex);
	return 0;
}

/**
 * flood_open - open the file
 * @inode: of the file
 * @file: the file
 *
 * Return: 0 or a negative errno
 */
static int flood_open(struct inode *inode, struct file *file)
{
	return single_open(file, flood_show, NULL);
}

static const struct file_operations flood_fops = {
	.owner		= THIS_MODULE,
	.open		= flood_open,
	.read		= seq_read,
	.write		= flood_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * flood_init - load the module
 *
 * Return: 0 or a negative errno
 */
static int __init flood_init(void)
{
	int rc = register_kprobe(&flood_probe);

	if (rc)
		return rc;
	flood_dentry = debugfs_create_file("rpcrdma_flood", 0600, NULL, NULL,
					   &flood_fops);
	return 0;
}

/**
 * flood_exit - unload the module
 */
static void __exit flood_exit(void)
{
	debugfs_remove(flood_dentry);
	unregister_kprobe(&flood_probe);
	cancel_work_sync(&flood_work);
	flood_let_go(false);
	vfree(flood_last.usecs);
}

module_init(flood_init);
module_exit(flood_exit);
MODULE_DESCRIPTION("Reverse Calls for the tests of RPC-over-RDMA");
MODULE_LICENSE("GPL");
