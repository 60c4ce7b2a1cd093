// What features.py asks of the peers that run in Node: one request as JSON on stdin, one answer on stdout.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const request = JSON.parse(readFileSync(0, "utf-8"));
const entry = { jsonriver: "dist/index.js", "@streamparser/json": "dist/mjs/index.js" }[request.peer];
const library = await import(pathToFileURL(`${request.folder}/node_modules/${request.peer}/${entry}`));
const fragments = request.fragments.map(part => (typeof part === "string" ? part : Uint8Array.from(part)));

// Feed the fragments and note what is shown after each: the value, and what was reported on the way.
const drivers = {
  async jsonriver(fragments, show) {
    let shown = null, reported = [];
    async function* source() {
      for (const fragment of fragments) {
        yield fragment;
        show(shown, reported);
        reported = [];
      }
    }
    for await (const value of library.parse(source())) shown = value;
    return { value: shown, complete: true };
  },
  async "@streamparser/json"(fragments, show) {
    let shown = null, reported = [], failure = null, documents = [];
    const parser = new library.JSONParser({
      emitPartialTokens: true, emitPartialValues: true, separator: request.separator,
    });
    parser.onError = error => (failure ??= error);
    parser.onValue = ({ value, key, parent, stack, partial }) => {
      if (request.what === "time") return;
      const path = [...stack.slice(1).map(level => level.key), key].filter(part => part !== undefined);
      if (value !== undefined) reported.push([path, value]);
      if (!partial && !stack.length) documents.push(value);
      if (value !== undefined && !stack.length) shown = value;
      else if (stack.length === 1) shown = parent;
      if (partial && value !== undefined && parent && stack.length === 1) shown = { ...parent, [key]: value };
    };
    for (const fragment of fragments) {
      parser.write(fragment);
      if (failure) throw failure;
      show(shown, reported);
      reported = [];
    }
    if (!parser.isEnded) parser.end();
    if (failure) throw failure;
    return { value: shown, complete: parser.isEnded, documents };
  },
};

const copy = value => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
const kept = [];
const answer = { shown: [], reported: [], error: null };
const start = performance.now();
try {
  const keeps = request.what !== "time";
  const end = await drivers[request.peer](fragments, (value, reported) => {
    if (!keeps) return;
    kept.push(value);
    answer.shown.push(copy(value));
    answer.reported.push(reported);
  });
  if (keeps) Object.assign(answer, { value: copy(end.value), complete: end.complete, documents: end.documents });
} catch (error) {
  answer.error = { name: error.constructor.name, message: String(error.message) };
}
answer.milliseconds = performance.now() - start;
answer.later = request.what === "time" ? [] : kept.map(copy);
answer.same = kept.length > 1 && kept.at(-1) !== kept[0] && kept.at(-1)?.done === kept[0]?.done;
console.log(JSON.stringify(answer));
