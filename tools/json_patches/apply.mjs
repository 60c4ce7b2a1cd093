// Apply the patches of each stream, which comes as a line of JSON, with fast-json-patch and with midstream: after every
// patch the value must be the snapshot of that moment.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [input, packages, library] = process.argv.slice(2);
const { default: peer } = await import(pathToFileURL(`${packages}/fast-json-patch/index.mjs`));
const { applyPatch } = await import(pathToFileURL(library));

let patches = 0;
for (const line of readFileSync(input, "utf-8").split("\n").filter(Boolean)) {
  const { text, append, steps } = JSON.parse(line);
  let theirs = null;
  let ours = null;
  for (const [operations, snapshot] of steps) {
    ours = applyPatch(ours, operations);
    assert.deepEqual(ours, snapshot, text);
    if (!append) {
      // every operation is checked against the document; the document itself must not change
      const before = JSON.stringify(theirs);
      const after = peer.applyPatch(theirs, operations, true, false).newDocument;
      assert.equal(JSON.stringify(theirs), before, text);
      theirs = after;
      assert.deepEqual(theirs, snapshot, text);
    }
    patches += 1;
  }
}
console.log(`${patches} patches, in Python and JavaScript, agree with fast-json-patch`);
