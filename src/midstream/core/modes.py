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
# Modes without a grammar
SKIP = 15  # after an error, searching for a place to resume
TRAILING = 16  # after the root: text that is kept, valid or not
DISCARD = 17  # after the root: text that is discarded
FAILED = 18
STOPPED = 19  # after the root: nothing more is read

# Where an error was found, for the visitor
IN_CONTAINER = 0  # between the values of the innermost open container
IN_NEXT_VALUE = 1  # at or in a value that has not been reported yet
IN_STRING = 2  # in the string whose pieces are being reported
