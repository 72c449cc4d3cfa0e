/** Generates an initial password that's hard to guess and easy to type: no lookalike characters, in groups. */

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const LENGTH = 5;

export function suggestPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * LENGTH));
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
  return letters.match(new RegExp(`.{${LENGTH}}`, "g"))?.join("-") ?? letters;
}
