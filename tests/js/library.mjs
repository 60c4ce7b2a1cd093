/** What the tests of the JavaScript modules share. */

export * from "../../src/midstream/render/web/midstream.js";

/** Every way to cut a text: not at all, per character, and in two. */
export function* cuts(text) {
  yield [text];
  yield [...text];
  for (let at = 1; at < text.length; at++) yield [text.slice(0, at), text.slice(at)];
}

export const DOCUMENTS = [
  '{"items": [{"title": "a😀\\nb", "tags": ["x", "y"]}, {"title": "", "tags": []}, 3], "n": -1.5e3, "title": null}',
  '[[1, [2, "three"]], {"*": true, "a.b": {"__proto__": "p", "": [false]}}]',
  '{"a": {"a": {"a": "deep"}}, "7": 1, "b": "\\ud83d\\ude00"}',
  '"root"',
  "12",
];
