/**
 * Drive the browser's module by the table that drives its Python namesakes.
 *
 *     node tests/render/web_cases.mjs [TABLE]      all cases; exits with 1 if one fails
 *
 * `runTable` does it, in Node and in a browser alike. After every step a case must have reported what the
 * table says, every value returned before must still be as it was, and what did not change must be the
 * same object.
 */

const same = (a, b) => a === b || (a !== a && b !== b);

/** Compare values by structure: own keys in their order, prototypes, and scalars. */
function equal(a, b) {
  const pairs = [[a, b]];
  while (pairs.length > 0) {
    const [x, y] = pairs.pop();
    if (typeof x !== "object" || x === null || typeof y !== "object" || y === null) {
      if (!same(x, y)) return false;
      continue;
    }
    if (Object.getPrototypeOf(x) !== Object.getPrototypeOf(y)) return false;
    const keys = Object.keys(x);
    const others = Object.keys(y);
    if (keys.length !== others.length || keys.some((key, i) => key !== others[i])) return false;
    for (const key of keys) pairs.push([x[key], y[key]]);
  }
  return true;
}

/** Write a value for people, however deep it is. */
function show(value) {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

class Check {
  constructor() {
    this.problems = [];
    // the values that were returned, each with a text of what it was
    this.kept = [];
    this.last = undefined;
  }

  is(what, actual, expected) {
    if (!equal(actual, expected)) this.problems.push(`${what}: ${show(actual)}, not ${show(expected)}`);
  }

  /** Check a value against its JSON text, and keep it to see that it stays so. */
  value(what, actual, text) {
    this.is(what, actual, text === null ? undefined : JSON.parse(text));
    if (typeof actual === "object" && actual !== null) this.kept.push([what, actual, text]);
  }

  /** Check that what is equal in two snapshots of one value is the same object. */
  identity(what, before, after) {
    const pairs = [[before, after]];
    while (pairs.length > 0) {
      const [x, y] = pairs.pop();
      if (x === y || typeof x !== "object" || x === null || typeof y !== "object" || y === null) continue;
      if (equal(x, y)) this.problems.push(`${what}: copied though nothing in it changed: ${show(x)}`);
      for (const key of Object.keys(x)) if (Object.hasOwn(y, key)) pairs.push([x[key], y[key]]);
    }
  }

  finish() {
    for (const [what, value, text] of this.kept) {
      if (!equal(value, JSON.parse(text))) this.problems.push(`${what}: changed after it was read`);
    }
  }
}

const NOTHING = {
  changed: true, throws: null, value: null, isComplete: false, openPath: null, error: null,
  position: null, calls: null, messageIds: [], segments: null, events: null, updates: null, messages: null,
  matches: null, patched: null,
};
const NO_CALL = {
  id: null, index: null, name: null, args: null, rawArgs: "", isComplete: false, error: null,
  finishReason: null, openPath: null,
};

/** Undo what leaves out of the table what did not change from step to step. */
function writtenOut(expected) {
  let before = NOTHING;
  return expected.map((each) => {
    const after = { ...before, ...each };
    if (each.calls) after.calls = each.calls.map((call) => ({ ...NO_CALL, ...call }));
    before = after;
    return after;
  });
}

const plain = (error) => (error === null ? null : { ...error });

/** Do a step; give what it returned, or what it threw as data. */
function tried({ JsonStreamError }, step) {
  try {
    return { returned: step(), threw: null };
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    return { returned: undefined, threw: { ...error.error, path: error.path } };
  }
}

function checkMachine(check, what, machine, expected) {
  check.value(`${what} value`, machine.value, expected.value);
  check.is(`${what} isComplete`, machine.isComplete, expected.isComplete);
  check.is(`${what} openPath`, machine.openPath, expected.openPath);
  check.is(`${what} error`, plain(machine.error), expected.error);
}

function checkStep(check, what, outcome, expected, name) {
  check.is(`${what} throws`, outcome.threw, expected.throws);
  if (outcome.threw === null) check.is(`${what} ${name}`, outcome.returned, expected[name]);
}

function runMachine(library, machine, step) {
  if ("add" in step) return tried(library, () => machine.addFragment(step.add));
  if ("finish" in step) return tried(library, () => machine.finish());
  return tried(library, () => machine.apply(step.apply));
}

function runSteps(library, test, check, machine) {
  const expected = writtenOut(test.expect);
  let before = machine.value;
  for (const [i, step] of test.steps.entries()) {
    const what = `step ${i + 1}`;
    if ("reset" in step) {
      machine.reset();
      before = undefined;
    } else {
      checkStep(check, what, runMachine(library, machine, step), expected[i], "changed");
    }
    checkMachine(check, what, machine, expected[i]);
    if (expected[i].position !== null) check.is(`${what} position`, machine.position, expected[i].position);
    if (!test.repeats) check.identity(what, before, machine.value);
    before = machine.value;
  }
}

/** Feed the same again in other portions: the outcome must not depend on them. */
function runPortions(library, test, check, machine, steps, how) {
  const last = writtenOut(test.expect).at(-1);
  for (const step of steps) runMachine(library, machine, step);
  checkMachine(check, how, machine, last);
}

/** Write the names of Python's limits as JavaScript has them: max_depth is maxDepth. */
function inCamelCase(limits) {
  const camel = (name) => name.replace(/_./g, (part) => part[1].toUpperCase());
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [camel(name), limit]));
}

