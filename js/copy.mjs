// Copy the modules into dist/. Their one home is the Python package, whose gateway serves them as they are.
import { cpSync, copyFileSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../src/midstream/render/web/", import.meta.url);
const target = new URL("dist/", import.meta.url);
const NAMES = ["midstream", "sse", "react"];

rmSync(target, { recursive: true, force: true });
cpSync(new URL("lib/", source), new URL("lib/", target), { recursive: true });
for (const name of readdirSync(source)) {
  const [stem, ...suffix] = name.split(".");
  if (NAMES.includes(stem) && ["js", "d.ts"].includes(suffix.join("."))) {
    cpSync(new URL(name, source), new URL(name, target));
  }
}
copyFileSync(new URL("../LICENSE", import.meta.url), new URL("LICENSE", import.meta.url));
console.error(`copied to ${fileURLToPath(target)}`);
