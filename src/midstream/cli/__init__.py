"""The ``midstream`` command: watch JSON arrive and inspect captured streams.

Read the files in this order:

``entry``     ``main``, the entry point
``app``       the commands
``options``   the options and arguments that several commands share
``files``     files and pipes, read as their content arrives
``reading``   JSON read strictly or leniently, as the complete text or inside other text
``watch``     the live view of a stream
``outcome``   prints documents and tool calls, and sets the exit code
``guard``     reports errors as one line with an exit code
``serving``   ``midstream serve``
``demo``      ``midstream demo``

Invariants: output is flushed as soon as the input determines it; every error ends with one line on the
standard error and its exit code.
"""

from .entry import main

__all__ = ["main"]
