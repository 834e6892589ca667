-- SPDX-License-Identifier: GPL-2.0
--
-- RPC-over-RDMA version 2 for wireshark and tshark 4.0: the headers of every
-- message, and the RPC message behind them where the Sends hold all of it.
--
--   tshark -X lua_script:rpcrdma2.lua -r FILE -Y rpcrdma2
--
-- README says what to filter for. Field names are those of the protocol's XDR.
-- The layers below are Wireshark's own: InfiniBand, RoCE and iWARP hand every
-- Send to claim_ib() or claim_iwarp(). Whatever is not version 2 is left to the
-- built-in dissector of version 1.
--
-- Three parts: Cursor and the functions that take it decode one header and never
-- look at anything else; Peer and the functions that take it remember what went
-- before on a connection; claim(), at the end, joins the two. What is remembered
-- is recorded when a frame is first looked at and only shown afterwards, because
-- Wireshark dissects a frame as often and in whatever order it likes.

local proto = Proto("rpcrdma2", "RPC-over-RDMA version 2")

-- Values ----------------------------------------------------------------------

local VERSION = 2
local MSG, NOMSG, ERROR, OPTIONAL = 0, 1, 4, 5
local CALL, REPLY = 0, 1
local INITXCH, REQXCH, RESPXCH, UPDXCH = 1, 2, 3, 4
local XMTREQ, XMTRESP, XMTCONT, REPTERR = 5, 6, 7, 8
local EXRW, TBSN, CHOICE, BYSIZE, TOOSHORT, NOITEM = 1, 2, 3, 4, 5, 6
local ERR_VERS, ERR_CANT_REPLY = 1, 3
local PLT = 1

-- Larger messages are not put together: a length on the wire is a claim.
local LARGEST = 16 * 1024 * 1024
local MOST_SEGMENTS = 4096

local DIRECTIONS = { [CALL] = "CALL", [REPLY] = "REPLY" }
local PROCS = {
	[MSG] = "RDMA2_MSG", [NOMSG] = "RDMA2_NOMSG", [ERROR] = "RDMA2_ERROR",
	[OPTIONAL] = "RDMA2_OPTIONAL",
}
local ERRORS = {
	"RDMA2_ERR_VERS", "RDMA2_ERR_BAD_XDR", "RDMA2_ERR_CANT_REPLY",
	"RDMA2_ERR_INVAL_PROC", "RDMA2_ERR_INVAL_OPTION",
}
local OPTTYPES = {
	"ROPT_INITXCH", "ROPT_REQXCH", "ROPT_RESPXCH", "ROPT_UPDXCH",
	"ROPT_XMTREQ", "ROPT_XMTRESP", "ROPT_XMTCONT", "ROPT_REPTERR",
}
local CHARS = {
	"RBSIZ", "REQREMINV", "BRS", "RBSTRUCT", "REQRXLIM", "RESPSXLIM",
	[0xffffff03] = "RTRSUPP",
}
local BRS = { [0] = "NONE", "INLINE", "GENL" }
local XMPTYPES = {
	"XMPTYPE_EXRW", "XMPTYPE_TBSN", "XMPTYPE_CHOICE", "XMPTYPE_BYSIZE",
	"XMPTYPE_TOOSHORT", "XMPTYPE_NOITEM",
}
local OPTRERRS = {
	"OPTRERR_BADHMT", "OPTRERR_BADOMT", "OPTRERR_BADCONT", "OPTRERR_BADSEQ",
	"OPTRERR_BADXID", "OPTRERR_BADOFF", "OPTRERR_BADTBSN", "OPTRERR_BADPL",
}
local BOOLEANS = { [0] = "FALSE", "TRUE" }

-- Fields ----------------------------------------------------------------------

local F = {}

-- word("name", "label" [, values [, base]]): a field of 32 bits.
local function word(name, label, values, how)
	F[name] = ProtoField.uint32("rpcrdma2." .. name, label, how or base.DEC, values)
end

-- segment_fields("prefix"): the three fields of a segment.
local function segment_fields(prefix)
	word(prefix .. ".handle", "rdma_handle", nil, base.HEX)
	word(prefix .. ".length", "rdma_length")
	F[prefix .. ".offset"] = ProtoField.uint64("rpcrdma2." .. prefix .. ".offset",
		"rdma_offset", base.HEX)
end

word("xid", "rdma_xid", nil, base.HEX)
word("vers", "rdma_vers")
word("credit", "rdma_credit")
word("proc", "rdma_proc", PROCS)
word("dir", "Direction", DIRECTIONS)
word("direction", "rdma_direction", DIRECTIONS)
word("inv_handle", "rdma_inv_handle", nil, base.HEX)
word("reads", "Entries of the Read list")
word("read.position", "rdma_position")
segment_fields("read")
word("writes", "Write chunks")
word("write.count", "Segments")
segment_fields("write")
word("reply", "Reply chunk", BOOLEANS)
word("reply.count", "Segments")
segment_fields("reply")

word("err", "rdma_err", ERRORS)
word("vers_low", "rdma_vers_low")
word("vers_high", "rdma_vers_high")
word("processed", "rdma_processed", BOOLEANS)
word("segment_index", "rdma_segment_index")
word("length_needed", "rdma_length_needed")

word("optdir", "rdma_optdir", DIRECTIONS)
word("opttype", "rdma_opttype", OPTTYPES)
word("optinfo_len", "Length of rdma_optinfo")
F.optinfo = ProtoField.bytes("rpcrdma2.optinfo", "rdma_optinfo")

for _, name in ipairs({ "optixch_start", "optreqxch_want" }) do
	word(name, name .. ", characteristics")
end
local SUBSETS = { "optixch_nochg", "optrespxch_done", "optrespxch_rej", "optrespxch_pend" }

for _, name in ipairs(SUBSETS) do
	word(name, name .. ", words")
	word(name .. ".word", name, nil, base.HEX)
end
word("optupdxch_pendclr", "optupdxch_pendclr", BOOLEANS)
word("xchv_which", "xchv_which", CHARS, base.HEX)
word("xchv_len", "Length of xchv_data")
F.xchv_data = ProtoField.bytes("rpcrdma2.xchv_data", "xchv_data")
word("rbsiz", "RBSIZ")
word("reqreminv", "REQREMINV", BOOLEANS)
word("brs", "BRS", BRS)
word("reqrxlim", "REQRXLIM")
word("respsxlim", "RESPSXLIM")
word("rtrsupp", "RTRSUPP", nil, base.HEX)
for i, name in ipairs({ "xreq", "xresp", "xcont" }) do
	F["rtrsupp." .. name] = ProtoField.bool("rpcrdma2.rtrsupp." .. name,
		"RTRS_" .. name:upper(), 32, nil, 2 ^ (i - 1))
