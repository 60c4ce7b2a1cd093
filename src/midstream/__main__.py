"""``python -m midstream``: the same as ``midstream``."""

from .cli import main

main()
