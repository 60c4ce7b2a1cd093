"""The modes of the state machine: where the grammar can be between two characters.

The order matters: modes that are treated alike are neighbours, so that one comparison selects a group.
``modes.pxd`` lists the same names in the same order, as constants for the compiler.
"""

from __future__ import annotations

# Modes in which a value may begin (section 3)
START = 0  # at the root, nothing read yet
BETWEEN = 1  # at the root, a document is complete and another may follow
VALUE = 2  # after a colon
FIRST_ITEM = 3  # after "[", where "]" may follow (section 5)
NEXT_ITEM = 4  # after a comma in an array
# Modes in which a key may begin (section 4)
FIRST_KEY = 5  # after "{", where "}" may follow
NEXT_KEY = 6  # after a comma in an object
# Modes in which only structure may follow
COLON = 7  # after a key
AFTER_ITEM = 8  # after a value in an array
AFTER_MEMBER = 9  # after a value in an object
AFTER_ROOT = 10  # after the root: white space only
# Modes inside a token
STRING = 11
KEY = 12
NUMBER = 13
LITERAL = 14
# Modes of the lenient dialect, inside a token that RFC 8259 does not have
LENIENT_STRING = 15  # a string that may have quotes inside
LENIENT_KEY = 16
BARE_STRING = 17  # a string without quotes
BARE_KEY = 18
LINE_COMMENT = 19
BLOCK_COMMENT = 20
# Modes without a grammar
SKIP = 21  # after an error, searching for a place to resume
TRAILING = 22  # after the root: text that is kept, valid or not
DISCARD = 23  # after the root: text that is discarded
FAILED = 24
STOPPED = 25  # after the root: nothing more is read

# Where an error was found, for the visitor
IN_CONTAINER = 0  # between the values of the innermost open container
IN_NEXT_VALUE = 1  # at or in a value that has not been reported yet
IN_STRING = 2  # in the string whose pieces are being reported

# Whether a piece of text is followed by more
OPEN = 0  # more may follow
CUT = 1  # an error follows
END = 2  # the text ends

# Flags of an open string of the lenient dialect
FRESH = 1  # nothing has been read after the opening quote
BEGUN = 2  # the visitor knows of it
RAW = 4  # a control character has been reported
TRIPLE = 8  # between triple quotes
ESCAPED = 16  # its opening quote was escaped

# What a look-ahead finds
MORE = -1  # it depends on text that has not arrived
NO = 0
YES = 1
JOIN = 2  # another string follows after a plus sign