end
word("xmrbuf_length", "xmrbuf_length")
word("xmrbuf_groups", "xmrbuf_groups")
word("xmrgrp_count", "xmrgrp_count")
word("xmrseg_length", "xmrseg_length")
word("xmrseg_align", "xmrseg_align")
word("xmrseg_flags", "xmrseg_flags", nil, base.HEX)

word("optxrq_dp", "optxrq_dp, items")
word("optxrq_rsd", "optxrq_rsd, sets")
word("optxrq_count", "optxrq_count")
word("optxrq_rsbuf", "optxrq_rsbuf")
word("optxrq_pslen", "optxrq_pslen")
word("optxrs_dp", "optxrs_dp, items")
word("optxrs_count", "optxrs_count")
word("optxrs_pslen", "optxrs_pslen")
word("optxc_xnum", "optxc_xnum")
word("optxc_itype", "optxc_itype", OPTTYPES)
word("optxc_pslen", "optxc_pslen")
word("xmdmi_disp", "xmdmi_disp")
word("xmdmi_length", "xmdmi_length")
word("xmdmi_where", "xmdmi_where", XMPTYPES)
word("xmdl_ex", "xmdl_ex, segments")
segment_fields("xmdl_ex")
word("xmdl_offset", "xmdl_offset")
word("xmdl_bsnum", "xmdl_bsnum, numbers")
word("xmdl_bsnum.tbsn", "xmdl_bsnum")
word("xmdrsdr_begin", "xmdrsdr_begin")
word("xmdrsdr_end", "xmdrsdr_end")
word("xmdrsds_items", "xmdrsds_items")
word("xmdrsdi_minlen", "xmdrsdi_minlen")
word("xmdrsdi_loc", "xmdrsdi_loc", XMPTYPES)
word("xmdrsdl_dsdov", "xmdrsdl_dsdov")
for _, name in ipairs({ "xmdrsdl_ex", "xmdrsdl_bsex" }) do
	word(name, name .. ", segments")
	segment_fields(name)
end

word("optre_lead", "optre_lead", BOOLEANS)
word("optre_which", "optre_which", OPTRERRS)
word("optri_expect", "optri_expect")
word("optri_current", "optri_current")
word("optri_value", "optri_value")
word("optri_min", "optri_min")
word("optri_max", "optri_max")
for _, who in ipairs({ "bad", "lead" }) do
	word(who .. ".xmsi_xid", "xmsi_xid", nil, base.HEX)
	word(who .. ".xmsi_dir", "xmsi_dir", DIRECTIONS)
	word(who .. ".xmsi_seq", "xmsi_seq")
end

F.payload = ProtoField.bytes("rpcrdma2.payload", "Payload stream")
F.behind = ProtoField.bytes("rpcrdma2.behind", "Behind the payload stream")
F.padding = ProtoField.bytes("rpcrdma2.padding", "Padding")
F.placed = ProtoField.bytes("rpcrdma2.placed", "Placed data")
word("placed.disp", "Displacement in the message")
word("placed.tbsn", "First segment it is in")
word("invalidated", "Handle that the Send invalidates", nil, base.HEX)
word("filled", "Bytes that RDMA moved, shown as zeroes")
F.request_in = ProtoField.framenum("rpcrdma2.request_in", "Call in frame", base.NONE,
	frametype.REQUEST)
F.response_in = ProtoField.framenum("rpcrdma2.response_in", "Answered in frame", base.NONE,
	frametype.RESPONSE)
F.piece_of = ProtoField.framenum("rpcrdma2.piece_of", "Send is whole in frame")
F.transmission = ProtoField.string("rpcrdma2.transmission", "Place in its group")
F.group_end = ProtoField.framenum("rpcrdma2.group_end", "Group is whole in frame")

proto.fields = F

local X = {
	malformed = ProtoExpert.new("rpcrdma2.malformed", "Malformed header",
		expert.group.MALFORMED, expert.severity.ERROR),
	not_captured = ProtoExpert.new("rpcrdma2.not_captured", "Cut off by the capture",
		expert.group.UNDECODED, expert.severity.NOTE),
	unknown = ProtoExpert.new("rpcrdma2.unknown", "Value nobody knows",
		expert.group.PROTOCOL, expert.severity.WARN),
	violation = ProtoExpert.new("rpcrdma2.violation", "Against the protocol",
		expert.group.PROTOCOL, expert.severity.WARN),
	sequence = ProtoExpert.new("rpcrdma2.sequence", "Out of sequence",
		expert.group.SEQUENCE, expert.severity.WARN),
	retransmission = ProtoExpert.new("rpcrdma2.retransmission", "Packet was sent before",
		expert.group.SEQUENCE, expert.severity.NOTE),
}
proto.experts = X

proto.prefs.fill = Pref.bool("Show moved data as zeroes", true,
	"Dissect a Call that is whole but for data which RDMA moves, with zeroes in its place")

-- Cursor: takes words from a header and shows them -----------------------------

local Cursor = {}
Cursor.__index = Cursor

-- at(tvb, from, limit): a cursor over the bytes of tvb from "from" to "limit".
local function cursor(tvb, from, limit)
	return setmetatable({ tvb = tvb, at = from, limit = limit }, Cursor)
end

-- fail(...): gives up on a header; claim() shows why.
local function fail(...)
	error({ why = string.format(...) }, 0)
end

-- left(): the bytes that remain.
function Cursor:left()
	return self.limit - self.at
end

-- take(size, what): the next bytes, which must exist.
function Cursor:take(size, what)
	if size > self:left() then
		fail("%s needs %d bytes, %d are left", what, size, self:left())
	end
	self.at = self.at + size
	return self.tvb(self.at - size, size)
end

-- word(tree, name): the next word; returns its value and its item.
function Cursor:word(tree, name)
	local range = self:take(4, name)

	return range:uint(), tree:add(F[name], range)
end

-- enum(tree, name, values): the next word, which must be one of values.
function Cursor:enum(tree, name, values)
	local value = self:word(tree, name)

	if not values[value] then
		fail("%s is %d", name, value)
	end
	return value
end

-- count(tree, name, size): the next word counts elements of at least that size.
function Cursor:count(tree, name, size)
	local n, item = self:word(tree, name)

	if n > self:left() / size then
		fail("%s is %d, but only %d bytes are left", name, n, self:left())
	end
	return n, item
end

-- part(size, what): a cursor over the next bytes alone, which are skipped here.
function Cursor:part(size, what)
	local from = self.at

	self:take(size, what)
	return cursor(self.tvb, from, from + size)
end

-- done(what): nothing may be left.
function Cursor:done(what)
	if self:left() > 0 then
		fail("%d bytes are left over in %s", self:left(), what)
	end
end

