from ._reading cimport decoded
