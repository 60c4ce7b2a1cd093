/**
 * Compare midstream with other JavaScript libraries that read incomplete JSON: speed, growth, wrong values.
 *
 *     npm install --prefix benchmarks/node
 *     node benchmarks/node/peers.mjs [--docs]      --docs writes docs/benchmarks-javascript.md
 *
 * Every library gets fragments of eight characters and must have a value after each. Times are those of the
 * processor, the best of several runs in one process; only the ratios mean something.
 */

import { readFileSync, writeFileSync } from "node:fs";
import hashbrown from "@hashbrownai/core";
import { JSONParser } from "@streamparser/json";
import { parsePartialJson as langchain } from "@langchain/core/output_parsers";
import { parsePartialJson } from "ai";
import { parse as bestEffort } from "best-effort-json-parser";
import { parse as river } from "jsonriver";
import { parse as partialJson } from "partial-json";
import untruncate from "untruncate-json";
import { JsonValueAccumulator } from "../../src/midstream/render/web/midstream.js";

// the longest time that one run may take, in milliseconds; a slower library is not measured further
const PATIENCE = 20_000;
const FRAGMENT = 8;

/** A library that parses the text so far again with each fragment. */
const again = (parse) => async (fragments, see) => {
  let text = "";
  for (const fragment of fragments) {
    text += fragment;
    see(await parse(text));
  }
};

const quiet = (parse) => (text) => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

const PEERS = {
  "midstream, snapshots": async (fragments, see) => {
    const accumulator = new JsonValueAccumulator();
    for (const fragment of fragments) {
      accumulator.addFragment(fragment);
      see(accumulator.value);
    }
  },
  "midstream, live": async (fragments, see) => {
    const accumulator = new JsonValueAccumulator({ live: true });
    for (const fragment of fragments) {
      accumulator.addFragment(fragment);
      see(accumulator.value);
    }
  },
  "@streamparser/json": async (fragments, see) => {
    const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true, paths: ["$"] });
    let shown;
    parser.onValue = ({ value }) => { shown = value; };
    for (const fragment of fragments) {
      parser.write(fragment);
      see(shown);
    }
  },
  jsonriver: async (fragments, see) => {
    async function* source() {
      yield* fragments;
    }
    for await (const value of river(source())) see(value);
  },
  "@hashbrownai/core": async (fragments, see) => {
    let state = hashbrown.createParserState();
    for (const fragment of fragments) {
      state = hashbrown.parseChunk(state, fragment);
      see(state.nodes[state.rootId]?.resolvedValue);
    }
  },
  "partial-json": again(quiet(partialJson)),
  "best-effort-json-parser": again(quiet(bestEffort)),
  "untruncate-json": again(quiet((text) => JSON.parse(untruncate.default(text)))),
  ai: again(async (text) => (await parsePartialJson(text)).value),
  "@langchain/core": again(quiet(langchain)),
};

// Speed and growth

function records(count) {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: i, name: `record ${i}`, tags: ["a", "b"], score: i / 8, note: "some text that is neither short nor long", ok: i % 2 === 0,
  }));
  return JSON.stringify({ title: "records", rows });
}

const WORKLOADS = { "1 KB": records(8), "10 KB": records(78), "100 KB": records(760) };

const cut = (text, size) => text.match(new RegExp(`[^]{1,${size}}`, "g"));
const processor = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };

async function timeOf(peer, fragments) {
  let best = Infinity;
  const from = performance.now();
  for (let i = 0; i < 30; i++) {
    const start = processor();
    await peer(fragments, () => {});
    best = Math.min(best, processor() - start);
    if (performance.now() - from > 2000) break;
  }
  return (best * 1000) / fragments.length;
}

// Wrong intermediate values

const DOCUMENTS = {
  "a number before its end": '{"a": 1234, "b": [-5.25e1, 7]}',
  "a literal before its end": '{"a": true, "b": [null, false]}',
  "a broken character": '{"a": "x\\ud83d\\ude00y", "b": "\\u00e9\\n"}',
  "the key __proto__": '{"__proto__": {"admin": true}, "b": 1}',
};

const isLoneAtEnd = (text) => /[\ud800-\udbff]$/.test(text);

/** Report whether an intermediate value can still become the final one. */
function canBecome(shown, final) {
  // a member without a value is not there yet
  if (shown === undefined) return true;
  if (typeof shown === "string" && typeof final === "string") return final.startsWith(shown) && !isLoneAtEnd(shown);
  if (typeof shown !== "object" || shown === null || typeof final !== "object" || final === null) return shown === final;
  if (Array.isArray(shown) !== Array.isArray(final)) return false;
  if (!Array.isArray(shown) && ![Object.prototype, null].includes(Object.getPrototypeOf(shown))) return false;
  return Object.keys(shown).every((key) => Object.hasOwn(final, key) && canBecome(shown[key], final[key]));
}

async function wrongValues(peer, text) {
  const final = JSON.parse(text);
  let wrong = 0;
  let last;
  await peer([...text], (shown) => {
    last = shown;
    if (shown !== undefined && !canBecome(shown, final)) wrong++;
  });
  const isWrongAtEnd = JSON.stringify(last) !== JSON.stringify(final);
  return isWrongAtEnd ? "also at the end" : wrong === 0 ? "never" : `${wrong} of ${text.length} times`;
}

// The table

function version(name) {
  if (name.startsWith("midstream")) return "";
  const path = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return ` ${JSON.parse(readFileSync(path, "utf8")).version}`;
}

const speed = [];
const wrong = [];
for (const [name, peer] of Object.entries(PEERS)) {
  const row = [`${name}${version(name)}`];
  let last = 0;
  for (const text of Object.values(WORKLOADS)) {
    const fragments = cut(text, FRAGMENT);
    // re-parsing costs a hundred times as much for ten times the text
    const expected = (last * 10 * fragments.length) / 1000;
    if (expected > PATIENCE) {
      row.push(`more than ${PATIENCE / 1000} s in all`);
      continue;
    }
    last = await timeOf(peer, fragments);
    row.push(`${last < 10 ? last.toFixed(2) : Math.round(last).toLocaleString("en")} µs`);
  }
  speed.push(row);
  const cells = [row[0]];
  for (const text of Object.values(DOCUMENTS)) cells.push(await wrongValues(peer, text));
  wrong.push(cells);
  console.log(row.join(" | "), "||", cells.slice(1).join(" | "));
}

const table = (heads, rows) =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

if (process.argv.includes("--docs")) {
  const page = new URL("../../docs/benchmarks-javascript.md", import.meta.url);
  const before = readFileSync(page, "utf8");
  const parts = {
    speed: table(["time per fragment", ...Object.keys(WORKLOADS)], speed),
    wrong: table(["wrong intermediate values", ...Object.keys(DOCUMENTS)], wrong),
  };
  let text = before.replace(/Node v[\d.]+/, `Node ${process.version}`);
  for (const [name, part] of Object.entries(parts)) {
    text = text.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`), `$1${part}\n$2`);
  }
  writeFileSync(page, text);
}