-- branch(tree, text): a subtree that starts here; close() ends it.
function Cursor:branch(tree, text)
	local item = tree:add(proto, self.tvb(self.at, 0), text)

	return item, self.at
end

-- close(item, from): the subtree covers what was taken since "from".
function Cursor:close(item, from)
	item:set_len(self.at - from)
end

-- Base protocol ----------------------------------------------------------------

-- segment(c, tree, prefix): one segment; returns its length.
local function segment(c, tree, prefix)
	local length

	c:word(tree, prefix .. ".handle")
	length = c:word(tree, prefix .. ".length")
	tree:add(F[prefix .. ".offset"], c:take(8, "rdma_offset"))
	return length
end

-- segments(c, tree, name, prefix): a counted array of segments; returns the
-- bytes that they have room for.
local function segments(c, tree, name, prefix)
	local sum = 0

	for _ = 1, c:count(tree, name, 16) do
		sum = sum + segment(c, tree, prefix)
	end
	return sum
end

-- presence(c): the word that says whether another element follows.
local function presence(c, what)
	local value = c:take(4, what):uint()

	if value > 1 then
		fail("%s: %d stands for neither an element nor the end", what, value)
	end
	return value == 1
end

-- read_list(c, tree, m): segments of one position in a row are one chunk; m.items
-- gets one item for each.
local function read_list(c, tree, m)
	local list, from = c:branch(tree, "Read list")
	local n = 0

	while presence(c, "Read list") do
		local entry, start = c:branch(list, "Read segment")
		local position = c:word(entry, "read.position")
		local length = segment(c, entry, "read")
		local last = m.items[#m.items]

		if last and last.disp == position then
			last.length = last.length + length
		else
			m.items[#m.items + 1] = { disp = position, length = length, type = EXRW }
		end
		c:close(entry, start)
		n = n + 1
	end
	list:add(F.reads, n):set_generated()
	list:append_text(string.format(", %d", n))
	c:close(list, from)
end

-- write_list(c, tree, m): m.written becomes the bytes that all chunks have room for.
local function write_list(c, tree, m)
	local list, from = c:branch(tree, "Write list")
	local n = 0

	m.written = 0
	while presence(c, "Write list") do
		local entry, start = c:branch(list, "Write chunk")

		m.written = m.written + segments(c, entry, "write.count", "write")
		c:close(entry, start)
		n = n + 1
	end
	list:add(F.writes, n):set_generated()
	list:append_text(string.format(", %d", n))
	c:close(list, from)
end

-- reply_chunk(c, tree, m): the last part of the lists.
local function reply_chunk(c, tree, m)
	m.reply_chunk = c:enum(tree, "reply", BOOLEANS) == 1
	if m.reply_chunk then
		local entry, from = c:branch(tree, "Reply chunk")

		segments(c, entry, "reply.count", "reply")
		c:close(entry, from)
	end
end

-- complain(m, ...): remembers what is against the protocol but can be decoded.
local function complain(m, ...)
	m.complaints[#m.complaints + 1] = string.format(...)
end

-- check_lists(m): is the form of the message right for its lists?
local function check_lists(m)
	local zero = m.items[1] and m.items[1].disp == 0

	if m.dir == REPLY and #m.items > 0 then
		complain(m, "a reply has a Read list")
	elseif m.proc == MSG and zero then
		complain(m, "an RDMA2_MSG has a position-zero Read chunk")
	elseif m.proc == NOMSG and m.dir == CALL and not zero then
		complain(m, "an RDMA2_NOMSG Call lacks a position-zero Read chunk")
	elseif m.proc == NOMSG and m.dir == REPLY and not m.reply_chunk then
		complain(m, "an RDMA2_NOMSG reply lacks a Reply chunk")
	end
end

-- chunk_lists(c, tree, m): the body of MSG and NOMSG. What follows is the payload.
local function chunk_lists(c, tree, m)
	m.dir = c:enum(tree, "direction", DIRECTIONS)
	m.inv_handle = c:word(tree, "inv_handle")
	m.items = {}
	read_list(c, tree, m)
	write_list(c, tree, m)
	reply_chunk(c, tree, m)
	check_lists(m)
	m.title = string.format("%s, %d Read, %d Write", m.title, #m.items, m.written)
	if m.proc == MSG then
		m.pslen = c:left()
		m.count, m.xnum = 1, 0
	end
end

-- err(c, tree, m): the body of ERROR.
local function err(c, tree, m)
	local code = c:enum(tree, "err", ERRORS)

	m.dir = REPLY
	m.err = code
	m.title = ERRORS[code]
	if code == ERR_VERS then
		local low = c:word(tree, "vers_low")
		local high = c:word(tree, "vers_high")

		m.title = string.format("%s %d..%d", m.title, low, high)
	elseif code == ERR_CANT_REPLY then
		c:enum(tree, "processed", BOOLEANS)
		c:word(tree, "segment_index")
		local needed = c:word(tree, "length_needed")

		m.title = string.format("%s, %d bytes needed", m.title, needed)
	end
end

-- Characteristics ---------------------------------------------------------------

-- rbstruct(c, tree): the layout of a receive buffer; returns its PLT segments,
-- each with the offset where it begins and its length.
local function rbstruct(c, tree)
	local plt, offset = {}, 0

	c:word(tree, "xmrbuf_length")
	for _ = 1, c:count(tree, "xmrbuf_groups", 16) do
		local group, from = c:branch(tree, "xmrbs_group")
		local count = c:word(group, "xmrgrp_count")
		local length = c:word(group, "xmrseg_length")

		c:word(group, "xmrseg_align")
		local flags = c:word(group, "xmrseg_flags")
		c:close(group, from)
		for _ = 1, math.min(flags % 2 == PLT and count or 0, MOST_SEGMENTS - #plt) do
			plt[#plt + 1] = { offset = offset, length = length }
			offset = offset + length
		end
		if flags % 2 ~= PLT then
			offset = offset + count * length
		end
	end
	return plt
end

-- rtrsupp(c, tree): a word of flags.
local function rtrsupp(c, tree)
	local range = c:take(4, "RTRSUPP")
	local item = tree:add(F.rtrsupp, range)

	for _, name in ipairs({ "xreq", "xresp", "xcont" }) do
		item:add(F["rtrsupp." .. name], range)
	end
end

-- Decoders of the characteristics that are known, by number.
local CHAR = {
	function(c, tree) c:word(tree, "rbsiz") end,
	function(c, tree) c:enum(tree, "reqreminv", BOOLEANS) end,
	function(c, tree) c:enum(tree, "brs", BRS) end,
	function(c, tree, m) m.plt = rbstruct(c, tree) end,
	function(c, tree) c:word(tree, "reqrxlim") end,
	function(c, tree) c:word(tree, "respsxlim") end,
	[0xffffff03] = rtrsupp,
}

-- xcharval(c, tree, m): one characteristic; returns its number.
local function xcharval(c, tree, m)
	local item, from = c:branch(tree, "xcharval")
	local which = c:word(item, "xchv_which")
	local length = c:word(item, "xchv_len")
	local name = CHARS[which] or string.format("0x%x", which)
	local data = c:part(length, name)

	item:append_text(": " .. name)
	if CHAR[which] then
		CHAR[which](data, item, m)
		data:done(name)
	else
		item:add(F.xchv_data, data:take(length, name))
	end
	c:take(-length % 4, "XDR pad")
	c:close(item, from)
	return which
end

-- xcharspec(c, tree, m, name): a list of characteristics; returns their names.
local function xcharspec(c, tree, m, name)
	local n, item = c:count(tree, name, 8)
	local names, seen = {}, {}

	for i = 1, n do
		local which = xcharval(c, item, m)

		names[i] = CHARS[which] or string.format("0x%x", which)
		if CHARS[which] and seen[which] then
			fail("%s is there twice", names[i])
		end
		seen[which] = true
	end
	item:append_text(": " .. table.concat(names, ", "))
	return names
end

-- xcharsubset(c, tree, name): a bit for each element of an xcharspec.
local function xcharsubset(c, tree, name)
	local n, item = c:count(tree, name, 4)
	local elements = {}

	for i = 0, n - 1 do
		local bits = c:word(item, name .. ".word")

		for bit = 0, 31 do
			if math.floor(bits / 2 ^ bit) % 2 == 1 then
				elements[#elements + 1] = i * 32 + bit
			end
		end
	end
	item:append_text(", elements {" .. table.concat(elements, ", ") .. "}")
end

-- Transmissions -------------------------------------------------------------------

-- Which types of location may be where.
local IN_REQUEST = { [EXRW] = true, [TBSN] = true, [TOOSHORT] = true, [NOITEM] = true }
local IN_RESULT = { [EXRW] = true, [TBSN] = true, [CHOICE] = true, [BYSIZE] = true }

-- mitem(c, tree, m): one item that is not in the payload stream.
local function mitem(c, tree, m)
	local item, from = c:branch(tree, "xmdp_mitem")
	local it = { disp = c:word(item, "xmdmi_disp"), length = c:word(item, "xmdmi_length") }

	it.type = c:enum(item, "xmdmi_where", IN_REQUEST)
	if it.type == EXRW then
		segments(c, item, "xmdl_ex", "xmdl_ex")
	elseif it.type == TBSN then
		it.offset = c:word(item, "xmdl_offset")
		it.numbers = {}
		for i = 1, c:count(item, "xmdl_bsnum", 4) do
			it.numbers[i] = c:word(item, "xmdl_bsnum.tbsn")
		end
	elseif m.opttype == XMTREQ then
		complain(m, "%s in a request", XMPTYPES[it.type])
	end
	c:close(item, from)
	return it
end

-- grpinfo(c, tree, m, name): all items of a message; m.items holds those that
-- have been taken out of the payload stream.
local function grpinfo(c, tree, m, name)
	local n, item = c:count(tree, name, 12)

	m.items = {}
	for _ = 1, n do
		local it = mitem(c, item, m)

		if it.type == EXRW or it.type == TBSN then
			m.items[#m.items + 1] = it
		end
	end
end

-- rsditem(c, tree): where one item of the response is to go.
local function rsditem(c, tree)
	local item, from = c:branch(tree, "xmdp_rsditem")

	c:word(item, "xmdrsdi_minlen")
	local kind = c:enum(item, "xmdrsdi_loc", IN_RESULT)
	if kind == BYSIZE then
		c:word(item, "xmdrsdl_dsdov")
		segments(c, item, "xmdrsdl_bsex", "xmdrsdl_bsex")
	elseif kind ~= TBSN then
		segments(c, item, "xmdrsdl_ex", "xmdrsdl_ex")
	end
	c:close(item, from)
end

-- rsdgroup(c, tree): what the requester wants of the response.
local function rsdgroup(c, tree)
	local n, item = c:count(tree, "optxrq_rsd", 12)

	for _ = 1, n do
		local set, from = c:branch(item, "xmdp_rsdset")

		c:word(set, "xmdrsdr_begin")
		c:word(set, "xmdrsdr_end")
		for _ = 1, c:count(set, "xmdrsds_items", 8) do
			rsditem(c, set)
		end
		c:close(set, from)
	end
end

-- xms_id(c, tree, who): names one transmission.
local function xms_id(c, tree, who)
	local item, from = c:branch(tree, "optre_" .. who)

	c:word(item, who .. ".xmsi_xid")
	c:enum(item, who .. ".xmsi_dir", DIRECTIONS)
	c:word(item, who .. ".xmsi_seq")
	c:close(item, from)
end

-- optr_info(c, tree, m): what was wrong with it.
local function optr_info(c, tree, m)
	local which = c:enum(tree, "optre_which", OPTRERRS)

	m.title = m.title .. " " .. OPTRERRS[which]
	if which >= 6 then
		c:word(tree, "optri_value")
		c:word(tree, "optri_min")
		c:word(tree, "optri_max")
	elseif which ~= 3 then
		c:word(tree, "optri_expect")
		c:word(tree, "optri_current")
	end
end

-- Decoders of rdma_optinfo, by rdma_opttype.
local OPT = {
	[INITXCH] = function(c, tree, m)
		local names = xcharspec(c, tree, m, "optixch_start")

		m.title = m.title .. " " .. table.concat(names, " ")
		xcharsubset(c, tree, "optixch_nochg")
	end,
	[REQXCH] = function(c, tree, m)
		xcharspec(c, tree, { complaints = m.complaints }, "optreqxch_want")
	end,
	[RESPXCH] = function(c, tree)
		xcharsubset(c, tree, "optrespxch_done")
		xcharsubset(c, tree, "optrespxch_rej")
		xcharsubset(c, tree, "optrespxch_pend")
	end,
	[UPDXCH] = function(c, tree, m)
		xcharval(c, tree, m)
		c:enum(tree, "optupdxch_pendclr", BOOLEANS)
	end,
	[XMTREQ] = function(c, tree, m)
		grpinfo(c, tree, m, "optxrq_dp")
		rsdgroup(c, tree)
		m.count, m.xnum = c:word(tree, "optxrq_count"), 0
		m.rsbuf = c:word(tree, "optxrq_rsbuf")
		m.pslen = c:word(tree, "optxrq_pslen")
	end,
	[XMTRESP] = function(c, tree, m)
		grpinfo(c, tree, m, "optxrs_dp")
		m.count, m.xnum = c:word(tree, "optxrs_count"), 0
		m.pslen = c:word(tree, "optxrs_pslen")
	end,
	[XMTCONT] = function(c, tree, m)
		m.xnum = c:word(tree, "optxc_xnum")
		m.itype = c:word(tree, "optxc_itype")
		m.pslen = c:word(tree, "optxc_pslen")
	end,
	[REPTERR] = function(c, tree, m)
		xms_id(c, tree, "bad")
		if c:enum(tree, "optre_lead", BOOLEANS) == 1 then
			xms_id(c, tree, "lead")
		end
		optr_info(c, tree, m)
	end,
}

-- optional(c, tree, m): the body of OPTIONAL.
local function optional(c, tree, m)
	m.dir = c:enum(tree, "optdir", DIRECTIONS)
	m.opttype = c:word(tree, "opttype")
	m.title = OPTTYPES[m.opttype] or string.format("opttype %d", m.opttype)
	local length = c:word(tree, "optinfo_len")
	local info = c:part(length, "rdma_optinfo")

	if OPT[m.opttype] then
		OPT[m.opttype](info, tree, m)
		info:done("rdma_optinfo")
	else
		m.unknown = string.format("rdma_opttype %d", m.opttype)
		tree:add(F.optinfo, info:take(length, "rdma_optinfo"))
		c:take(math.min(-length % 4, c:left()), "XDR pad")
	end
	if m.count == 0 then
		complain(m, "a group of no transmissions")
	end
	if m.pslen and m.pslen > c:left() then
		fail("the payload stream needs %d bytes, %d are left", m.pslen, c:left())
	end
end

local BODY = { [MSG] = chunk_lists, [NOMSG] = chunk_lists, [ERROR] = err, [OPTIONAL] = optional }

-- header(c, tree, m): a whole header. m is filled as far as it gets:
--   xid, proc, dir, opttype, err, title   what the message is
--   pslen, count, xnum, itype             bytes of the payload stream, place in a group
--   items, written                        what is not in the payload stream
--   plt                                   PLT segments of the sender's receive buffers
local function header(c, tree, m)
	m.xid = c:word(tree, "xid")
	c:word(tree, "vers")
	m.credit = c:word(tree, "credit")
	m.proc = c:word(tree, "proc")
	m.title = PROCS[m.proc] or string.format("rdma_proc %d", m.proc)
	if m.credit == 0 then
		complain(m, "rdma_credit is zero")
	end
	if BODY[m.proc] then
		BODY[m.proc](c, tree, m)
	else
		m.unknown = string.format("rdma_proc %d", m.proc)
	end
end

-- check_rpc(tvb, at, m): does the RPC header agree with the transport's?
local function check_rpc(tvb, at, m)
	if m.items[1] and m.items[1].disp == 0 then
		return
	elseif m.pslen < 8 then
		complain(m, "%d bytes are no RPC message", m.pslen)
		return
	end
	if tvb(at, 4):uint() ~= m.xid then
		complain(m, "the xid of the RPC message is 0x%08x", tvb(at, 4):uint())
	end
	if tvb(at + 4, 4):uint() ~= m.dir then
		complain(m, "msg_type of the RPC message is %d", tvb(at + 4, 4):uint())
	end
end

-- Connections -----------------------------------------------------------------------
--
-- peers: what is known of each end of each connection, by its name.
--   known    it has spoken version 2
--   send     the Send whose packets are being collected
--   psns     PSNs of the latest Sends
--   calls    frames of its Calls that wait for an answer, by family and xid
--   group    the group that it is sending
--   plt      PLT segments of its receive buffers
-- memos: what was found out about each Send when it was first looked at.

local peers, memos

-- init(): a file is opened, or looked at afresh.
function proto.init()
	peers, memos = {}, {}
end

-- peer(name): the record of one end.
local function peer(name)
	peers[name] = peers[name] or { psns = {}, calls = {} }
	return peers[name]
end

-- family(m): control messages and RPCs number their Calls separately.
local function family(m)
	if m.proc == OPTIONAL and m.opttype <= UPDXCH then
		return "control "
	end
	return "rpc "
end

-- is_call(m): the message wants an answer.
local function is_call(m)
	return m.dir == CALL and (m.proc ~= OPTIONAL or
		m.opttype == INITXCH or m.opttype == REQXCH or m.opttype == XMTREQ)
end

-- is_answer(m): the message is one.
local function is_answer(m)
	return m.dir == REPLY and (m.proc ~= OPTIONAL or
		m.opttype == INITXCH or m.opttype == RESPXCH or m.opttype == XMTRESP)
end

-- answered(from, m): takes the Call of the peer that m answers off its list. An
-- error may be about either kind, and is looked for among control messages first.
local function answered(from, m)
	local kinds = m.proc == ERROR and { "control ", "rpc " } or { family(m) }

	for _, kind in ipairs(kinds) do
		local memo = from.calls[kind .. m.xid]

		if memo then
			from.calls[kind .. m.xid] = nil
			return memo
		end
	end
end

-- pair(me, other, m, memo): joins Call and answer.
local function pair(me, other, m, memo)
	if is_call(m) then
		memo.inv_handle = m.inv_handle
		me.calls[family(m) .. m.xid] = memo
	elseif is_answer(m) then
		local call = answered(other, m)

		if call then
			memo.request_in = call.frame
			memo.offered = call.inv_handle
			call.response_in = memo.frame
		end
	end
end

-- characteristics(me, m): keeps what later messages are measured by. The opening
-- message of a new connection makes everything older void.
local function characteristics(me, other, m)
	if m.opttype == INITXCH and m.dir == CALL then
		me.plt, me.group, other.plt, other.group = nil, nil, nil, nil
	end
	if m.opttype == INITXCH or m.opttype == UPDXCH then
		me.plt = m.plt or me.plt
	end
end

-- extents(it, plt, put): calls put(send, at, disp, length, tbsn) for each piece of
-- an item in a PLT segment: its place in that Send of the group and in the message.
local function extents(it, plt, put)
	local done, skip = 0, it.offset

	for _, tbsn in ipairs(it.numbers) do
		local seg = plt[tbsn % #plt + 1]
		local length = math.min(seg.length - skip, it.length - done)

		if length <= 0 then
			return
		end
		put(math.floor(tbsn / #plt) + 1, seg.offset + skip, it.disp + done, length, tbsn)
		done = done + length
		skip = 0
	end
end

-- pieces(group, nr): what of all items lies in one Send of a group, in the order of
-- the Send; neighbours of one item are one piece. nil if the layout is not known.
local function pieces(group, nr)
	local found = {}

	if not group.plt or #group.plt == 0 then
		return nil
	end
	for _, it in ipairs(group.items) do
		local last

		extents(it.type == TBSN and it or { numbers = {} }, group.plt,
			function(send, at, disp, length, tbsn)
				if send ~= nr then
					return
				elseif last and last.at + last.length == at then
					last.length = last.length + length
					return
				end
				last = { at = at, disp = disp, length = length, tbsn = tbsn }
				found[#found + 1] = last
			end)
	end
	table.sort(found, function(a, b) return a.at < b.at end)
	return found
end

-- bulk(it, sends, plt): the data of one item, from the PLT segments of the Sends
-- of its group; nil if it is not all there.
local function bulk(it, sends, plt)
	local parts, missing, skip = {}, it.length, it.offset

	for _, tbsn in ipairs(it.numbers) do
		local send = sends[math.floor(tbsn / #plt) + 1]
		local seg = plt[tbsn % #plt + 1]

		if not send or missing == 0 or skip > seg.length then
			break
		end
		local length = math.min(seg.length - skip, missing)
		local part = send:sub(seg.offset + skip + 1, seg.offset + skip + length)
		parts[#parts + 1] = part
		missing = missing - #part
		skip = 0
		if #part < length then
			break
		end
	end
	return missing == 0 and table.concat(parts) or nil
end

-- content(it, group): what an item is, or zeroes where RDMA has moved it.
local function content(it, group)
	if it.length > LARGEST then
		return nil
	elseif it.type == TBSN then
		return group.plt and #group.plt > 0 and bulk(it, group.sends, group.plt)
	elseif proto.prefs.fill then
		group.filled = group.filled + it.length
		return string.rep("\0", it.length)
	end
end

-- weave(group): the RPC message: the payload stream with the items where they
-- belong, each rounded up; nil if something is missing or does not fit.
local function weave(group)
	local payload = table.concat(group.parts)
	local out, taken, length = {}, 0, 0

	group.filled = 0
	for _, it in ipairs(group.items) do
		local data = content(it, group)
		local before = it.disp - length

		if not data or before < 0 or taken + before > #payload then
			return nil
		end
		out[#out + 1] = payload:sub(taken + 1, taken + before)
		out[#out + 1] = data
		out[#out + 1] = string.rep("\0", -#data % 4)
		taken = taken + before
		length = it.disp + #data + -#data % 4
		if length > LARGEST then
			return nil
		end
	end
	out[#out + 1] = payload:sub(taken + 1)
	return table.concat(out)
end

-- opens(m): the message is the first of a group, which may be of one.
local function opens(m)
	return m.count and m.count > 0
end

-- continues(m): the message is a later part of a group.
local function continues(m)
	return m.opttype == XMTCONT
end

-- misfit(group, m): what is wrong with a message while that group is open, or nil.
local function misfit(group, m)
	if not continues(m) then
		return string.format("%d of %d transmissions came", #group.parts, group.count)
	elseif m.xid ~= group.xid or m.dir ~= group.dir then
		return "it belongs to another RPC"
	elseif m.itype ~= group.type then
		return string.format("optxc_itype is %d", m.itype)
	elseif m.xnum ~= #group.parts then
		return string.format("optxc_xnum is %d, %d was next", m.xnum, #group.parts)
	end
end

-- begin(me, other, m): opens a group. With version 1's chunks a group is one Send.
local function begin(me, other, m)
	me.group = {
		xid = m.xid, dir = m.dir, type = m.opttype, count = m.count, items = m.items,
		plt = other.plt, parts = {}, sends = {}, memos = {},
		elsewhere = m.proc == MSG and (m.dir == REPLY or m.items[1].disp == 0),
	}
end

-- collect(me, m, memo, tvb, at): adds one transmission to the open group. The
-- memo of the last one holds the RPC message, if it could be put together.
local function collect(me, m, memo, tvb, at)
	local group = me.group

	group.parts[#group.parts + 1] = tvb:raw(at, m.pslen)
	group.sends[#group.sends + 1] = tvb:raw(0, tvb:len())
	group.memos[#group.memos + 1] = memo
	memo.pieces = pieces(group, #group.sends)
	if #group.parts < group.count then
		return
	end
	me.group = nil
	for _, part in ipairs(group.count > 1 and group.memos or {}) do
		part.group_end = memo.frame
	end
	if not group.elsewhere then
		memo.rpc = weave(group)
		memo.filled = group.filled
	end
end

-- start(me, other, m, memo): the first transmission. Most RPC messages are whole in
-- it. A reply does not say where the data of its Write chunks belongs.
local function start(me, other, m, memo)
	if m.count == 1 and #m.items == 0 then
		memo.direct = m.proc ~= MSG or m.dir == CALL or m.written == 0
	else
		begin(me, other, m)
	end
end

-- groups(me, other, m, memo, tvb, at): follows the groups of transmissions.
local function groups(me, other, m, memo, tvb, at)
	local fault = me.group and misfit(me.group, m)

	if fault then
		memo.sequence = "The group of 0x" .. string.format("%08x", me.group.xid) ..
			" ends unfinished: " .. fault
		me.group = nil
		me.draining = true
	elseif continues(m) and not me.group and not me.draining then
		memo.sequence = "No group is open"
	end
	if not continues(m) then
		me.draining = false
	end
	if opens(m) then
		start(me, other, m, memo)
	end
	if me.group and m.pslen then
		collect(me, m, memo, tvb, at)
	end
end

-- record(me, other, m, memo, tvb, at): all that a sound message changes.
local function record(me, other, m, memo, tvb, at)
	me.known, other.known = true, true
	characteristics(me, other, m)
	pair(me, other, m, memo)
	groups(me, other, m, memo, tvb, at)
end

-- check_handles(m, memo, invalidated): one handle is nominated by the Call, copied
-- into the reply, and perhaps invalidated by its Send.
local function check_handles(m, memo, invalidated)
	local copied = m.inv_handle or 0

	if invalidated and invalidated ~= copied then
		complain(m, "the Send invalidates 0x%08x, rdma_inv_handle is 0x%08x", invalidated,
			copied)
	end
	if memo.offered and m.inv_handle and memo.offered ~= copied then
		complain(m, "rdma_inv_handle of the Call was 0x%08x", memo.offered)
	end
end

-- Display -------------------------------------------------------------------------

local rpc = Dissector.get("rpc")

-- hand_over(memo, tvb, at, m, pinfo, root): gives the RPC message to its own
-- dissector. What that throws it has shown already.
local function hand_over(memo, tvb, at, m, pinfo, root)
	local whole

	if memo.direct and m.pslen >= 8 then
		whole = tvb(at, m.pslen):tvb()
	elseif memo.rpc and #memo.rpc >= 8 then
		whole = ByteArray.new(memo.rpc, true):tvb("RPC message")
	end
	if whole then
		pcall(rpc.call, rpc, whole, pinfo, root)
	end
end

-- generated(tree, name, value): a field that is not on the wire.
local function generated(tree, name, value)
	if value then
		tree:add(F[name], value):set_generated()
	end
end

-- located(it): where an item is, for transmission().
local function located(it)
	if it.type == EXRW then
		return "rdma"
	end
	return it.offset .. ":" .. table.concat(it.numbers, ".")
end

-- transmission(m, header, length): what a transmission says of its group, in one line
-- that a script can read; nil for other messages.
local function transmission(m, header, length)
	local items = {}

	if not m.pslen or m.proc ~= OPTIONAL then
		return nil
	end
	for i, it in ipairs(m.items or {}) do
		items[i] = string.format("%d+%d@%s", it.disp, it.length, located(it))
	end
	local line = { string.format("type=%d", m.opttype) }

	for _, name in ipairs({ "count", "rsbuf", "itype" }) do
		line[#line + 1] = m[name] and string.format("%s=%d", name, m[name])
	end
	if continues(m) then
		line[#line + 1] = string.format("xnum=%d", m.xnum)
	end
	line[#line + 1] = string.format("header=%d payload=%d send=%d", header, m.pslen, length)
	line[#line + 1] = #items > 0 and "items=" .. table.concat(items, ";") or nil
	return table.concat(line, " ")
end

-- show_memo(tree, memo, invalidated): what is known beyond the header.
local function show_memo(tree, memo, invalidated)
	generated(tree, "invalidated", invalidated)
	generated(tree, "request_in", memo.request_in)
	generated(tree, "response_in", memo.response_in)
	generated(tree, "group_end", memo.group_end)
	if memo.filled and memo.filled > 0 then
		generated(tree, "filled", memo.filled)
	end
	if memo.sequence then
		tree:add_proto_expert_info(X.sequence, memo.sequence)
	end
	if memo.again then
		tree:add_proto_expert_info(X.retransmission)
	end
end

-- show_findings(tree, m): complaints about the message itself.
local function show_findings(tree, m)
	for _, text in ipairs(m.complaints) do
		tree:add_proto_expert_info(X.violation, "Against the protocol: " .. text)
	end
	if m.unknown then
		tree:add_proto_expert_info(X.unknown, "Nobody knows " .. m.unknown)
	end
end

-- show_padding(c, tree, length): bytes that mean nothing, and have to be zero.
local function show_padding(c, tree, length)
	if length <= 0 then
		return
	end
	local item = tree:add(F.padding, c:take(length, "padding"))

	if c.tvb:raw(c.at - length, length):find("[^%z]") then
		item:add_proto_expert_info(X.violation, "Against the protocol: padding is not zero")
	end
end

-- show_pieces(c, tree, found): placed data, and the padding around it.
local function show_pieces(c, tree, found)
	for _, piece in ipairs(found) do
		show_padding(c, tree, math.min(piece.at - c.at, c:left()))
		if c:left() > 0 and piece.at == c.at then
			local item = tree:add(F.placed,
				c:take(math.min(piece.length, c:left()), "placed data"))

			item:add(F["placed.disp"], piece.disp):set_generated()
			item:add(F["placed.tbsn"], piece.tbsn):set_generated()
		end
	end
	show_padding(c, tree, c:left())
end

-- show_payload(c, tree, m, memo): what is behind the header.
local function show_payload(c, tree, m, memo)
	local length = m.pslen or 0

	if length > 0 then
		tree:add(F.payload, c:take(length, "payload stream"))
	end
	if memo.pieces then
		show_pieces(c, tree, memo.pieces)
	elseif c:left() > 0 then
		tree:add(F.behind, c:take(c:left(), "Send"))
	end
end

-- show_failure(tree, tvb, why): the header could not be decoded.
local function show_failure(tree, tvb, why)
	if type(why) ~= "table" then
		error(why, 0)
	end
	local kind = tvb:reported_len() > tvb:len() and X.not_captured or X.malformed

	tree:add_proto_expert_info(kind, why.why)
end

-- columns(pinfo, m): a line for the list of packets; RPC overwrites it.
local function columns(pinfo, m, bad)
	local text = string.format("%s %s xid 0x%08x credit %d", DIRECTIONS[m.dir] or "-",
		m.title or "Header is cut off", m.xid or 0, m.credit or 0)

	pinfo.cols.protocol = "RPCoRDMA2"
	pinfo.cols.info = bad and text .. " [malformed]" or text
end

-- Sends --------------------------------------------------------------------------

-- message(tvb, pinfo, root, send): dissects one whole Send.
local function message(tvb, pinfo, root, send)
	local memo = memos[send.key]
	local tree = root:add(proto, tvb(0, tvb:len()))
	local c = cursor(tvb, 0, tvb:len())
	local m = { complaints = {} }
	local ok, why = pcall(header, c, tree, m)
	local at = c.at

	tree:append_text(string.format(", %s %s", m.title or "cut off", DIRECTIONS[m.dir] or ""))
	generated(tree, "dir", m.dir)
	generated(tree, "transmission", ok and transmission(m, at, tvb:len()))
	columns(pinfo, m, not ok)
	if not ok then
		show_failure(tree, tvb, why)
	elseif m.pslen and m.xnum == 0 and not continues(m) then
		check_rpc(tvb, at, m)
	end
	if memo.fresh and ok and not memo.again then
		record(peer(send.from), peer(send.to), m, memo, tvb, at)
	end
	memo.fresh = false
	if ok then
		check_handles(m, memo, send.invalidates)
	end
	show_findings(tree, m)
	show_memo(tree, memo, send.invalidates)
	if ok then
		tree:set_len(at)
		show_payload(c, tree, m, memo)
		hand_over(memo, tvb, at, m, pinfo, root)
	end
end

-- plausible(tvb): version 2, as far as there is anything to judge by. It is all
-- that decides about the first message of a connection.
local function plausible(tvb)
	local proc = tvb:len() >= 20 and tvb(12, 4):uint()

	if not proc or tvb(4, 4):uint() ~= VERSION or not PROCS[proc] then
		return false
	end
	return ((proc == ERROR and ERRORS) or DIRECTIONS)[tvb(16, 4):uint()] ~= nil
end

-- is_ours(tvb, send): the Send is, or begins, a message of version 2.
local function is_ours(tvb, send)
	if peer(send.from).known then
		return tvb:len() < 8 or tvb(4, 4):uint() == VERSION
	end
	return plausible(tvb)
end

-- repeated(from, psn): a Send with that PSN has just been seen.
local function repeated(from, psn)
	local psns = peer(from).psns

	if not psn then
		return false
	end
	local again = psns[psn % 4096] == psn
	psns[psn % 4096] = psn
	return again
end

-- piece(tvb, root, memo, pinfo): shows one packet of a Send that is longer.
local function piece(tvb, root, memo, pinfo)
	local tree = root:add(proto, tvb(0, tvb:len()))

	tree:append_text(", part of a Send")
	generated(tree, "piece_of", memo.whole and memo.whole.frame)
	pinfo.cols.protocol = "RPCoRDMA2"
	return true
end

-- gather(tvb, send, memo): adds a packet to the Send that is being collected. The
-- memo of the last packet gets all of its bytes.
local function gather(tvb, send, memo)
	local from = peer(send.from)

	if send.first then
		from.send = { parts = {}, memos = {} }
	end
	if not from.send or memo.again then
		return
	end
	local open = from.send
	open.parts[#open.parts + 1] = tvb:raw(0, tvb:len())
	open.memos[#open.memos + 1] = memo
	memo.gathered = true
	if send.last then
		memo.bytes = table.concat(open.parts)
		for _, part in ipairs(open.memos) do
			part.whole = memo
		end
		from.send = nil
	end
end

-- remember(tvb, send, number): the memo of a packet; nil if it is not ours.
local function remember(tvb, send, number)
	local memo = memos[send.key]

	if not memo then
		local begun = not send.first and peer(send.from).send

		if not begun and not is_ours(tvb, send) then
			return nil
		end
		memo = { frame = number, fresh = true, again = repeated(send.from, send.psn) }
		memos[send.key] = memo
		if not (send.first and send.last) and (send.first or begun) then
			gather(tvb, send, memo)
		end
	end
	return memo
end

-- claim(tvb, pinfo, root, send): dissects what a Send carries, if it is ours. send:
--   key           a name for this packet
--   from, to      names of the two ends
--   first, last   whether the Send begins and ends with this packet
--   psn           number of the packet, if it has one
--   invalidates   the handle that the receiver is to invalidate, if any
local function claim(tvb, pinfo, root, send)
	local memo = remember(tvb, send, pinfo.number)

	if not memo then
		return false
	elseif memo.bytes then
		message(ByteArray.new(memo.bytes, true):tvb("Send"), pinfo, root, send)
	elseif memo.gathered then
		return piece(tvb, root, memo, pinfo)
	else
		message(tvb, pinfo, root, send)
	end
	return true
end

-- The layers below -------------------------------------------------------------------

-- latest("field"): a function that returns the value of the field's last occurrence
-- so far, which is that of the packet in hand, or nil.
local function latest(name)
	local field = Field.new(name)

	return function()
		local all = { field() }

		return #all > 0 and all[#all] or nil
	end
end

local ib_opcode = latest("infiniband.bth.opcode")
local ib_psn = latest("infiniband.bth.psn")
local ib_qp = latest("infiniband.bth.destqp")
local ib_pad = latest("infiniband.bth.padcnt")
local ib_ieth = latest("infiniband.ieth")
local iw_opcode = latest("iwarp_rdma.opcode")
local iw_last = latest("iwarp_ddp.last_flag")
local iw_offset = latest("iwarp_ddp.mo")
local iw_number = latest("iwarp_ddp.msn")
local iw_stag = latest("iwarp_rdma.inval_stag")
local protocols = latest("frame.protocols")

-- Opcodes of Sends: { first, last }.
local IB_SENDS = {
	[0x00] = { true, false }, [0x01] = { false, false }, [0x02] = { false, true },
	[0x03] = { false, true }, [0x04] = { true, true }, [0x05] = { true, true },
	[0x16] = { false, true }, [0x17] = { true, true },
}
local IWARP_SENDS = { [3] = true, [4] = true, [5] = true, [6] = true }

-- ends(pinfo): names of the two ends of the connection. InfiniBand's ports are the
-- queue pairs, of which only one is known if the connection's begin was not seen.
local function ends(pinfo, qp)
	local from, to = tostring(pinfo.src), tostring(pinfo.dst)
	local sport, dport = pinfo.src_port, pinfo.dst_port

	if qp and (sport == 0 or sport == 0xffffffff) then
		return from .. "<" .. to, to .. "<" .. from
	end
	from, to = from .. ":" .. sport, to .. ":" .. dport
	return from .. "<" .. to, to .. "<" .. from
end

-- without_pad(tvb): what Wireshark takes for the payload of a packet ends with the
-- bytes that fill up its last word.
local function without_pad(tvb)
	local pad = ib_pad().value

	if pad == 0 or pad > tvb:len() then
		return tvb
	end
	return tvb(0, tvb:len() - pad):tvb()
end

local declined, promoting

-- claim_ib(tvb, pinfo, root): a payload of InfiniBand or RoCE.
local function claim_ib(tvb, pinfo, root)
	local opcode = ib_opcode()
	local kind = opcode and IB_SENDS[opcode.value]

	if promoting then
		return true
	elseif not kind then
		declined = true
		return false
	end
	local ieth = opcode.value >= 0x16 and ib_ieth()
	local from, to = ends(pinfo, ib_qp().value)
	local ours = claim(without_pad(tvb), pinfo, root, {
		key = pinfo.number, from = from, to = to, first = kind[1], last = kind[2],
		psn = ib_psn().value, invalidates = ieth and ieth.range:uint(),
	})
	declined = not ours
	return ours
end

-- claim_iwarp(tvb, pinfo, root): a payload of iWARP. Wireshark has usually put the
-- segments of a Send together: then the last one comes without the first.
local function claim_iwarp(tvb, pinfo, root)
	local opcode = iw_opcode()

	if promoting then
		return true
	elseif not opcode or not IWARP_SENDS[opcode.value] then
		declined = true
		return false
	end
	local from, to = ends(pinfo)
	local invalidates = opcode.value % 2 == 0 and iw_stag()
	local ours = claim(tvb, pinfo, root, {
		key = pinfo.number .. "/" .. iw_number().value, from = from, to = to,
		first = iw_offset().value == 0, last = iw_last().value,
		invalidates = invalidates and invalidates.value,
	})
	declined = not ours
	return ours
end

proto:register_heuristic("infiniband.payload", claim_ib)
proto:register_heuristic("iwarp_ddp_rdmap", claim_iwarp)

-- Wireshark asks first whoever said yes last, and version 1's dissector says yes to
-- some messages of version 2. So after a frame of version 1 ours is made to say yes
-- once more.
local order = Proto("rpcrdma2_order", "RPC-over-RDMA version 2, order of heuristics")

-- dissector(tvb, pinfo, tree): called at the end of every frame.
function order.dissector(tvb, pinfo, tree)
	local names = declined and protocols()

	declined = false
	if names and tostring(names):find("rpcordma", 1, true) then
		local list = tostring(names):find("iwarp", 1, true) and "iwarp_ddp_rdmap" or
			"infiniband.payload"

		promoting = true
		DissectorTable.try_heuristics(list, tvb, pinfo, tree)
		promoting = false
	end
end

register_postdissector(order, true)
