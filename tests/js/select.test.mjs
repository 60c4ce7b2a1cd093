import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANY, DOCUMENTS, JsonFieldAccumulator, JsonSelectAccumulator, JsonStreamError, JsonValueAccumulator, cuts, select,
} from "./library.mjs";

const PATTERNS = [
  [["items", ANY, "title"], "items[*].title"],
  [["items", ANY], "$.items.*"],
  [["items", ANY, "tags", ANY], "root.items[*]['tags'][*]".replaceAll("'", '"')],
  [["items", 1], "items[1]"],
  [["n"], "n"],
  [[ANY], "[*]"],
  [[ANY, ANY, ANY], "[*][*][*]"],
  [[1, "*"], '[1]["*"]'],
  [[1, "a.b", "__proto__"], '[1]["a.b"].__proto__'],
  [["a", "a", "a"], "a.a.a"],
  [["7"], "$.7"],
  [[ANY], "*"],
  [[ANY, ANY], "*.*"],
  [[1, "a.b"], "$[1]['a.b']"],
  [["it's \"*a\""], "['it\\'s \"*a\"']"],
  [["a*"], "a*"],
  [[], ""],
];

/** The naive model: all values of a document whose path a pattern matches, innermost first. */
function* expected(value, segments, path = []) {
  if (typeof value === "object" && value !== null && path.length < segments.length) {
    for (const key of Object.keys(value)) {
      const segment = Array.isArray(value) ? Number(key) : key;
      const own = segments[path.length];
      if (own === ANY || own === segment) yield* expected(value[key], segments, [...path, segment]);
    }
  }
  if (path.length === segments.length) yield { segments: path, value };
}

const plain = (matches) => matches.map(({ segments, value }) => ({ segments, value }));
const inOrder = (matches) => JSON.stringify(matches.map((match) => JSON.stringify(match)).sort());

test("patterns select what a walk through the complete value selects, however the text is cut", () => {
  for (const text of DOCUMENTS) {
    for (const [segments, source] of PATTERNS) {
      const wanted = inOrder([...expected(JSON.parse(text), segments)]);
      for (const fragments of cuts(text)) {
        const found = [segments, source].map((pattern) => {
          const selector = new JsonSelectAccumulator([pattern]);
          const matches = fragments.flatMap((fragment) => selector.addFragment(fragment));
          return plain([...matches, ...selector.finish()]);
        });
        assert.equal(inOrder(found[0]), wanted, `${source} in ${text}`);
        assert.deepEqual(found[1], found[0]);
      }
    }
  }
});

test("a match comes with the fragment that completes it, inner ones first", () => {
  const selector = new JsonSelectAccumulator(["a[*]", "a[*].b"]);
  assert.deepEqual(plain(selector.addFragment('{"a": [{"b": 1')), []);
  assert.deepEqual(plain(selector.addFragment("}")), [
    { segments: ["a", 0, "b"], value: 1 },
    { segments: ["a", 0], value: { b: 1 } },
  ]);
  assert.equal(selector.isDone, false);
  selector.addFragment("]");
  assert.equal(selector.isDone, true);
  // what follows is not judged
  assert.deepEqual(selector.addFragment(" nonsense"), []);
});

test("partial matches show the growing value, and do not change afterwards", () => {
  const text = '{"a": [{"b": "xyz", "c": [1, 2]}, "s"], "d": 4}';
  const selector = new JsonSelectAccumulator(["a[*]", "a[*].b"], { partial: true });
  const values = new JsonValueAccumulator();
  const kept = [];
  for (const c of text) {
    values.addFragment(c);
    for (const { segments, value, isFinal } of selector.addFragment(c)) {
      const shown = segments.reduce((container, segment) => container[segment], values.value);
      assert.deepEqual(value, shown);
      if (isFinal) continue;
      kept.push([value, JSON.stringify(value)]);
    }
  }
  // each is new: what adds nothing to a match does not repeat it; inner ones come first
  assert.deepEqual(kept.map(([, text]) => text), [
    "{}", '""', '{"b":""}', '"x"', '{"b":"x"}', '"xy"', '{"b":"xy"}', '"xyz"', '{"b":"xyz"}', '{"b":"xyz","c":[]}',
    '{"b":"xyz","c":[1]}', '{"b":"xyz","c":[1,2]}', '""', '"s"',
  ]);
  for (const [value, before] of kept) assert.equal(JSON.stringify(value), before);
});

