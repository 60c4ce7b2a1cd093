# cython: language_level=3
"""The least that any compiled parser with our interface can cost: one call, one list, one object."""

cimport cython


@cython.final
@cython.no_gc
@cython.freelist(256)
cdef class Event:
    """An object of the size of an update."""

    cdef object kind, text, value, pair, segment


cdef object KIND = "PartialString"
cdef tuple PAIR = (None, "root")


cdef class Floor:
    """Accept a fragment and report nothing."""

    def add_fragment(self, fragment):
        cdef Event event = Event.__new__(Event)
        event.kind = KIND
        event.text = fragment
        event.value = None
        event.pair = PAIR
        event.segment = None
        return [event]
