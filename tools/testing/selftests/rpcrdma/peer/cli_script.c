// SPDX-License-Identifier: GPL-2.0
/* Client role: carries out the scripts of the cases, see client.h and own.c. */
#include <string.h>

#include "client.h"

/**
 * cli_script - carry out a script
 * @s: the client
 * @script: the script
 *
 * Return: 0, or -1.
 */
int cli_script(struct cli *s, const char *script)
{
	char step[8192], *want;

	while (tmpl_next(&script, step, sizeof(step))) {
		want = strstr(step, "=>");
		if (!want) {
			result_fail(s->r, "script without =>: %s", step);
			return -1;
		}
		*want = '\0';
		want += 2;
		want += strspn(want, " ");
		want[strcspn(want, ";")] = '\0';
		if (cli_own(s, step, want)) {
			if (s->r->v)
				return -1;
		} else if (cli_step(s, step, want)) {
			return -1;
		}
	}
	return 0;
}

/* The switches that a script may set, and where they stand without one */
static const char * const defaults[] = {
	"set recv_size 4096", "set max_recv_size 16384",
};

/**
 * cli_own_script - carry out a script with such steps
 * @s: the client
 * @script: the script
 *
 * Return: 0, or -1.
 */
int cli_own_script(struct cli *s, const char *script)
{
	size_t i;

	s->listening = true;
	s->stained = true;
	cli_script(s, script);
	s->listening = false;
	for (i = 0; strstr(script, "set ") && i < ARRAY_SIZE(defaults); i++)
		cli_own(s, defaults[i], "");
	if (s->heard.nr)
		cli_fail(s, "nobody waits for this", s->heard.m[0]);
	heard_drop(&s->heard);
	return s->r->v ? -1 : 0;
}
