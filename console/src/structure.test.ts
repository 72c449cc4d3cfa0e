/** The shape of the sources: no import cycles, no link to an address without a screen, one place for dates and times. */

import { expect, test } from "vitest";

import { SCREENS } from "./app/screens";

const SOURCES = import.meta.glob<string>("./**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const CODE = Object.entries(SOURCES).filter(([path]) => !path.endsWith(".d.ts"));

function importsOf(path: string, source: string): string[] {
  const specifiers = [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map(([, specifier]) => specifier ?? "");
  return specifiers.flatMap((specifier) => {
    const base = specifier.startsWith("@/") ? `./${specifier.slice(2)}` : specifier.startsWith(".") ? joined(path, specifier) : undefined;
    return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].filter((file) => file && file in SOURCES) as string[];
  });
}

function joined(file: string, specifier: string): string {
  return `.${new URL(specifier, new URL(file, "file:///")).pathname}`;
}

/** The files of the first cycle that is found. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  function walk(file: string, trail: readonly string[]): string[] {
    const start = trail.indexOf(file);
    if (start >= 0) return [...trail.slice(start), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next, [...trail, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  }
  for (const file of graph.keys()) {
    const cycle = walk(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

test("no module imports itself, however far round", () => {
  expect(cycleIn(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]]))).toEqual(["b", "c", "b"]);
  const graph = new Map(CODE.map(([path, source]) => [path, importsOf(path, source)]));
  expect(graph.get("./app/Console.tsx")).toContain("./app/router.tsx");
  expect(cycleIn(graph)).toEqual([]);
});

/** What formats a date or a time, or reads a clock, in the zone of the browser and not of the person. */
const OWN_CLOCK =
  /\bIntl\.DateTimeFormat\(|\.toLocale(?:Date|Time)?String\(|\.to(?:Date|Time)String\(|\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|TimezoneOffset)\(|new Date\((?:\d|`)/;

test("dates and times are formatted and read only where the time zone is known", () => {
  for (const source of ["new Intl.DateTimeFormat(locale)", "at.toLocaleDateString()", "at.getHours()", "new Date(`${day}T23:59`)"]) {
    expect(source).toMatch(OWN_CLOCK);
  }
  const others = CODE.filter(([path]) => !path.startsWith("./i18n/") && !path.includes(".test."));
  expect(others.filter(([, source]) => OWN_CLOCK.test(source)).map(([path]) => path)).toEqual([]);
});

test("an arrow back points to where lines begin, in every direction of writing", () => {
  const others = CODE.filter(([path]) => path.endsWith(".tsx") && path !== "./ui/Back.tsx");
  expect(others.filter(([, source]) => /[←→]/.test(source.replace(/\/\*[^]*?\*\/|\/\/.*/g, ""))).map(([path]) => path)).toEqual([]);
});

test("every address that a link or an action names is a screen's", () => {
  const screens = SCREENS.map(({ path }) => new RegExp(`^${path.replaceAll("/", "\\/").replace(/\$\w+/g, "[^/]+")}$`));
  const named = CODE.filter(([path]) => !path.endsWith(".test.ts")).flatMap(([, source]) =>
    [...source.matchAll(/(?:\bto=\{?|\bto: |\bgo\()["`](\/[^"`]*)["`]/g)].map(([, address]) => (address ?? "").replace(/\$\{[^}]+\}/g, "one")),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((address) => !screens.some((screen) => screen.test(address)))).toEqual([]);
});

test("a settings screen is at the address of its scope", () => {
  for (const { path, nav } of SCREENS) {
    if (!nav) continue;
    expect(path.startsWith(`/settings/${nav.group}/`)).toBe(!["main", "foot"].includes(nav.group));
  }
});
