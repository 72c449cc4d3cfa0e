/** A Vite plugin: which screens show a message, read from the sources that each screen imports. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const NAME = "virtual:shown";
/** A message of more screens than this is everybody's, and a list of them would tell nothing. */
const MANY = 12;
const EVERYWHERE = "*";
/** The pages before sign-in, which aren't in the tables of screens. */
const ENTRANCE = "entrance";

const SCREEN = /\bscreen\("([^"]+)"/g;
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
const TYPES_ONLY = /import type [^;]*;/g;
const STRING = /["']([a-z_]+\.[^"'`\s]+)["']|`([a-z_]+\.(?:[^`$]|\$\{[^}]*\})*)`/g;
const VALUE = /\$\{[^}]*\}/;
const TABLE = /[\\/]screens\.ts$/;

/** Paths of screens, by `namespace.key`. */
export function shownMessages(root) {
  const src = join(root, "src");
  const sources = readSources(src);
  const keys = catalogKeys(join(root, "../teamspace/catalogs/en.json"));
  const shown = new Map(keys.map((key) => [key, new Set()]));
  const used = new Map([...sources].map(([file, text]) => [file, keysIn(text, keys)]));
  const mark = (files, path) => {
    for (const file of files) for (const key of used.get(file) ?? []) shown.get(key).add(path);
  };
  for (const { path, title, file } of screensOf(sources, src)) {
    mark(reach(file, sources, src), path);
    shown.get(title)?.add(path);
  }
  const isEntrance = (file) => file.startsWith(join(src, "features/entrance"));
  const frame = [...reach(join(src, "main.tsx"), sources, src)];
  mark(frame.filter((file) => !isEntrance(file)), EVERYWHERE);
  mark(frame.filter(isEntrance), ENTRANCE);
  // Titles of actions are in the command palette of every screen.
  for (const [file, keys] of used) if (TABLE.test(file)) keys.filter((key) => shown.get(key).size === 0).forEach((key) => shown.get(key).add(EVERYWHERE));
  return Object.fromEntries([...shown].filter(([, paths]) => paths.size > 0).map(([key, paths]) => [key, placesOf(paths)]));
}

function placesOf(paths) {
  return paths.has(EVERYWHERE) || paths.size > MANY ? [EVERYWHERE] : [...paths].sort();
}

function readSources(src) {
  const names = readdirSync(src, { recursive: true }).map(String);
  return new Map(
    names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$/.test(name)).map((name) => [join(src, name), readFileSync(join(src, name), "utf8")]),
  );
}

function catalogKeys(file) {
  return Object.entries(JSON.parse(readFileSync(file, "utf8"))).flatMap(([namespace, texts]) => Object.keys(texts).map((key) => `${namespace}.${key}`));
}

/** Keys that a source names, also by a beginning and an end with a value between. */
export function keysIn(text, keys) {
  const known = new Set(keys);
  return [...text.matchAll(STRING)].flatMap(([, plain, template]) => {
    const word = plain ?? template;
    if (!VALUE.test(word)) return known.has(word) ? [word] : [];
    const pattern = new RegExp(`^${word.split(VALUE).map(escaped).join("[\\w.:-]+")}$`);
    return keys.filter((key) => pattern.test(key));
  });
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The rows of the tables of screens. */
function screensOf(sources, src) {
  return [...sources].filter(([file]) => TABLE.test(file)).flatMap(([file, text]) => {
    const starts = [...text.matchAll(SCREEN)];
    return starts.map((start, place) => {
      const row = text.slice(start.index, starts[place + 1]?.index);
      const title = /title: "([^"]+)"/.exec(row)?.[1];
      const load = /import\("([^"]+)"\)/.exec(row)?.[1];
      return { path: start[1], title, file: load && found(load, file, sources, src) };
    });
  }).filter(({ file }) => file !== undefined);
}

function reach(start, sources, src) {
  const seen = new Set([start]);
  for (const file of seen) {
    if (TABLE.test(file)) continue;
    for (const [, specifier] of (sources.get(file) ?? "").replace(TYPES_ONLY, "").matchAll(IMPORT)) {
      const next = found(specifier, file, sources, src);
      if (next !== undefined) seen.add(next);
    }
  }
  return seen;
}

function found(specifier, file, sources, src) {
  const base = specifier.startsWith("@/") ? join(src, specifier.slice(2)) : specifier.startsWith(".") ? resolve(dirname(file), specifier) : undefined;
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find((path) => path && sources.has(path));
}

export function shownPlugin(root) {
  return {
    name: "shown",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(byPlaces(shownMessages(root)))}` : undefined),
  };
}

/** Turned round, since many messages share their screens: screens, and the keys of each namespace. */
function byPlaces(messages) {
  const rows = new Map();
  for (const [key, places] of Object.entries(messages)) {
    const name = places.join(" ");
    const [namespace] = key.split(".", 1);
    const row = rows.get(name) ?? rows.set(name, {}).get(name);
    (row[namespace] ??= []).push(key.slice(namespace.length + 1));
  }
  return [...rows].map(([name, keys]) => [name.split(" "), keys]);
}
