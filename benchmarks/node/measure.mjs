// Measure the peers in Node: fragments by column come in as JSON, nanoseconds per fragment go out.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { JSONParser } from "@streamparser/json";
import { parse } from "jsonriver";

const { columns, seconds } = JSON.parse(readFileSync(0, "utf8"));

async function streamparser(fragments) {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true, paths: ["$"] });
  let shown;
  parser.onValue = ({ value }) => { shown = value; };
  for (const fragment of fragments) parser.write(fragment);
  return shown;
}

async function river(fragments) {
  async function* source() { yield* fragments; }
  let shown;
  for await (const value of parse(source())) shown = value;
  return shown;
}

async function once(fragments) {
  return JSON.parse(fragments.join(""));
}

const PEERS = {
  "@streamparser/json, partial values": streamparser,
  "jsonriver, live": river,
  "JSON.parse, once": once,
};

function version(name) {
  const path = `${import.meta.dirname ?? "."}/node_modules/${name}/package.json`;
  return JSON.parse(readFileSync(path, "utf8")).version;
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

const figures = {};
for (const [name, run] of Object.entries(PEERS)) {
  figures[name] = {};
  for (const [column, fragments] of Object.entries(columns)) {
    const expected = JSON.stringify(JSON.parse(fragments.join("")));
    if (JSON.stringify(await run(fragments)) !== expected) throw new Error(`${name}: another value, ${column}`);
    const warm = performance.now() + seconds * 500;
    while (performance.now() < warm) await run(fragments);
    const rounds = [];
    const until = performance.now() + seconds * 500;
    while (rounds.length < 5 || performance.now() < until) {
      const start = performance.now();
      await run(fragments);
      rounds.push((performance.now() - start) * 1e6);
    }
    figures[name][column] = median(rounds) / fragments.length;
  }
}

const versions = Object.fromEntries(["@streamparser/json", "jsonriver"].map(name => [name, version(name)]));
console.log(JSON.stringify({ node: process.version, versions, figures }));
