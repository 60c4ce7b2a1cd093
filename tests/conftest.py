"""What holds for all tests."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A shell's background process ignores Ctrl-C, and so would all that it starts: among them the commands whose
# end by Ctrl-C is tested.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# how long an example takes depends on what else the machine does
settings.register_profile(
    "tests",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # a search for counterexamples tries more than the suite does
    max_examples=int(os.environ.get("MIDSTREAM_FUZZ_EXAMPLES", "100")),
)
settings.load_profile("tests")

# Files that take long. Those that wait (for a browser, a server, a clock) alternate with those that compute.
LONG = (
    "test_page test_tree test_server test_providers test_cli test_resource_bounds test_example_pages "
    "test_handler test_end_to_end test_middleware test_demo test_value_invariants test_cli_terminal "
    "test_dist test_server_faults test_invariants test_sdk_clients test_chunker_properties test_rebuild "
    "test_nasty test_chunker test_values test_examples test_asgi"
)
ORDER = {name: number for number, name in enumerate(LONG.split())}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep what is collected out of every garbage collection: it lives as long as the process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take long first, so that no worker begins one when the others have finished."""
    items.sort(key=lambda item: ORDER.get(item.path.stem, len(ORDER)))
