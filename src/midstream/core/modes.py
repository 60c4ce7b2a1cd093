"""Where the grammar can be between two characters.

The order matters: modes that are treated alike are neighbours. ``_modes.pxd`` lists the same
names in the same order, as constants for the compiler.
"""

from __future__ import annotations

# Modes in which a value may begin (section 3)
START = 0  # at the root, nothing read yet
BETWEEN = 1  # at the root, a document is complete and another may follow
VALUE = 2  # behind a colon
FIRST_ITEM = 3  # behind "[", where "]" may follow (section 5)
NEXT_ITEM = 4  # behind a comma in an array
# Modes in which a key may begin (section 4)
FIRST_KEY = 5  # behind "{", where "}" may follow
NEXT_KEY = 6  # behind a comma in an object
# Modes in which only structure may follow
COLON = 7  # behind a key
AFTER_ITEM = 8  # behind a value in an array
AFTER_MEMBER = 9  # behind a value in an object
AFTER_ROOT = 10  # behind the root: white space only
# Modes inside a token
STRING = 11
KEY = 12
NUMBER = 13
LITERAL = 14
# Modes without a grammar
SKIP = 15  # behind an error, looking for where to go on
TRAILING = 16  # behind the root: text that is kept, whatever it is
SPENT = 17  # behind the root: text that is passed over
FAILED = 18

# Where an error was found, seen from the visitor
IN_CONTAINER = 0  # between the values of the innermost open container
IN_NEXT_VALUE = 1  # at or in a value that has not been announced
IN_STRING = 2  # in the string whose pieces are being announced
