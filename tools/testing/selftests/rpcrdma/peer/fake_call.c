// SPDX-License-Identifier: GPL-2.0
/* The client in the place of a kernel's: connections, credits, and calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "fake.h"
#include "peer.h"
#include "tmpl.h"

#define LAY		"7/16:1024 3*4096p"
#define CALL_MS		5000
#define TRIES		3

struct fake fake;

/**
 * fake_open - connect and negotiate
 *
 * Return: 0, or -1.
 */
int fake_open(void)
{
	struct conn_opts o = { .lay = &fake.lay };
	char info[2048], t[2200];
	struct tmpl_env env = { 0 };
	struct rmsg *m = NULL;
	static struct hdr h;
	const char *why;
	struct buf b;

	conn_close(fake.c);
	fake.nr_lost = fake.held = 0;
	fake.off = fake.drain = false;
	fake.back.granted = 1;
	fake.back.used = 0;
	group_free(&fake.g);
	layout_init(&fake.lay, info, sizeof(info), LAY, false);
	snprintf(t, sizeof(t), "x 2 20 5 0 1 %s", info);
	fake.c = conn_open("127.0.0.1", fake.port, &o, &why);
	if (!fake.c)
		return -1;
	buf_init(&b, 1024);
	env.xid = fake.xid ^ 0x10000;
	if (!tmpl_build(&b, t, &env) && !conn_send(fake.c, b.p, b.len, NULL))
		m = conn_wait(fake.c, CALL_MS);
	buf_free(&b);
	memset(&fake.peer_lay, 0, sizeof(fake.peer_lay));
	if (!m || wire_decode(&h, m->data, m->len) || wire_chars(&fake.peer, &h))
		return -1;
	if (layout_told(&fake.peer_lay, &fake.peer))
		memset(&fake.peer_lay, 0, sizeof(fake.peer_lay));
	if (fake.peer_lay.total > fake.peer.rbsiz)
		fake.peer_lay.nplt = 0;
	fake.grant = h.credit;
	free(m);
	return 0;
}

/**
 * fence - put memory out of the server's reach
 */
static void fence(void)
{
	int i;

	for (i = 0; i < NR_MEM; i++)
		fake.c->mem[i].rkey += 0x10000;
}

/**
 * killed - look whether the operation is given up
 *
 * Return: true if so.
 */
static bool killed(void)
{
	char word[sizeof(KILL)];

	if (recv(fake.fd, word, sizeof(word), MSG_DONTWAIT) == sizeof(KILL) - 1)
		fake.killed = true;
	return fake.killed;
}

/**
 * await - wait for a message
 *
 * Return: the message, or NULL if none came in time, or it is no use to wait.
 */
static struct rmsg *await(void)
{
	u64 end = now_ms() + CALL_MS;
	struct rmsg *m = NULL;

	while (!m && !killed() && !fake.c->gone && now_ms() < end) {
		conn_poll(fake.c);
		m = conn_take(fake.c);
		if (!m)
			nap();
	}
	return m;
}

/**
 * get_credit - wait until a call may be made
 *
 * If only late answers can bring a credit, and they do not come, there has to
 * be another connection.
 *
 * Return: 0 or an errno.
 */
static int get_credit(void)
{
	struct rmsg *m;

	while (fake.held >= fake.grant) {
		m = await();
		if (m)
			fake_take(m);
		free(m);
		if (fake.killed)
			return EINTR;
		if (!m && fake_open())
			return EIO;
	}
	return 0;
}

/**
 * give_up - leave a call behind, and its credits
 *
 * Return: EINTR.
 */
static int give_up(void)
{
	struct lost *l = &fake.lost[fake.nr_lost];

	if (fake.nr_lost < MAX_LOST) {
		l->xid = fake.xid;
		l->credits = fake.credits;
		fake.held += l->credits;
		fake.nr_lost++;
	}
	fence();
	return EINTR;
}

/**
 * fake_call - make the call that was built
 *
 * A call that stays unanswered is sent again, as a soft mount does.
 *
 * Return: 0 or an errno; the reply is in @fake.msg.
 */
int fake_call(void)
{
	u64 end = now_ms() + CALL_MS * TRIES;
	struct rmsg *m;
	int err, tries = 0;

	if (!fake.c && fake_open())
		return EIO;
	err = get_credit() ?: MORE;
	if (err == MORE)
		fake_send();
	while (err == MORE && now_ms() < end) {
		m = await();
		if (m)
			err = fake_take(m);
		else if (fake.killed)
			return give_up();
		else if (!fake.c->gone && fake.g.n)
			conn_disconnect(fake.c);
		else if (!fake.c->gone)
			fake_send();
		free(m);
		if (!fake.c->gone || err != MORE)
			continue;
		if (tries++ == TRIES || fake_open())
			return EIO;
		fake_send();
	}
	fence();
	return err == MORE ? EIO : err;
}
