// SPDX-License-Identifier: GPL-2.0
/*
 * What server-check and client-check have in common: sections, a run in a process
 * of its own, and the table of ids, which ../conformance/foreign.py makes of the
 * results. That is inside the program, with all it needs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "checklist.h"
#include "peer.h"

bool check_foreign;

extern const char check_judgement[], check_judgement_end[];
extern const char check_table[], check_table_end[];

asm(".section .rodata\n"
    ".global check_judgement, check_judgement_end\n"
    ".global check_table, check_table_end\n"
    "check_judgement: .incbin \"" CHECKLIST "/judgement.py\"\n"
    "check_judgement_end: .byte 0\n"
    "check_table: .incbin \"" CHECKLIST "/foreign.py\"\n"
    "check_table_end: .byte 0\n"
    ".previous\n");

/* Parts of the checklist, and the ids they have */
static const struct {
	const char *name, *ids;
} sections[] = {
	{ "base", "B-*" }, { "bidirection", "D-*" }, { "characteristics", "X-*" },
	{ "placement", "P-*" }, { "continuation", "C-*" }, { "errors", "E-*" },
	{ "security", "S-*" }, { "bad-input", "N-*" },
};

/* Where results are, and what makes a table of them */
static char dir[64];

/* The process at work, with a group for all that it starts; 0 if there is none */
static volatile pid_t working;
static volatile sig_atomic_t ended;

/**
 * end_work - a signal ends what is at work, and this process has yet to clean up
 * @sig: the signal
 */
static void end_work(int sig)
{
	ended = 1;
	if (working > 0)
		kill(-working, SIGTERM);
}

/**
 * check_ended - has a signal ended the run?
 *
 * Return: true if so.
 */
bool check_ended(void)
{
	return ended;
}

/**
 * check_sections - run only cases of some parts of the checklist
 * @names: the parts, parted by commas
 *
 * Return: 0, or -1 if one is unknown.
 */
int check_sections(const char *names)
{
	static char glob[256];
	char all[256], *w, *save;
	size_t i;

	*glob = '\0';
	snprintf(all, sizeof(all), "%s", names);
	for (w = strtok_r(all, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < ARRAY_SIZE(sections) && strcmp(w, sections[i].name); i++)
			;
		if (i == ARRAY_SIZE(sections))
			return -1;
		snprintf(glob + strlen(glob), sizeof(glob) - strlen(glob), "%s%s",
			 *glob ? "," : "", sections[i].ids);
	}
	cfg.glob = glob;
	return *glob ? 0 : -1;
}

/**
 * put_file - write a file into the folder
 * @name: its name
 * @from: its bytes
 * @to: their end
 *
 * Return: 0, or -1.
 */
static int put_file(const char *name, const char *from, const char *to)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fwrite(from, 1, to - from, f);
	return fclose(f);
}

/**
 * check_begin - get a folder for the results
 *
 * From now on SIGINT and SIGTERM end what is at work, and no more.
 *
 * Return: 0, or -1.
 */
int check_begin(void)
{
	struct sigaction sa = { .sa_handler = end_work, .sa_flags = SA_RESTART };
	static char csv[128];

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	check_foreign = true;
	snprintf(dir, sizeof(dir), "/tmp/peer-check-XXXXXX");
	if (!mkdtemp(dir) || put_file("ids.tsv", checklist_ids, checklist_ids_end) ||
	    put_file("judgement.py", check_judgement, check_judgement_end) ||
	    put_file("foreign.py", check_table, check_table_end)) {
		perror(dir);
		return -1;
	}
	snprintf(csv, sizeof(csv), "%s/results.csv", dir);
	if (!cfg.csv)
		cfg.csv = csv;
	unlink(cfg.csv);
	return put_file("results.csv", "", "");
}

/**
 * status_of - how a process ended
 * @pid: the process
 *
 * Return: its exit status, or -1 if it has none.
 */
static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

/**
 * print_table - have the table of ids printed
 * @end: the end that was tried
 * @whole: all cases have run
 *
 * Return: 0 if nothing failed.
 */
static int print_table(const char *end, bool whole)
{
	char program[128];
	pid_t pid;

	snprintf(program, sizeof(program), "%s/foreign.py", dir);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execlp("python3", "python3", "-B", program, cfg.csv, end,
		       whole ? "complete" : NULL, NULL);
		perror("python3");
		_exit(127);
	}
	return status_of(pid);
}

/**
 * check_end - remove the folder of the results
 */
void check_end(void)
{
	static const char * const names[] = {
		"ids.tsv", "judgement.py", "foreign.py", "results.csv",
	};
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

/**
 * check_aside - do something in a process of its own
 * @fn: what
 *
 * The process must be the first to open the device: what was opened before a fork()
 * takes no Sends behind it, since the kernel asks for the credentials that opened it.
 *
 * Return: its exit status, or -1 if it has none.
 */
int check_aside(int (*fn)(void))
{
	sigset_t ends, usual;
	int status = -1;

	fflush(stdout);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &usual);
	working = ended ? -1 : fork();
	if (!working) {
		setpgid(0, 0);
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		sigprocmask(SIG_SETMASK, &usual, NULL);
		exit(fn());
	}
	if (working > 0)
		setpgid(working, working);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	if (working > 0)
		status = status_of(working);
	working = 0;
	return status;
}

/**
 * check_run - run cases in a process, and print the table of ids
 * @run: runs them
 * @end: the end that is tried
 *
 * If a signal ends that, the table has what there is.
 *
 * Return: 0 if all cases have run and nothing failed.
 */
int check_run(int (*run)(void), const char *end)
{
	int status = check_aside(run);

	putchar('\n');
	status = print_table(end, status == PASS || status == FAIL);
	check_end();
	return status ? FAIL : PASS;
}
