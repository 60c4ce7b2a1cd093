from ._reading cimport arguments_text, fields, get, index, text, word
