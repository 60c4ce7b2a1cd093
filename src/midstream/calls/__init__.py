"""Messages of a provider in, tool calls out.

Read the files in this order:

``messages``    what adapters yield: text, pieces of tool calls, ends
``plain``       writes SDK objects inside messages as plain data
``registry``    decides which call a piece belongs to
``state``       the states of a call and the events that move it, as a table
``call``        the state of one call: its name, its arguments so far, how it ended
``snapshot``    ``ToolCall``: a call at one moment, immutable
``arguments``   ``FirstCall``: the argument text of one call, for ``argument_deltas``
``restoring``   the calls that a snapshot of a stream lists
``handler``     ``ToolsAggregateMessageHandler``: keeps the calls of every message (client)
``middleware``  ``JsonFragmentUpdateMiddleware``: adds parsed updates to every piece of a call (server)

Invariants: interleaved calls never mix; a truncated call is never complete; the raw text of the
arguments is always kept.
"""
