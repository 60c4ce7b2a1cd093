"""One small adapter for each format in which providers stream.

An adapter turns decoded events, dicts or objects of the provider's SDK, into messages, the types that
`midstream` exports. It imports no SDK and does no I/O.

The modules named after a format hold its adapter. The private modules are shared; read them first:

``_formats``    ``adapter`` and ``detect`` find the module of a format, by its name or by its events
``_adapter``    the base class of all adapters
``_reading``    the fields of an event, which is a dict or an object
``_parts``      usage and errors, which all providers send in some form
``_path_text``  values with paths (Gemini on Vertex) as JSON text

Open models write tool calls as text; the folder ``text`` has the adapters for these formats.
"""

from ._formats import FORMATS, adapter, detect
from ._formats import Format as Format  # for annotations

__all__ = ["FORMATS", "adapter", "detect"]
