// The sizes of a build (of `dist`, or of the folder that is given) after gzip: everything, and what the chat loads. Fails
// above the limits.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const MOST = { all: 260, chat: 180 };
const dist = process.argv[2] ?? new URL("../dist/", import.meta.url).pathname;
const assets = readdirSync(join(dist, "assets")).filter((name) => /\.(js|css)$/.test(name));
const kilobytes = (name) => gzipSync(readFileSync(join(dist, "assets", name)), { level: 9 }).length / 1000;

/** The files that the page names, and those that they import at once. */
function loadedAtOnce() {
  const found = new Set();
  const queue = readFileSync(join(dist, "index.html"), "utf8").match(/[\w-]+\.(?:js|css)/g) ?? [];
  while (queue.length > 0) {
    const name = queue.pop();
    if (found.has(name) || !assets.includes(name)) continue;
    found.add(name);
    const text = readFileSync(join(dist, "assets", name), "utf8");
    for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g)) queue.push(imported);
  }
  return [...found];
}

const sum = (names) => Math.round(names.reduce((total, name) => total + kilobytes(name), 0) * 10) / 10;
const sizes = { all: sum(assets), chat: sum(loadedAtOnce()) };
console.log(`console: ${sizes.all} kB gz, of them ${sizes.chat} for the chat`);
const tooBig = Object.keys(MOST).filter((name) => sizes[name] > MOST[name]);
for (const name of tooBig) console.error(`${name} has ${sizes[name]} kB gz; the limit is ${MOST[name]}`);
process.exitCode = tooBig.length > 0 ? 1 : 0;
