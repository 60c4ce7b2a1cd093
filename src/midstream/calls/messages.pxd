cdef inline tuple fields_of(object message):
    if not isinstance(message, tuple):
        raise TypeError(f"a message is expected, not {type(message).__name__}")
    # read as a tuple, without the descriptors of the named tuple
    return <tuple>message