test("select stops reading as soon as nothing more can match", async () => {
  let read = 0;
  function* fragments() {
    for (const fragment of ['{"a": [1', ", 2]", ', "b": 1', "}"]) {
      read++;
      yield fragment;
    }
  }
  const found = [];
  for await (const match of select(fragments(), "a[*]")) found.push(match.value);
  assert.deepEqual(found, [1, 2]);
  assert.equal(read, 2);
  read = 0;
  for await (const match of select(fragments(), "a[*]", { limit: 1 })) found.push(match.value);
  assert.deepEqual(found, [1, 2, 1]);
  await assert.rejects(async () => {
    for await (const match of select(['{"a": [1'], "a[*].b")) assert.fail(match);
  }, JsonStreamError);
});

test("patterns that cannot be are refused", () => {
  for (const pattern of ["a[-1]", "a..b", "a[1:2]", ".a", "a[*]b", "a[", "a[?x]", "[*]]", "a['b", "a['\\x']"]) {
    assert.throws(() => new JsonSelectAccumulator(pattern), JsonStreamError, pattern);
  }
  assert.throws(() => new JsonSelectAccumulator([[1.5]]), TypeError);
});

test("an error in a pattern is at the bracket that it is in", () => {
  const place = (pattern) => {
    try {
      new JsonSelectAccumulator(pattern);
    } catch (error) {
      return [error.code, error.index];
    }
  };
  assert.deepEqual(place('items["a'), ["invalid_path", 5]);
  assert.deepEqual(place("items[x]"), ["invalid_path", 5]);
  assert.deepEqual(place("items[*].a..b"), ["invalid_path", 10]);
});

test("an error has its place and keeps the matches before it", () => {
  const selector = new JsonSelectAccumulator("a[*]");
  assert.throws(() => selector.addFragment('{"a": [1, 2, nope'), (error) => {
    assert.deepEqual(plain(error.matches), [{ segments: ["a", 0], value: 1 }, { segments: ["a", 1], value: 2 }]);
    assert.deepEqual([error.code, error.path, error.index], ["invalid_literal", "root.a[2]", 14]);
    return true;
  });
});

test("fields report their beginning, their growth and their end", () => {
  for (const text of DOCUMENTS) {
    for (const [segments] of PATTERNS) {
      for (const fragments of cuts(text)) {
        const accumulator = new JsonFieldAccumulator();
        const open = new Map();
        const ended = [];
        accumulator.onField(segments, {
          start: (path) => open.set(JSON.stringify(path), ""),
          delta: (piece, path) => open.set(JSON.stringify(path), open.get(JSON.stringify(path)) + piece),
          end: (value, path) => {
            const deltas = open.get(JSON.stringify(path));
            assert.equal(deltas, typeof value === "string" ? value : "");
            open.delete(JSON.stringify(path));
            ended.push({ segments: path, value });
          },
        });
        for (const fragment of fragments) accumulator.addFragment(fragment);
        accumulator.finish();
        assert.equal(inOrder(ended), inOrder([...expected(JSON.parse(text), segments)]));
        assert.equal(open.size, 0);
        assert.deepEqual(accumulator.value, JSON.parse(text));
      }
    }
  }
});

test("what a fragment changed is not reported again after an exception in a listener", () => {
  const accumulator = new JsonFieldAccumulator({ onError: "event" });
  accumulator.onField("a", { end: () => { throw new RangeError("mine"); } });
  assert.throws(() => accumulator.addFragment('{"a": 1, '), RangeError);
  assert.equal(accumulator.addFragment(" "), false);
  assert.equal(accumulator.addFragment('"b": 2'), false);
  assert.equal(accumulator.addFragment("}"), true);
});

test("an exception in a listener leaves the accumulator as it should be", () => {
  const accumulator = new JsonFieldAccumulator();
  const remove = accumulator.onField("a", { end: () => { throw new RangeError("mine"); } });
  assert.throws(() => accumulator.addFragment('{"a": 1, "b": '), RangeError);
  accumulator.addFragment("2}");
  assert.deepEqual(accumulator.value, { a: 1, b: 2 });
  remove();
  assert.throws(() => accumulator.onField("b", {}), /before the first fragment/);
});

test("a live value is the growing value itself", () => {
  const live = new JsonValueAccumulator({ live: true });
  const snapshots = new JsonValueAccumulator();
  const text = '{"a": ["b", {"c": "long"}], "d": 1}';
  let first;
  for (const c of text) {
    live.addFragment(c);
    snapshots.addFragment(c);
    assert.deepEqual(live.value, snapshots.value);
    first ??= live.value;
  }
  assert.equal(live.value, first);
});
