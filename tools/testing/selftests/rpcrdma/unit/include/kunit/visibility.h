/* SPDX-License-Identifier: GPL-2.0 */
/* In user space everything is linked together: nothing has to be exported */
#ifndef _SHIM_KUNIT_VISIBILITY_H
#define _SHIM_KUNIT_VISIBILITY_H

#define VISIBLE_IF_KUNIT
#define EXPORT_SYMBOL_IF_KUNIT(symbol)	_Static_assert(1, #symbol)

#endif
