/** Keeps names in another script together in a line that is written from right to left. */

import type { IntlMessageFormat } from "intl-messageformat";

type Part = ReturnType<IntlMessageFormat["getAst"]>[number];

const [LITERAL, ARGUMENT] = [0, 1];
const literal = (value: string) => ({ type: LITERAL, value }) as Part;

/** The message with each inserted value isolated: its direction is that of its first letter and ends with it. */
export function isolated(message: Part[]): Part[] {
  return message.flatMap((part) => {
    if (part.type === ARGUMENT) return [literal("\u2068"), part, literal("\u2069")];
    if (!("options" in part)) return [part];
    const options = Object.entries(part.options).map(([name, { value }]) => [name, { value: isolated(value) }]);
    return [{ ...part, options: Object.fromEntries(options) } as Part];
  });
}
