/** The page: choose or paste a stream, start it, watch it, stop it. A reload resumes it. */

import { StreamView } from "./calls.js";
import { Follower } from "./follow.js";
import { ConnectionLost, EventReader, ResponseError } from "./midstream.js";
import { make, markDone } from "./node.js";
import { beginningOf, streamEvents, streamOf } from "./streams.js";

const find = (id) => document.getElementById(id);
const form = find("controls");
const picker = find("recording");
const pace = find("pace");
const pasted = find("pasted");
const startButton = find("start");
const startPasted = find("start-pasted");
const stopButton = find("stop");
const rawToggle = find("raw-toggle");
const linkButton = find("link");
const status = find("status");
const counter = find("counter");
const announcer = find("announcer");
const output = find("output");
const welcome = find("welcome");
const filter = find("filter");
const follower = new Follower(output, find("live"));

// events per second; 0: as fast as they arrive
const PACES = [5, 10, 20, 40, 100, 400, 2000, 0];
const MEMORY = "midstream";
// what the page starts by itself, and how fast
const FIRST_STREAM = "trip";
const FIRST_PACE = 40;
// a longer pasted text is not kept for a reload
const LONGEST_MEMORY = 1_000_000;

let running = null;
let lastView = null;
let shownCount = 0;
let countFrame = 0;

// Kept for a reload: the controls and, while a stream runs, which one.

function remember(change) {
  try {
    const before = JSON.parse(sessionStorage.getItem(MEMORY) ?? "{}");
    sessionStorage.setItem(MEMORY, JSON.stringify({ ...before, ...change }));
  } catch {
    // no room, or not allowed: a reload will start from the beginning
  }
}

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(MEMORY) ?? "{}");
  } catch {
    return {};
  }
}

// Status and announcements

function say(text, state) {
  status.textContent = text;
  status.dataset.state = state;
}

/** Say what an action did: for the eye until the next status, and for screen readers. */
function announceAction(text) {
  counter.textContent = text;
  announce(text);
}

function announce(text) {
  announcer.textContent = text;
}

/** Show the number of events, once per frame. */
function showCount(count) {
  shownCount = count;
  if (countFrame !== 0) return;
  countFrame = requestAnimationFrame(() => {
    countFrame = 0;
    counter.textContent = shownCount === 0 ? "" : `${shownCount.toLocaleString("en")} events`;
  });
}

function summary(states) {
  const counts = new Map();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  if (parts.length === 0) return "";
  return ` ${states.length === 1 ? "Tool call" : "Tool calls"}: ${parts.join(", ")}.`;
}

// Streams

function paceWords() {
  const chosen = PACES[pace.value];
  return chosen === 0 ? "at full speed" : `${chosen.toLocaleString("en")} a second`;
}

/** Return the request for a stream. */
function requestOf(source) {
  const chosen = PACES[pace.value];
  if (source.kind === "pasted") return { url: `api/enrich?form=compact&pace=${chosen}`, body: source.text };
  if (source.kind === "shared") {
    return { url: `v1/streams/${encodeURIComponent(source.id)}?from=snapshot&form=compact`, body: null };
  }
  const name = encodeURIComponent(source.name);
  return { url: `api/recordings/${name}/events?form=compact&pace=${chosen}`, body: null };
}

