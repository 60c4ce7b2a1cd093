cdef class Lifecycle:
    cdef public object state
    cpdef signal(self, object event)
    cpdef object judge(self, object question)
    cpdef fail(self)