const RUNNERS = {
  text(library, test, check) {
    const limits = inCamelCase(test.options?.limits ?? {});
    const options = { onError: "event", ...test.options, limits };
    runSteps(library, test, check, new library.JsonValueAccumulator(options));
    const perCharacter = (step) => ("add" in step ? [...step.add].map((add) => ({ add })) : [step]);
    const single = test.steps.flatMap(perCharacter);
    runPortions(library, test, check, new library.JsonValueAccumulator(options), single, "per character");
    const isPlain = test.steps.every((step, i) => "add" in step || i === test.steps.length - 1);
    if (!isPlain) return;
    const text = test.steps.map((step) => step.add ?? "").join("");
    const end = test.steps.filter((step) => "finish" in step);
    for (let cut = 1; cut < Math.min(text.length, 40); cut++) {
      const steps = [{ add: text.slice(0, cut) }, { add: text.slice(cut) }, ...end];
      runPortions(library, test, check, new library.JsonValueAccumulator(options), steps, `cut at ${cut}`);
    }
  },
  updates(library, test, check) {
    const limits = inCamelCase(test.options?.limits ?? {});
    const accumulator = new library.JsonFragmentAccumulator({ onError: "event", ...test.options, limits });
    const rebuilder = new library.JsonFragmentRebuilder({ root: test.options?.root ?? "root" });
    const values = new library.JsonValueAccumulator({ onError: "event", limits });
    const expected = writtenOut(test.expect);
    for (const [i, step] of test.steps.entries()) {
      const what = `step ${i + 1}`;
      let updates;
      const outcome = tried(library, () => {
        try {
          updates = "finish" in step ? accumulator.finish() : accumulator.addFragment(step.add);
        } catch (error) {
          updates = error.updates;
          throw error;
        }
      });
      check.is(`${what} throws`, outcome.threw, expected[i].throws);
      check.is(`${what} updates`, JSON.parse(JSON.stringify(updates)), expected[i].updates);
      check.is(`${what} isComplete`, accumulator.isComplete, expected[i].isComplete);
      check.is(`${what} position`, accumulator.position, expected[i].position);
      // what they rebuild is what the text says
      rebuilder.apply(updates);
      if ("finish" in step) values.finish();
      else values.addFragment(step.add);
      // before the end, a rebuilder may still hold a high surrogate
      if (accumulator.isComplete) check.is(`${what} value`, rebuilder.value, values.value);
    }
  },
  rebuild(library, test, check) {
    runSteps(library, test, check, new library.JsonFragmentRebuilder(test.options));
    // read only at the end: nothing is copied on the way
    const { steps } = test;
    if (steps.every((step) => "apply" in step)) {
      runPortions(library, test, check, new library.JsonFragmentRebuilder(test.options), steps, "unread");
    }
  },
  handler(library, test, check) {
    const handler = new library.ToolsAggregateMessageHandler();
    const expected = writtenOut(test.expect);
    const isLazy = test.options?.lazy ?? false;
    const later = [];
    let before = [];
    for (const [i, step] of test.steps.entries()) {
      const what = `step ${i + 1}`;
      const outcome = tried(library, () => {
        if ("complete" in step) return handler.complete(step.complete);
        if ("calls" in step) return handler.calls(step.calls);
        return handler.addMessage(step.event);
      });
      check.is(`${what} throws`, outcome.threw, expected[i].throws);
      check.is(`${what} messageIds`, handler.messageIds, expected[i].messageIds);
      if (outcome.threw !== null) continue;
      const look = () => checkCalls(check, what, outcome.returned, expected[i].calls);
      if (isLazy) {
        later.push(look);
        continue;
      }
      look();
      for (const [j, call] of outcome.returned.entries()) {
        if (!test.repeats && call.id !== null && call.id === before[j]?.id && call.index === before[j].index) {
          check.identity(`${what} call ${j}`, before[j].args, call.args);
        }
      }
      before = outcome.returned;
    }
    for (const look of later) look();
  },
  path(library, test, check) {
    for (const [i, step] of test.steps.entries()) {
      const outcome = tried(library, () => library.parsePath(...step.path));
      checkStep(check, `path ${show(step.path)}`, outcome, writtenOut(test.expect)[i], "segments");
    }
  },
  stream(library, test, check) {
    const reader = new library.EventReader();
    const expected = writtenOut(test.expect);
    for (const [i, step] of test.steps.entries()) {
      const outcome = tried(library, () => {
        if ("end" in step) return reader.finish();
        const [type, data, id] = step.event;
        return reader.addEvent({ type, data, id });
      });
      const returned = outcome.threw === null ? sorted(withoutDefaults(outcome.returned)) : undefined;
      const wanted = { ...expected[i], messages: expected[i].messages && sorted(expected[i].messages) };
      checkStep(check, `step ${i + 1}`, { ...outcome, returned }, wanted, "messages");
    }
  },
  select(library, test, check) {
    const { paths, partial = false } = test.options;
    const selector = new library.JsonSelectAccumulator(paths, { partial });
    const expected = writtenOut(test.expect);
    for (const [i, step] of test.steps.entries()) {
      const found = "finish" in step ? selector.finish() : selector.addFragment(step.add);
      check.is(`step ${i + 1} count`, found.length, expected[i].matches.length);
      for (const [j, [path, segments, value, isFinal]] of expected[i].matches.entries()) {
        const what = `step ${i + 1} match ${j}`;
        check.is(what, [found[j]?.pattern, found[j]?.segments, found[j]?.isFinal], [path, segments, isFinal]);
        check.value(`${what} value`, found[j]?.value, value);
      }
    }
  },
  patch(library, test, check) {
    const expected = writtenOut(test.expect);
    for (const [i, step] of test.steps.entries()) {
      const value = JSON.parse(step.value);
      check.value("the value before", value, step.value);
      const { returned, threw } = tried(library, () => library.applyPatch(value, step.patch));
      check.is(`step ${i + 1} throws`, threw?.code, expected[i].throws?.code);
      if (threw === null) check.value(`step ${i + 1} value`, returned, expected[i].patched);
    }
  },
  sse(library, test, check) {
    const decoder = new library.SseDecoder();
    for (const [i, step] of test.steps.entries()) {
      const bytes = Uint8Array.from(step.chunk, (c) => c.charCodeAt(0));
      const events = decoder.addBytes(bytes).map((event) => [event.type, event.data, event.id]);
      check.is(`chunk ${i + 1}`, events, writtenOut(test.expect)[i].events);
    }
  },
};

