"""What holds for all tests."""

import signal

from hypothesis import HealthCheck, settings

# Started in the background, a shell's child ignores Ctrl-C, and so would all that it starts: among them
# the commands whose end by Ctrl-C is tested.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# how long an example takes says more of the machine's neighbours than of the example
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
