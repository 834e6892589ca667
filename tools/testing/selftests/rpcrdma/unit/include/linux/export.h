/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing of the kernel's header of this name is needed in user space */