/** Write messages as the table has them: without defaults. */
function withoutDefaults(messages) {
  const isLeftOut = (name, value) => value === null || value === false || (name === "choice" && value === 0);
  const isEmpty = (name, value, type) => name === "text" && value === "" && type !== "text_delta";
  return messages.flatMap(({ tool_call_updates: updates, ...message }) =>
    (updates ?? [message]).map((each) => {
      const fields = Object.entries({ ...message, ...each });
      const isGiven = ([name, value]) => !isLeftOut(name, value) && !isEmpty(name, value, message.type);
      return Object.fromEntries(fields.filter(isGiven));
    }),
  );
}

/** Compare messages by their fields, in any order. */
const sorted = (value) =>
  JSON.parse(JSON.stringify(value, (_, each) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each));

function checkCalls(check, what, calls, expected) {
  check.is(`${what} count of calls`, calls.length, expected.length);
  for (const [j, call] of calls.entries()) {
    const { args, ...rest } = expected[j] ?? NO_CALL;
    check.value(`${what} call ${j} args`, call.args, args);
    for (const [name, value] of Object.entries(rest)) {
      check.is(`${what} call ${j} ${name}`, name === "error" ? plain(call.error) : call[name], value);
    }
  }
}

/** Run all cases; give how many there were, and what went wrong. */
export function runTable(library, cases) {
  const failures = [];
  const untouched = Object.getOwnPropertyNames(Object.prototype).join();
  for (const test of cases) {
    const check = new Check();
    try {
      RUNNERS[test.kind](library, test, check);
      check.finish();
    } catch (error) {
      check.problems.push(String(error.stack));
    }
    if (Object.getOwnPropertyNames(Object.prototype).join() !== untouched) {
      check.problems.push("the prototype of all objects was changed");
    }
    if (check.problems.length > 0) {
      failures.push([`${test.kind} | ${test.name}`, ...check.problems.slice(0, 4)].join("\n    "));
    }
  }
  return { count: cases.length, failures };
}

if (typeof process !== "undefined" && process.argv?.[1]?.endsWith("web_cases.mjs")) {
  const { readFileSync } = await import("node:fs");
  const web = new URL("../../src/midstream/render/web/", import.meta.url);
  const load = (name) => import(new URL(name, web));
  const library = { ...(await load("midstream.js")), ...(await load("sse.js")) };
  const table = process.argv[2] ?? new URL("web_cases.json", import.meta.url);
  const cases = JSON.parse(readFileSync(table, "utf8"));
  const { count, failures } = runTable(library, cases);
  for (const failure of failures) console.error(failure);
  console.log(`${count} cases, ${failures.length} failed`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
