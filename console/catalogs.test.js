/** The shipped translations: each message can be read, and takes the values of the English one. */

import { IntlMessageFormat } from "intl-messageformat";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../teamspace/catalogs");
const read = (name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
const english = read("en.json");

const parse = (text, locale) => new IntlMessageFormat(text, locale).getAst();

/** Values that a message takes, and the branches of its choices. */
function valuesOf(parts) {
  return parts.flatMap((part) => {
    if (!("options" in part)) return "children" in part ? valuesOf(part.children) : /^[a-z]/i.test(part.value ?? "") && part.type !== 0 ? [part.value] : [];
    const branches = Object.entries(part.options);
    const chosen = "pluralType" in part ? [] : branches.map(([name]) => `${part.value}=${name}`);
    return [part.value, ...chosen, ...branches.flatMap(([, { value }]) => valuesOf(value))];
  });
}

function missingPlurals(parts, needed) {
  return parts.flatMap((part) => {
    if (!("options" in part)) return [];
    const missing = "pluralType" in part ? needed.filter((category) => !(category in part.options)) : [];
    return [...missing, ...Object.values(part.options).flatMap(({ value }) => missingPlurals(value, needed))];
  });
}

/** Why a translation can't be shown in place of its source; empty if it can. */
function faultOf(source, text, locale) {
  if (source === undefined) return "unknown key";
  const [ours, theirs] = [parse(source, "en"), parse(text, locale)];
  const [wanted, found] = [ours, theirs].map((parts) => [...new Set(valuesOf(parts))].sort().join(", "));
  if (wanted !== found) return `takes ${found} instead of ${wanted}`;
  const lacks = missingPlurals(theirs, new Intl.PluralRules(locale).resolvedOptions().pluralCategories);
  return lacks.length > 0 ? `lacks the plural form ${lacks.join(", ")}` : "";
}

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "en.json"))("%s", (name) => {
  const locale = basename(name, ".json");
  test("every message fits its source", () => {
    const faults = Object.entries(read(name)).flatMap(([namespace, texts]) =>
      Object.entries(texts)
        .map(([key, text]) => [`${namespace}.${key}`, faultOf(english[namespace]?.[key], text, locale)])
        .filter(([, fault]) => fault),
    );
    expect(faults).toEqual([]);
  });
});

test.each([
  ["{name} left", "{nombre} salió", "takes nombre instead of name"],
  ["{n, plural, one {# day} other {# days}}", "{n, plural, one {# día} other {# días}}", "lacks the plural form many"],
  ["{a, select, x {X} other {Y}}", "{a, select, z {X} other {Y}}", "takes a, a=other, a=z instead of a, a=other, a=x"],
  ["{name} left", "{name} salió", ""],
])("the check itself: %s, %s", (source, text, fault) => {
  expect(faultOf(source, text, "es")).toBe(fault);
});
