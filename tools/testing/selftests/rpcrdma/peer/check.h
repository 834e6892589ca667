/* SPDX-License-Identifier: GPL-2.0 */
/*
 * server-check and client-check: an end that is not ours, outside of any test bed.
 * Nothing is done on its machine; what that would take is skipped by name.
 */
#ifndef PEER_CHECK_H
#define PEER_CHECK_H

#include <stdbool.h>

/* The end under test is not ours: it may lack what ours has */
extern bool check_foreign;

int check_sections(const char *names);
int check_begin(void);
void check_end(void);
bool check_ended(void);
int check_aside(int (*fn)(void));
int check_run(int (*run)(void), const char *end);
int server_check(void);
int client_check(void);
int apps_main(void);

/**
 * struct check_op - an operation that cases of the server role have
 * @op: see app_do()
 * @proc: the procedure of NFSv3 it comes to
 */
struct check_op {
	char op[32];
	unsigned int proc;
};

unsigned int check_ops(struct check_op *all, unsigned int max);
const char *check_unrun(const void *k);

#endif /* PEER_CHECK_H */
