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
    max_examples=int(os.environ.get("MIDSTREAM_FUZZ_EXAMPLES", "30")),
)
settings.load_profile("tests")

# Files that take long. Those that wait (for a browser, a server, a clock) alternate with those that compute.
LONG = (
    "test_page test_resource_bounds test_server test_cli test_tree test_example_pages test_dist "
    "test_value_invariants test_server_faults test_invariants test_streams test_providers test_text_formats "
    "test_sdk_clients test_relay test_cli_terminal test_workers test_docs test_succession test_examples "
    "test_resumption test_processes test_stores test_demo test_terminal test_rebuild test_events "
    "test_end_to_end test_typed_invariants test_handler test_middleware test_chunker_properties "
    "test_text_within test_nasty test_chunker test_values test_asgi"
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Keep what a file leaves behind out of the garbage collections of the next ones, too."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take long first, so that no worker begins one when the others have finished."""
    items.sort(key=lambda item: ORDER.get(item.path.stem, len(ORDER)))
