/* SPDX-License-Identifier: GPL-2.0 */
/* The ids of the conformance checklist: what they are, and what they stand on. */
#ifndef PEER_CHECKLIST_H
#define PEER_CHECKLIST_H

#include <stdio.h>

int checklist_say(FILE *out, const char *id);
void checklist_texts(FILE *out);

/* ids.tsv and sections.tsv of ../conformance, as they were when this was built */
extern const char checklist_ids[], checklist_ids_end[];
extern const char checklist_sections[], checklist_sections_end[];

#endif /* PEER_CHECKLIST_H */
