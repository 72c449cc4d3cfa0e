/** Arguments of a tool, read from their JSON schema and put into words. */

import { currentLocale, number, t } from "@/i18n";

/** The parts of JSON Schema that tools use. */
interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

export interface Argument {
  /** `address.city` for a part of an object, `lines[].price` for a part of each item of a list. */
  name: string;
  type: string;
  required: boolean;
  description?: string;
  /** As JSON; undefined if there's none. */
  fallback?: string;
}

/** Deeper parts are left out: the type says that there is an object. */
const DEEPEST = 4;

export function argumentsOf(parameters: Record<string, unknown>, depth = 1): Argument[] {
  const { properties = {}, required = [] } = parameters as Schema;
  return Object.entries(properties).flatMap(([name, schema]) => [
    {
      name,
      type: typeWords(schema),
      required: required.includes(name),
      description: schema.description,
      fallback: fallbackOf(schema.default),
    },
    ...(depth < DEEPEST ? partsOf(name, schema, depth) : []),
  ]);
}

/** Nothing, in whatever form, isn't worth a word. */
function fallbackOf(value: unknown): string | undefined {
  const written = JSON.stringify(value ?? null);
  return ["null", '""', "[]", "{}"].includes(written) ? undefined : written;
}

function partsOf(name: string, schema: Schema, depth: number): Argument[] {
  const inside = (part: Schema, prefix: string): Argument[] =>
    argumentsOf(part as Record<string, unknown>, depth + 1).map((argument) => ({ ...argument, name: `${prefix}.${argument.name}` }));
  return alternatives(schema).flatMap((one) => [
    ...(one.properties ? inside(one, name) : []),
    ...(one.items?.properties ? inside(one.items, `${name}[]`) : []),
  ]);
}

/** The schemas that a value can have; null only says that the argument can be left out. */
function alternatives(schema: Schema): Schema[] {
  const { anyOf, oneOf, type, ...rest } = schema;
  const some = anyOf ?? oneOf;
  const each = some ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : [schema]);
  return each.filter((one) => one.type !== "null");
}

export function typeWords(schema: Schema): string {
  if (schema.enum) return t("tools.type.enum", { values: oneOf(schema.enum.filter((value) => value !== null).map(String)) });
  if (schema.const !== undefined) return t("tools.type.enum", { values: String(schema.const) });
  const [first, ...others] = alternatives(schema);
  if (!first) return t("tools.type.any");
  if (others.length > 0 || first !== schema) return oneOf([...new Set([first, ...others].map(typeWords))]);
  return plainType(first);
}

const oneOf = (words: string[]): string => new Intl.ListFormat(currentLocale(), { type: "disjunction" }).format(words);

function plainType({ type, items, minimum, maximum, maxLength, maxItems }: Schema): string {
  switch (type) {
    case "string":
      return maxLength === undefined ? t("tools.type.string") : t("tools.type.string.most", { most: maxLength });
    case "integer":
    case "number":
      return numberWords(type, minimum, maximum);
    case "boolean":
      return t("tools.type.boolean");
    case "array":
      return listOf(items ? typeWords(items) : t("tools.type.any"), maxItems);
    case "object":
      return t("tools.type.object");
    default:
      return t("tools.type.any");
  }
}

function listOf(items: string, most?: number): string {
  return most === undefined ? t("tools.type.array", { items }) : t("tools.type.array.most", { items, most });
}

function numberWords(type: "integer" | "number", least?: number, most?: number): string {
  const limits = { least: number(least ?? 0), most: number(most ?? 0) };
  if (least !== undefined && most !== undefined) return t(`tools.type.${type}.between`, limits);
  if (least !== undefined) return t(`tools.type.${type}.least`, limits);
  return most === undefined ? t(`tools.type.${type}`) : t(`tools.type.${type}.most`, limits);
}
