// Repair texts with jsonrepair: texts and documents to time come in as JSON, values and milliseconds go out.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { jsonrepair } from "jsonrepair";
import { jsonrepairTransform } from "jsonrepair/stream";

const { texts, timed, fragment, seconds } = JSON.parse(readFileSync(0, "utf8"));

function attempt(text) {
  try {
    return { value: JSON.parse(jsonrepair(text)) };
  } catch {
    return null;
  }
}

// what a reader of the stream has seen before the last fragment, in characters of the repaired text
async function early(text) {
  const transform = jsonrepairTransform();
  let seen = 0;
  let failed = false;
  transform.on("data", (data) => { seen += String(data).length; });
  transform.on("error", () => { failed = true; });
  for (let at = 0; at < text.length && !failed; at += fragment) transform.write(text.slice(at, at + fragment));
  await new Promise((resolve) => setImmediate(resolve));
  const before = seen;
  transform.destroy();
  return before;
}

async function stream(text) {
  const transform = jsonrepairTransform();
  const done = new Promise((resolve, reject) => transform.on("end", resolve).on("error", reject));
  transform.on("data", () => {});
  for (let at = 0; at < text.length; at += fragment) transform.write(text.slice(at, at + fragment));
  transform.end();
  await done;
}

async function best(run) {
  let least = Infinity;
  const until = performance.now() + seconds * 1000;
  for (let round = 0; round < 3 || performance.now() < until; round += 1) {
    const start = performance.now();
    try {
      await run();
    } catch {
      return null;
    }
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const values = texts.map(attempt);
let shown = 0;
for (const text of texts) shown += (await early(text)) > 0;
const times = {};
for (const [name, text] of Object.entries(timed)) {
  times[name] = { complete: await best(() => jsonrepair(text)), pieces: await best(() => stream(text)) };
}
const path = new URL("./node_modules/jsonrepair/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(path, "utf8"));
console.log(JSON.stringify({ values, shown, times, version }));
