"""The gateway: a provider's streaming endpoint on one side, midstream's events on the other.

``entry`` has the two public functions, and ``relay`` the streams of applications that call the provider
themselves. They import the packages of the extra ``server`` only when they are called. A request goes
through the files in this order:

``guard``        refuses requests from pages of other sites
``app``          the routes
``requests``     what a request says
``upstream``     sends a request to the provider; without one, ``replay`` plays a recording
``resumption``   continues the stream of an upstream that can be resumed
``idempotency``  finds the stream that an earlier attempt of the request has started
``access``       decides who may read a stream
``streams``      puts the provider's events into a ``store``, and sends what is derived from them
``addresses``    reads, resumes and cancels streams that are already there
``responses``    sends a stream, or passes a provider's response on unchanged
``page``         the files of the web page
``metrics``      measures what happens
``failures``     what can go wrong with a stream
``settings``     speed, timeouts and limits
``connections``  bounds what clients can hold open
``process``      runs all this under uvicorn
``supervisor``   runs several processes, each a ``worker``

Invariants: memory per stream is limited; a slow client slows no other; a client that reconnects misses no
event and receives none twice.
"""

from .entry import create_app, serve
from .relay import Relay
from .settings import Settings

__all__ = ["Relay", "Settings", "create_app", "serve"]
