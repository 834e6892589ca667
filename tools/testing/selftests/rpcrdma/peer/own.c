// SPDX-License-Identifier: GPL-2.0
/*
 * Client role: steps of a script in which messages count that the server sends
 * of its own accord. Beside TEMPLATE => WANT there are
 *
 *  ask NAME VALUE => WANT   the server is told to ask us for that, and then
 *                           this message comes, see want.h; "no": it refuses
 *  set NAME VALUE => WANT   a switch of the server's, below
 *                           /proc/sys/sunrpc/svc_rdma, or for tests only
 *  await => WANT            this has to come next
 *  quiet =>                 nothing comes
 *  minutes =>               nothing comes for longer than anybody waits, or with
 *                           --subset for some seconds
 *  hear =>                  from now on REQXCHs that ask for nothing count, too
 *
 * where an empty WANT stands for nothing in particular.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "want.h"

#define SWITCHES	"/proc/sys/sunrpc/svc_rdma/"
#define TEST_SWITCHES	"/sys/kernel/debug/rpcrdma2/settings/"
#define DEBUGFS		"/sys/kernel/debug/rpcrdma2/server"
#define IDLE_MS		500
#define TRAFFIC		500
#define REFUSED		7

/**
 * on_server - carry out text for a shell on the server under test
 * @text: the text
 *
 * Return: its exit status.
 */
int on_server(const char *text)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl(cfg.on_server, cfg.on_server, text, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/**
 * listen_for - take what comes for some time
 * @s: the client
 * @ms: how long, unless something is heard
 */
static void listen_for(struct cli *s, int ms)
{
	u64 end = now_ms() + ms;

	while (!s->heard.nr && !s->c->gone && now_ms() < end) {
		struct rmsg *m = cli_wait(s, 10);

		if (m)
			cli_fail(s, "an answer to nothing", m);
		free(m);
	}
}

/**
 * await_own - wait for a message of the server's own accord
 * @s: the client
 * @want: what is wanted
 *
 * Receives are replaced as they are used up: there must be some traffic.
 */
static void await_own(struct cli *s, const char *want)
{
	static struct hdr h;
	struct rmsg *m;
	int i;

	listen_for(s, IDLE_MS);
	for (i = 0; i < TRAFFIC && !s->heard.nr && !s->r->v; i++)
		cli_null(s, 2);
	if (!s->heard.nr) {
		result_fail(s->r, "never came: %s", want);
		return;
	}
	m = heard_take(&s->heard);
	wire_decode(&h, m->data, m->len);
	if (!want_words(want, &h))
		cli_fail(s, want, m);
	s->heard_xid = h.xid;
	free(m);
}

/**
 * step_ask - the step "ask"
 * @s: the client
 * @what: name and value
 * @want: what comes then
 *
 * Our connection is the last one that was made. What the shell says of a
 * refusal is not shown: some are wanted.
 */
static void step_ask(struct cli *s, const char *what, const char *want)
{
	char text[512];
	int status;

	snprintf(text, sizeof(text),
		 "f=" DEBUGFS "/$(ls " DEBUGFS " | sort -n | tail -1)/ask; [ -e $f ] || exit 1; echo %s 2> /dev/null > $f || exit %d",
		 what, REFUSED);
	status = on_server(text);
	if (!strncmp(want, "no", 2)) {
		if (status != REFUSED)
			result_fail(s->r, "ask %s: %d", what, status);
		return;
	}
	if (status)
		result_fail(s->r, "ask %s: %d", what, status);
	else if (*want)
		await_own(s, want);
}

/**
 * own_set - set a switch of the server's
 * @name: its name
 * @value: the value
 *
 * Return: exit status of the command.
 */
int own_set(const char *name, int value)
{
	char text[400];

	snprintf(text, sizeof(text), "f=" SWITCHES "%s; [ -e $f ] || f=" TEST_SWITCHES
		 "server_%s; [ -e $f ] || f=" TEST_SWITCHES "%s; echo %d > $f",
		 name, name, name, value);
	return on_server(text);
}

/**
 * step_set - the step "set"
 * @s: the client
 * @what: name and value
 * @want: what comes then
 */
static void step_set(struct cli *s, const char *what, const char *want)
{
	char name[64];
	int value;

	if (sscanf(what, "%63s %d", name, &value) != 2)
		return;
	if (own_set(name, value))
		result_fail(s->r, "set %s", what);
	else if (*want)
		await_own(s, want);
}

/**
 * step_await - the step "await"
 * @s: the client
 * @what: unused
 * @want: what comes
 */
static void step_await(struct cli *s, const char *what, const char *want)
{
	await_own(s, want);
}

/**
 * step_quiet - the step "quiet"
 * @s: the client
 * @what: unused
 * @want: unused
 */
static void step_quiet(struct cli *s, const char *what, const char *want)
{
	cli_null(s, 2);
	listen_for(s, QUIET_MS);
	if (s->heard.nr)
		cli_fail(s, "nothing should have come", s->heard.m[0]);
}

/**
 * step_hear - the step "hear"
 * @s: the client
 * @what: unused
 * @want: unused
 */
static void step_hear(struct cli *s, const char *what, const char *want)
{
	s->hears_all = true;
}

/**
 * step_minutes - the step "minutes"
 * @s: the client
 * @what: unused
 * @want: unused
 */
static void step_minutes(struct cli *s, const char *what, const char *want)
{
	cli_null(s, 2);
	listen_for(s, MINUTES_MS);
	if (s->heard.nr)
		cli_fail(s, "nothing should have come", s->heard.m[0]);
}

static const struct {
	const char *word;
	void (*fn)(struct cli *s, const char *what, const char *want);
} steps[] = {
	{ "ask ", step_ask },
	{ "set ", step_set },
	{ "await ", step_await },
	{ "quiet ", step_quiet },
	{ "hear ", step_hear },
	{ "minutes ", step_minutes },
};

/**
 * cli_own - carry out a step if it is one of ours
 * @s: the client
 * @what: the step
 * @want: what is wanted
 *
 * Return: true if it was.
 */
bool cli_own(struct cli *s, const char *what, const char *want)
{
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		n = strlen(steps[i].word);
		if (strncmp(what, steps[i].word, n))
			continue;
		if (cfg.verbose)
			printf("#   step: %s=> %s\n", what, want);
		steps[i].fn(s, what + n, want);
		return true;
	}
	return false;
}
