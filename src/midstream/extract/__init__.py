"""JSON inside other text, reported: a model's answer in, its documents, its prose and its reasoning out.

A model that was asked for JSON often writes prose around it, puts it into a code fence, or thinks aloud
first. `JsonExtractor` reads such a text as it arrives.

In go fragments, cut anywhere. Out come events in text order: `TextDelta` and `ReasoningDelta` for the text
around the documents, and for each document `DocumentStart`, its updates, and `DocumentEnd`.

``events``     what surrounds a document's updates
``extractor``  `JsonExtractor`: a `midstream.prose.documents.DocumentStream` whose documents become updates

Where a document begins is decided by `midstream.prose`, and where it ends by the grammar. The invariants are
those of `midstream.prose`; the updates between `DocumentStart` and `DocumentEnd` are what
`JsonFragmentAccumulator` returns for the document alone, with positions in the complete text.
"""
