"""Prose in which JSON documents stand: where each of them begins, and what is text or reasoning.

In go fragments of a model's answer. Out come parts in text order: prose, reasoning, and for each document
its begin, what an accumulator returned for its text, and its end.

This folder only finds the documents; it knows the grammar and nothing above it, so that the accumulators
themselves can offer ``extract=True``. `midstream.extract` reports the same parts as messages and updates,
and so stands above accumulators and calls.

Read ``openings`` first: it decides, from a bounded number of characters, whether a bracket begins a document
and what a run of backticks means. ``scanner`` walks through the prose with it. ``documents`` joins the
scanner and an accumulator, and ``decoding`` turns bytes into text for both.

Invariants:

- The end of a document is found by the grammar: the accumulator reads until its document is complete. No
  fence, tag or bracket is searched for inside a document.
- What is reported is never taken back. A decision that needs more text holds back the characters in
  question, of which there are at most `openings.MAX_HELD`; everything else is reported at once.
- The parts are the same wherever the text is cut, once adjacent pieces of prose are joined.
- Every character is read a bounded number of times, so the cost is linear in the text.
"""
