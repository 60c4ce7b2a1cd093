"""``python -m midstream.cli``: the same as ``midstream``."""

from . import main

main()
