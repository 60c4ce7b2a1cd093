"""Recorded streams, for trying midstream without a provider.

They were written for this purpose after the providers' documentation: the same events, split as models split
their text. ``_recordings`` lists and loads the files beside it.
"""

from ._recordings import NAMES, Recording, load

__all__ = ["NAMES", "Recording", "load"]
