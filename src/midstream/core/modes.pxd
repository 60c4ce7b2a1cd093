cdef enum:
    START
    BETWEEN
    VALUE
    FIRST_ITEM
    NEXT_ITEM
    FIRST_KEY
    NEXT_KEY
    COLON
    AFTER_ITEM
    AFTER_MEMBER
    AFTER_ROOT
    STRING
    KEY
    NUMBER
    LITERAL
    LENIENT_STRING
    LENIENT_KEY
    BARE_STRING
    BARE_KEY
    LINE_COMMENT
    BLOCK_COMMENT
    SKIP
    TRAILING
    DISCARD
    FAILED
    STOPPED

cdef enum:
    IN_CONTAINER
    IN_NEXT_VALUE
    IN_STRING

cdef enum:
    OPEN
    CUT
    END

cdef enum:
    FRESH = 1
    BEGUN = 2
    RAW = 4
    TRIPLE = 8
    ESCAPED = 16

cdef enum:
    MORE = -1
    NO = 0
    YES = 1
    JOIN = 2