/** Run a stream from its beginning; `from`: the event id of the stream that ran before a reload. */
async function start(source, from = "") {
  running?.abort.abort();
  const abort = new AbortController();
  const run = { abort, view: null, reader: new EventReader(), count: 0, stream: "", isStopped: false, problem: "" };
  running = run;
  const fresh = () => {
    output.replaceChildren();
    follower.clear();
    output.classList.remove("several");
    run.view = new StreamView(output, announce, { onFrame: () => follower.follow(), say: announceAction });
    run.view.filter(filter.value);
    run.count = 0;
    run.problem = "";
    lastView = run.view;
    showCount(0);
  };
  fresh();
  welcome.hidden = true;
  setRunning(true);
  say(from === "" ? "Connecting …" : "Resuming the stream …", "busy");
  announce(from === "" ? "Stream started" : "Stream resumed");
  // the address leads to a stream of the gateway, also after a reload
  const isShared = source.kind === "shared";
  remember(isShared ? { from: "" } : { source, from: "" });
  follower.begin();

  const onEvent = (event) => {
    const stream = streamOf(event.id);
    if (stream !== "" && stream !== run.stream) {
      // another stream than before: the server no longer has that one, and started again
      if (run.stream !== "") {
        fresh();
        run.reader = new EventReader();
      }
      run.stream = stream;
      if (!isShared) remember({ from: beginningOf(event.id) });
    }
    run.count++;
    showCount(run.count);
    // a snapshot replaces everything
    if (event.type === "stream_snapshot") fresh();
    for (const message of run.reader.addEvent(event)) show(run, message);
    if (status.dataset.state !== "streaming" && running === run) say("Streaming …", "streaming");
  };
  const onReconnect = () => {
    say("The connection was lost. Reconnecting …", "busy");
    announce("Connection lost");
  };
  let ending = "failed";
  try {
    const { url, body } = requestOf(source);
    const options = { body, lastEventId: from, signal: abort.signal, onReconnect };
    for await (const event of streamEvents(url, options)) onEvent(event);
    ending = run.problem === "" ? "ended" : "failed";
  } catch (error) {
    if (abort.signal.aborted) ending = "stopped";
    else if (error.status === 404 && from !== "" && run.stream === "" && running === run) {
      // the server has forgotten what ran before the reload
      start(source);
      return;
    } else if (isShared && error.status === 404) {
      run.problem = "the gateway does not know this stream, or no longer";
    } else if (error instanceof ResponseError || error instanceof ConnectionLost) run.problem ||= error.message;
    else {
      run.problem = "the stream could not be read";
      console.error(error);
    }
    abort.abort();
  }
  if (running === run) finish(run, ending);
}

/** Show a message of a stream. */
function show(run, message) {
  if (message.type === "provider_error") {
    run.problem ||= message.message || message.error_type || "the provider reported an error";
  } else if (message.type === "stream_snapshot") {
    run.view.restore(message);
    for (const { error } of message.messages) if (error) show(run, { ...error, type: "provider_error" });
  } else {
    run.view.add(message);
  }
}

function finish(run, ending) {
  running = null;
  remember({ from: "" });
  run.view.end(ending === "stopped");
  run.view.flush();
  follower.end();
  setRunning(false);
  const calls = summary(run.view.states);
  const words = {
    ended: `The stream has ended.${calls}`,
    stopped: `Stopped.${calls}`,
    failed: `Something went wrong: ${run.problem}.${calls}`,
  }[ending];
  say(words, ending);
  announce(words);
}

function setRunning(isRunning) {
  // the same place for both; the focus stays there
  const hadFocus = [startButton, stopButton].includes(document.activeElement);
  const { top } = output.getBoundingClientRect();
  startButton.hidden = isRunning;
  stopButton.hidden = !isRunning;
  document.documentElement.dataset.running = String(isRunning);
  // on a phone, controls come back above: a page that has scrolled on shows the same as before
  const moved = output.getBoundingClientRect().top - top;
  if (scrollY > 0 && moved > 0) scrollBy({ top: moved, behavior: "instant" });
  if (hadFocus) (isRunning ? stopButton : startButton).focus({ preventScroll: scrollY > 0 });
}

// Controls

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter === startPasted) {
    if (pasted.value.trim() === "") {
      say("There is nothing pasted yet.", "failed");
      announce("There is nothing pasted yet.");
      pasted.focus();
    } else {
      startText();
    }
  } else if (picker.value !== "") {
    startRecording();
  }
});

/** Run the chosen recording, and put it into the address, which can be passed on. */
function startRecording() {
  const name = picker.value;
  showAddress({ recording: name, pace: String(PACES[pace.value]) });
  start({ kind: "recording", name });
}

/** Run the pasted text. */
function startText() {
  showAddress(null);
  start({ kind: "pasted", text: pasted.value });
}

/** Watch a stream of the gateway: what has arrived, and then what follows. The address names it already. */
function startShared(id) {
  linkButton.hidden = false;
  start({ kind: "shared", id });
}

