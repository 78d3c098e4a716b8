r"""The bounded memory of an investigation, and the exact text (`bounded_repair_v1`) that it puts into a prompt.

Two kinds of memory are kept apart on purpose (seed: "Keep lookup identities and fragment blocks separately"). The
*ledger* remembers that a lookup was performed and is never trimmed; *context blocks* keep what it returned, whole, cut
or not at all, under a byte budget; *supplied ranges* say which lines of which version stood in an earlier prompt.

A prompt is two messages: the system instructions, and a user message made of four parts. All sizes are UTF-8 bytes.

    user     = base ledger supplied *block
    base     = "Base context (bytes: " N "):" LF N*byte
    ledger   = LF LF "Lookup ledger (entries: " K ", bytes: " B "):" LF K*entry          ; together B bytes
    entry    = n ". decision " d ", " status ", result " id ", body " state ": " identity LF
    supplied = LF "Supplied ranges (entries: " K ", bytes: " B "):" LF K*(range LF)      ; together B bytes
    block    = LF "Result " id " (decision: " d ", bytes: " sent " of " total "): " identity " from " ranges LF
               sent*byte [guidance]
    guidance = LF "[Cut here: " sent " of " total " bytes are kept. Ask for a narrower range to see the rest.]"
    range    = version " lines " start "-" end
    ranges   = version " lines " start "-" end *(", " start "-" end) *("; " ...) / "no file"
    version  = path as a JSON string, SP, content hash or "unhashed"

`status` (completed, reopened, failed, uncertain) and `state` (whole, cut, gone, no room, empty, unknown) are padded
with spaces to 9 and 7 characters; guidance is there exactly if sent < total. Because every length stands before what it
measures, the text reads back from its start (`read_layout`) and neither a base context nor a body can imitate a part.
Example, for a base context "Fix it.", one result of 281 bytes, and a budget of 481 bytes:

    Base context (bytes: 7):
    Fix it.

    Lookup ledger (entries: 1, bytes: 79):
    1. decision 1, completed, result f1, body cut    : ["search",["é"],null,null]

    Supplied ranges (entries: 0, bytes: 0):

    Result f1 (decision: 1, bytes: 99 of 281): ["search",["é"],null,null] from "a.js" sha256:00 lines 1-10
    a.js sha256:00 lines 1-10
        1| // démarre la lecture
        2| const é = 1;
        3| // 再生を開
    [Cut here: 99 of 281 bytes are kept. Ask for a narrower range to see the rest.]

What counts against the budget (`context_bytes`): base context with its heading, ledger and supplied ranges with their
headings, blocks with headings and guidance; that is the whole user message. Base context and ledger are never trimmed,
so a base context over the budget leaves room for no block and is stopped, if at all, by the check of the whole prompt.

An empty body has no block: its ledger entry says `empty`, and that is all there is to say. A lookup with no known
outcome has a ledger entry (`uncertain`, body unknown), is not completed, and may be asked again.
"""

from .layout import BlockText, EntryText, Layout, Place, RangeText, lookup_of, read_layout
from .prompt import SYSTEM, USER, Arithmetic, Prompt, Refusal, assemble, needed_bytes, text_message
from .rendering import base_section, block_bytes, guidance
from .retention import (
    POLICIES,
    Held,
    Retention,
    Seen,
    carried,
    fitting,
    floor_utf8,
    remember_context,
    reopen,
    room_for_blocks,
    settle,
)

__all__ = [
    "POLICIES",
    "SYSTEM",
    "USER",
    "Arithmetic",
    "BlockText",
    "EntryText",
    "Held",
    "Layout",
    "Place",
    "Prompt",
    "RangeText",
    "Refusal",
    "Retention",
    "Seen",
    "assemble",
    "base_section",
    "block_bytes",
    "carried",
    "fitting",
    "floor_utf8",
    "guidance",
    "lookup_of",
    "needed_bytes",
    "read_layout",
    "remember_context",
    "reopen",
    "room_for_blocks",
    "settle",
    "text_message",
]
