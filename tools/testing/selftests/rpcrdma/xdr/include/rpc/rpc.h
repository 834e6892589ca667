/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rpcgen's output wants of the header of this name. The whole of that would
 * define msg_type, which the drafts do themselves.
 */
#ifndef XDR_RPC_RPC_H
#define XDR_RPC_RPC_H

#include <rpc/types.h>
#include <rpc/xdr.h>

#endif /* XDR_RPC_RPC_H */
