// SPDX-License-Identifier: GPL-2.0
/* Command line of the conformance peer. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "peer.h"
#include "rpc.h"
#include "server.h"

struct config cfg = {
	.host = "127.0.0.1",
	.port = 20049,
	.timeout = TIMEOUT_MS,
	.server_max = 2,
	.glob = "*",
	.dir = "/tmp/peer-mnt",
	.device = "",
};

static const struct option options[] = {
	{ "host", required_argument, NULL, 'h' },
	{ "port", required_argument, NULL, 'p' },
	{ "path", required_argument, NULL, 'f' },
	{ "case", required_argument, NULL, 'c' },
	{ "csv", required_argument, NULL, 'o' },
	{ "device", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, 't' },
	{ "server-max", required_argument, NULL, 'm' },
	{ "dir", required_argument, NULL, 'd' },
	{ "flood", required_argument, NULL, 'F' },
	{ "fuzz", required_argument, NULL, 'z' },
	{ "seed", required_argument, NULL, 'e' },
	{ "from", required_argument, NULL, 'r' },
	{ "count", required_argument, NULL, 'n' },
	{ "on-server", required_argument, NULL, 'S' },
	{ "deaf", required_argument, NULL, 'q' },
	{ "many", required_argument, NULL, 'M' },
	{ "subset", no_argument, NULL, 's' },
	{ "first-failure", no_argument, NULL, '1' },
	{ "part", required_argument, NULL, 'P' },
	{ "sections", required_argument, NULL, 'E' },
	{ "list", no_argument, NULL, 'l' },
	{ "explain", required_argument, NULL, 'x' },
	{ "verbose", no_argument, NULL, 'v' },
	{ }
};

/**
 * usage - say how the program is called
 *
 * Return: exit status.
 */
static int usage(void)
{
	fprintf(stderr,
		"usage: peer client --host ADDR [--port 20049] [--path FILE]\n"
		"       peer server --host OWN-ADDR [--port 20049] [--dir DIR]\n"
		"       peer serve [--port 20049]   (serve peers in the client role)\n"
		"       peer file PATH SIZE   (make the file the cases read)\n"
		"       peer server-check HOST [--path FOLDER] (an NFS server that is not ours)\n"
		"       peer client-check OWN-ADDR   (waits for a client that is not ours)\n"
		"       peer apps --host ADDR [--dir DIR]   (such a client, on this kernel)\n"
		"client: the cases are tried on an NFS server; FILE is the test\n"
		"        file as seen from its NFSv4 root\n"
		"server: the cases are tried on this kernel's NFS client, which\n"
		"        mounts from OWN-ADDR on DIR\n"
		"  --case GLOB,... only the cases whose name or id matches\n"
		"  --sections LIST only cases of these parts of the checklist: base,\n"
		"                  bidirection, characteristics, placement, continuation,\n"
		"                  errors, security, bad-input\n"
		"  --subset        only as many cases as show each id once\n"
		"  --first-failure no more cases after one that failed\n"
		"  --part K/N      only each Nth of these, from the Kth on\n"
		"  --flood N       no cases: N bad messages in a row\n"
		"  --fuzz N        no cases: N sequences of spoiled messages, which\n"
		"                  --seed S makes anew; --from I --count C are\n"
		"                  only some of them\n"
		"  --deaf N        no cases: connections that take no replies must\n"
		"                  be closed within N seconds\n"
		"  --many N        no cases: N connections, of which any 32 write at\n"
		"                  a time; says when their data was placed\n"
		"  --list          name the cases and the ids they cover\n"
		"  --explain GLOB,...  say what these cases send and expect, and what\n"
		"                  requirements they stand on\n"
		"  --csv FILE      append a row for each id: id, end, device,\n"
		"                  result, case, why\n"
		"  --device NAME   the device to write there\n"
		"  --timeout MS    how long an answer may take\n"
		"  --server-max 1  the server under test has version 2 off\n"
		"  --on-server CMD carries out its argument, text for a shell,\n"
		"                  on the server under test\n"
		"  --verbose       show every message\n");
	return 2;
}

/**
 * make_file - make the file that READs are checked against
 * @path: its path
 * @size: its size
 *
 * Return: exit status.
 */
static int make_file(const char *path, u32 size)
{
	FILE *f = fopen(path, "w");
	u32 i;

	if (!f) {
		perror(path);
		return 1;
	}
	for (i = 0; i < size; i++)
		fputc(rpc_pattern(i), f);
	return fclose(f) ? 1 : 0;
}

/**
 * option - take one option
 * @c: its letter
 *
 * Return: true if it is one of ours.
 */
static bool option(int c)
{
	switch (c) {
	case 'h':
		cfg.host = optarg;
		return true;
	case 'p':
		cfg.port = atoi(optarg);
		return true;
	case 'f':
		nfs_path = optarg;
		return true;
	case 'c':
		cfg.glob = optarg;
		return true;
	case 'o':
		cfg.csv = optarg;
		return true;
	case 'D':
		cfg.device = optarg;
		return true;
	case 't':
		cfg.timeout = atoi(optarg);
		return true;
	case 'm':
		cfg.server_max = atoi(optarg);
		return true;
	case 'd':
		cfg.dir = optarg;
		return true;
	case 'S':
		cfg.on_server = optarg;
		return true;
	case 'F':
		cfg.flood = atoi(optarg);
		return true;
	case 'z':
		cfg.fuzz = atoi(optarg);
		return true;
	case 'e':
		cfg.seed = strtoul(optarg, NULL, 0);
		return true;
	case 'r':
		cfg.from = strtoul(optarg, NULL, 0);
		return true;
	case 'n':
		cfg.fuzz = atoi(optarg);
		return true;
	case 'q':
		cfg.deaf = atoi(optarg);
		return true;
	case 'M':
		cfg.many = atoi(optarg);
		return true;
	case 's':
		cfg.subset = true;
		return true;
	case '1':
		cfg.first_failure = true;
		return true;
	case 'P':
		return sscanf(optarg, "%u/%u", &cfg.part, &cfg.parts) == 2;
	case 'E':
		return !check_sections(optarg);
	case 'l':
		cfg.list = true;
		return true;
	case 'x':
		cfg.explain = true;
		cfg.glob = optarg;
		return true;
	case 'v':
		cfg.verbose = true;
		return true;
	}
	return false;
}

/**
 * main - choose the role
 * @argc: count of words
 * @argv: the words
 *
 * Return: 0 if every case passed, 1 if one failed, 2 for a wrong call.
 */
int main(int argc, char **argv)
{
	int c;

	if (argc == 4 && !strcmp(argv[1], "file"))
		return make_file(argv[2], strtoul(argv[3], NULL, 0));
	if (argc < 2)
		return usage();
	optind = 2;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!option(c))
			return usage();
	if (argv[optind])
		cfg.host = argv[optind];
	if (!strcmp(argv[1], "server-check"))
		return cfg.host ? server_check() : usage();
	if (!strcmp(argv[1], "client-check"))
		return client_check();
	if (!strcmp(argv[1], "apps"))
		return apps_main();
	if (!strcmp(argv[1], "client"))
		return client_main();
	if (!strcmp(argv[1], "server"))
		return server_main();
	if (!strcmp(argv[1], "serve"))
		return serve_main();
	return usage();
}
