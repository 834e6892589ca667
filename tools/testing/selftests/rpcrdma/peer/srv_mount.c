// SPDX-License-Identifier: GPL-2.0
/* Server role: a mount of the kernel's from us, and operations on it. */
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "rpc.h"
#include "server.h"

/*
 * What an operation, and the answer to one Call of it, may take. Whoever has more patience
 * with single answers has a slow machine, and has it here, too.
 */
#define APP_MS		90000
#define TIMEO_MS	10000

/* A port of its own for each mount, so that none meets another's state */
int next_port;

int (*srv_watch)(struct srv *s, const char *op);

/**
 * srv_app - carry out an operation on the mount while serving it
 * @s: the server
 * @op: the operation
 * @opts: its options
 *
 * Return: 0, an errno, or one of APP_*.
 */
int srv_app(struct srv *s, const char *op, const char *opts)
{
	u64 begun = now_ms(), end = begun + patient(APP_MS);
	struct app a;

	if (cfg.verbose)
		printf("#   %s\n", op);
	app_start(&a, op, s->dir, opts);
	while (!app_poll(&a)) {
		srv_poll(s);
		if (now_ms() > end) {
			app_kill(&a);
			break;
		}
		nap();
	}
	if (cfg.verbose)
		printf("#   %s: %d, after %llu ms\n", op, a.err,
		       (unsigned long long)(now_ms() - begun));
	return a.err;
}

/**
 * srv_mount_options - write what a mount from us takes
 * @s: the server
 * @opts: gets source and options
 * @size: size of @opts
 */
void srv_mount_options(const struct srv *s, char *opts, size_t size)
{
	u32 io = s->k->io ? s->k->io : 8192;

	if (s->k->flags & S_V41)
		snprintf(opts, size,
			 "%s:/ vers=4.1,proto=rdma,port=%d,soft,timeo=%u,retrans=1,sec=sys,addr=%s,clientaddr=%s",
			 cfg.host, s->port, s->timeo, cfg.host, cfg.host);
	else
		snprintf(opts, size,
			 "%s:/peer vers=3,proto=rdma,port=%d,mountproto=tcp,mountvers=3,mountport=%d,nolock,%s,soft,timeo=%u,retrans=1,noac,nordirplus,rsize=%u,wsize=%u,sec=sys,addr=%s,mountaddr=%s",
			 cfg.host, s->port, s->mount_port,
			 s->k->flags & S_ACL || s->k->steps ? "acl" : "noacl",
			 s->timeo, io, io, cfg.host, cfg.host);
}

/**
 * srv_mount - have the kernel mount from us
 * @s: the server
 *
 * Return: 0 or an errno.
 */
int srv_mount(struct srv *s)
{
	char opts[512];

	srv_mount_options(s, opts, sizeof(opts));
	return srv_app(s, "mount", opts);
}

/**
 * srv_err_text - name the outcome of an operation
 * @err: the outcome
 *
 * Return: a text.
 */
const char *srv_err_text(int err)
{
	switch (err) {
	case APP_WRONG_DATA:
		return "wrong data";
	case APP_CRASHED:
		return "crashed";
	case APP_NO_OP:
		return "no such operation";
	case APP_HUNG:
		return "hung";
	}
	return err ? strerror(err) : "success";
}

/**
 * srv_op - an operation must end as wanted
 * @s: the server
 * @op: the operation
 * @want: errno wanted
 *
 * Return: 0, or -1.
 */
int srv_op(struct srv *s, const char *op, int want)
{
	int err;

	if (srv_watch)
		return srv_watch(s, op);
	err = srv_app(s, op, NULL);
	if (err == want || (s->k->flags & S_ANYERR && want && !err))
		return 0;
	result_fail(s->r, "%s: %s instead of %s; %u replies spoiled, %u repeats, %u connections, first %s",
		    op, srv_err_text(err), srv_err_text(want), s->t.spoiled, s->t.repeats,
		    s->nr_sc, s->sc[0].dead ? s->sc[0].c->why : "up");
	return -1;
}

/**
 * srv_begin - make a server ready for a case
 * @s: the server
 * @k: the case
 * @r: its result
 */
void srv_begin(struct srv *s, const struct srv_case *k,
		      struct result *r)
{
	s->k = k;
	s->r = r;
	s->answers = k->answers ? k->answers : "";
	s->grant = k->grant ? k->grant : k->flags & S_HOLD ? 3 : 32;
	memset(&s->t, 0, sizeof(s->t));
	nfs3_knobs = k->knobs;
}

/**
 * srv_open - make a server
 * @s: the server
 * @k: its case
 * @r: the result
 *
 * Return: 0, or -1.
 */
int srv_open(struct srv *s, const struct srv_case *k, struct result *r)
{
	const char *why;
	u32 i;

	memset(s, 0, sizeof(*s));
	srv_begin(s, k, r);
	s->timeo = patient(TIMEO_MS) / 100;
	s->port = next_port++;
	snprintf(s->dir, sizeof(s->dir), "%s/%d", cfg.dir, s->port);
	buf_init(&s->first, 4096);
	buf_init(&s->req, NFS3_MAX_MSG);
	buf_init(&s->rep.b, NFS3_MAX_MSG);
	buf_init(&s->out, NFS3_MAX_MSG);
	buf_init(&s->tmp, NFS3_MAX_MSG);
	for (i = 0; i < NFS3_FILE_SIZE; i++)
		nfs3_file[i] = rpc_pattern(i);
	s->l = listen_open(s->port, &why);
	if (!s->l || mountd_open(s)) {
		result_fail(r, "cannot listen on port %d", s->port);
		return -1;
	}
	return 0;
}

/**
 * srv_clean_up - take away what a case may have left mounted
 */
void srv_clean_up(void)
{
	size_t len = strlen(cfg.dir);
	FILE *f = setmntent("/proc/mounts", "r");
	struct mntent *m;

	while (f && (m = getmntent(f)))
		if (!strncmp(m->mnt_dir, cfg.dir, len) &&
		    m->mnt_dir[len] == '/')
			umount2(m->mnt_dir, MNT_FORCE | MNT_DETACH);
	if (f)
		endmntent(f);
}
