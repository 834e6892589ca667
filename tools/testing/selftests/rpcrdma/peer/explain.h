/* SPDX-License-Identifier: GPL-2.0 */
/* --explain: what a case sends and expects, and what it stands on, in words. */
#ifndef PEER_EXPLAIN_H
#define PEER_EXPLAIN_H

#include <stdarg.h>

#include "peer.h"
#include "says.h"

/**
 * struct case_doc - what a function does that a case names
 * @name: the case
 * @text: what it does
 */
struct case_doc {
	const char *name;
	const char *text;
};

/* Made by case_docs.py; ends with an empty row */
extern const struct case_doc case_docs[];

/**
 * struct flag - a flag of a case, and what it means
 * @bit: the flag
 * @says: the sentence
 */
struct flag {
	unsigned int bit;
	const char *says;
};

/**
 * struct explainer - an explanation in the making
 * @out: where the sentence goes
 * @text: what there is of it
 * @size: its length
 * @env: what stands for connection, call and reply in templates
 * @wants: words of a WANT, and what they mean
 * @bad: what could not be explained, NULL if nothing
 * @step: number of the last step
 */
struct explainer {
	FILE *out;
	char *text;
	size_t size;
	struct tmpl_env env;
	const struct saying *wants;
	char bad[128];
	unsigned int step;
};

void explain_begin(struct explainer *x, const struct case_head *k);
int explain_end(struct explainer *x, const struct case_head *k);
void explain_line(struct explainer *x, int indent);
void explain_say(struct explainer *x, int indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void explain_step(struct explainer *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void explain_bad(struct explainer *x, const char *what);
void explain_flags(struct explainer *x, const struct flag *f, unsigned int flags);
void explain_docs(struct explainer *x, const struct case_head *k, bool needed);
void explain_message(struct explainer *x, const char *who, const char *t);
void explain_bytes(struct explainer *x, const char *who, const char *t);
void explain_want(struct explainer *x, const char *want);
void explain_layout(struct explainer *x, const char *lay);
void explain_op(struct explainer *x, const char *op);
bool explain_is_step(const char *step, const char *word, const char **arg);

extern const struct saying want_sayings[];

#endif /* PEER_EXPLAIN_H */
