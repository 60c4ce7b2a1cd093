"""What holds for all tests."""

import signal

# Started in the background, a shell's child ignores Ctrl-C, and so would all that it starts: among them
# the commands whose end by Ctrl-C is tested.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
