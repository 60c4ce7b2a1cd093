"""Growing JSON on a screen: ``terminal`` (needs rich), ``plain`` (standard library), ``web`` (the browser).

Read the files of the terminal view in this order:

``safe``      escapes characters that a terminal would interpret
``glyphs``    a text as glyphs, and glyphs in rows of cells
``line``      one line of the screen
``strings``   strings on one or several lines, with a folded middle
``members``   the members of a container from either end
``layout``    final values on a limited number of lines
``spine``     a value that still grows
``panel``     one tool call
``calls``     several tool calls in one window
``progress``  the line below a live view: amount, speed and time
``terminal``  the public views, and the live view of a stream

``marks`` holds the characters that are drawn around the data, and the styles.

Invariants: a view fits its window; the place where the text grows is always visible; the cost depends on
what is visible, not on the size of the value; no character of the data controls the terminal.
"""