/** Put what leads to the stream into the address; null: nothing does. */
function showAddress(parts) {
  linkButton.hidden = parts === null;
  const rest = parts === null ? "" : `#${new URLSearchParams(parts)}`;
  history.replaceState(null, "", location.pathname + rest);
}

linkButton.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    markDone(linkButton);
    announceAction("Link copied");
  } catch {
    announceAction("The browser does not allow copying here; the address bar shows the link.");
  }
});

filter.addEventListener("input", () => lastView?.filter(filter.value));

document.addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});

document.addEventListener("drop", async (event) => {
  const file = event.dataTransfer?.files[0];
  if (file === undefined) return;
  event.preventDefault();
  pasted.value = await file.text();
  find("paste").open = true;
  startText();
});

stopButton.addEventListener("click", () => {
  running?.abort.abort();
});

pace.addEventListener("input", showPace);
pace.addEventListener("change", () => remember({ pace: pace.value }));
picker.addEventListener("change", () => remember({ recording: picker.value }));

function showPace() {
  const words = paceWords();
  find("pace-shown").textContent = words;
  pace.setAttribute("aria-valuetext", words);
}

rawToggle.addEventListener("click", () => {
  const isShown = rawToggle.getAttribute("aria-pressed") !== "true";
  showRaw(isShown);
  remember({ raw: isShown });
});

function showRaw(isShown) {
  rawToggle.setAttribute("aria-pressed", String(isShown));
  output.classList.toggle("with-raw", isShown);
}

pasted.addEventListener("change", () => {
  remember({ pasted: pasted.value.length <= LONGEST_MEMORY ? pasted.value : "" });
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && running !== null) {
    event.preventDefault();
    stopButton.click();
  }
});

/** Make a button of the first screen that starts a recording. */
function invitation(name, title, format) {
  const item = make("li");
  const button = make("button", "invitation");
  button.type = "button";
  button.append(make("span", "", title), make("span", "dim", format));
  button.addEventListener("click", () => {
    picker.value = name;
    startRecording();
    stopButton.focus();
  });
  item.append(button);
  return item;
}

/** Fill the lists of recordings. */
async function listRecordings() {
  const response = await fetch("api/recordings");
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  for (const { name, title, format } of await response.json()) {
    picker.append(new Option(`${title} (${format})`, name));
    find("gallery").append(invitation(name, title, format));
  }
}

async function begin() {
  const memory = remembered();
  const address = new URLSearchParams(location.hash.slice(1));
  const askedPace = PACES.indexOf(Number(address.get("pace") ?? NaN));
  if (memory.pace !== undefined && Number(memory.pace) < PACES.length) pace.value = memory.pace;
  if (askedPace >= 0) pace.value = askedPace;
  showPace();
  showRaw(memory.raw ?? matchMedia("(min-width: 50rem)").matches);
  if (memory.pasted) {
    pasted.value = memory.pasted;
    find("paste").open = true;
  }
  try {
    await listRecordings();
    startButton.disabled = false;
    startPasted.disabled = false;
    if (memory.recording !== undefined) picker.value = memory.recording;
    if (picker.selectedIndex < 0) picker.selectedIndex = 0;
    say("Ready.", "idle");
  } catch (error) {
    say(`The gateway can't be reached: ${error.message}.`, "failed");
    return;
  }
  const shared = new URLSearchParams(location.search).get("stream");
  if (shared) {
    startShared(shared);
    return;
  }
  if (memory.from && memory.source) {
    start(memory.source, memory.from);
    return;
  }
  const asked = address.get("recording");
  if (asked !== null) picker.value = asked;
  if (picker.selectedIndex < 0) picker.selectedIndex = 0;
  // a fresh tab shows something by itself: the recording that the address names, or the first one
  const isFresh = Object.keys(memory).length === 0;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!isFresh || isStill || address.get("start") === "no") {
    welcome.hidden = false;
    return;
  }
  if (asked === null) {
    picker.value = FIRST_STREAM;
    pace.value = PACES.indexOf(FIRST_PACE);
    showPace();
  }
  startRecording();
}

begin();
