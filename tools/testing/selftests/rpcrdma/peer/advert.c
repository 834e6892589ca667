// SPDX-License-Identifier: GPL-2.0
/*
 * What the end under test advertises, as rows of the table of results:
 *
 *   advertised,END,DEVICE,VALUE,WHAT,""
 *
 * WHAT is version (0 if there was none to be agreed on), rbsiz, reqreminv,
 * brs (-1 if it was left out), rtrsupp, rbstruct (0 or 1), and xch: 1 if
 * REQXCH is answered by anything but INVAL_OPTION. Only a run of all cases finds
 * out. Who reads the table knows
 * from it which requirements are still to come.
 */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "server.h"

#define ADVERT_TRIES	3
#define REQXCH		"2 20 5 0 2 [ 0 ]"

/**
 * tell - write what an INITXCH says, and what became of REQXCH
 * @vers: version of the connection
 * @x: the characteristics
 * @xch: REQXCH is supported
 */
static void tell(u32 vers, const struct chars *x, bool xch)
{
	ktap_advertised("version", vers);
	ktap_advertised("rbsiz", x->rbsiz);
	ktap_advertised("reqreminv", x->reqreminv);
	ktap_advertised("brs", x->have_brs ? (int)x->brs : -1);
	ktap_advertised("rtrsupp", x->rtrsupp);
	ktap_advertised("rbstruct", x->seen >> XC_RBSTRUCT & 1);
	ktap_advertised("xch", xch);
}

/**
 * ask_server - find out about the server
 * @what: unused
 * @r: fails if nothing could be found out
 */
static void ask_server(const void *what, struct result *r)
{
	struct result refused = { .v = PASS };
	struct cli s;

	if (!cli_open(&s, r, 0)) {
		s.r = &refused;
		tell(2, &s.peer, cli_step(&s, "x " REQXCH, "opt"));
	}
	cli_close(&s);
}

/**
 * advert_server - add what the server advertises to the table of results
 */
void advert_server(void)
{
	if (cfg.csv && cfg.server_max == 2 && !strcmp(cfg.glob, "*"))
		ktap_aside("what the server advertises", ask_server);
}

/* FSSTAT is answered by REQXCH before the reply */
static const struct srv_case ask = {
	.name = "advertised", .op = "statfs", .proc = NFS3_FSSTAT,
	.reply = "x+5 " REQXCH "; honest", .back = E_OPT,
};

/**
 * ask_mount - find out about the client by one mount
 * @s: the server
 *
 * Return: true if the client has said something.
 */
static bool ask_mount(struct srv *s)
{
	struct sconn *sc;

	if (srv_mount(s) || srv_app(s, "stat", NULL))
		return false;
	s->t.armed = true;
	srv_app(s, ask.op, NULL);
	s->t.armed = false;
	srv_app(s, "stat", NULL);
	sc = srv_current(s);
	if (sc->vers == 2)
		tell(2, &sc->peer, s->t.back != E_OPT);
	srv_app(s, "umount", NULL);
	return sc->vers == 2;
}

/**
 * ask_client - find out about the client, again if the device was in the way
 * @what: unused
 * @r: fails if nothing could be found out
 */
static void ask_client(const void *what, struct result *r)
{
	struct srv *s = malloc(sizeof(*s));
	bool told = false;
	int i;

	if (!s)
		abort();
	for (i = 0; i < ADVERT_TRIES && !told; i++) {
		struct result ignored = { .v = PASS };

		if (srv_open(s, &ask, &ignored))
			break;
		told = ask_mount(s);
		srv_close(s);
	}
	if (!told)
		result_fail(r, "no connection of version 2 in %d tries", i);
}

/**
 * advert_client - add what the client advertises to the table of results
 */
void advert_client(void)
{
	if (!cfg.csv || strcmp(cfg.glob, "*"))
		return;
	ktap_aside("what the client advertises", ask_client);
	srv_clean_up();
	next_port += ADVERT_TRIES;
}
