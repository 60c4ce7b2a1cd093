"""JSON inside other text: a model's answer in; its documents, its prose and its reasoning out.

A model that was asked for JSON often writes prose around it, puts it into a code fence, or thinks aloud
first. Read the files in this order:

``openings``   decides, from a bounded number of characters, whether a bracket begins a document and what a
               run of backticks means
``scanner``    walks through the prose with it
``documents``  ``DocumentStream`` joins the scanner and an accumulator of any kind: its parts are prose,
               reasoning, and for each document its begin, what the accumulator returned, and its end
``decoding``   turns bytes into text for both
``extractor``  ``JsonExtractor`` reports the parts as messages, and the documents as updates
``events``     what it reports beside messages and updates: ``DocumentStart`` and ``DocumentEnd``

``extract=True`` of the one-liners (`midstream.streams.text`) uses ``DocumentStream`` directly.

Invariants:

- The end of a document is found by the grammar: the accumulator reads until its document is complete. No
  fence, tag or bracket is searched for inside a document.
- What is reported is never taken back. A decision that needs more text holds back the characters in
  question, of which there are at most `openings.MAX_HELD`; everything else is reported at once.
- The parts are the same wherever the text is cut, once adjacent pieces of prose are joined.
- The updates of a document are those that `JsonFragmentAccumulator` returns for the document alone, with
  positions in the complete text.
- Every character is read a bounded number of times, so the cost is linear in the text.
"""
