/** A first password that nobody guesses and everybody can type: letters that do not look alike, in groups. */

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const LENGTH = 5;

export function suggestPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * LENGTH));
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
  return letters.match(new RegExp(`.{${LENGTH}}`, "g"))?.join("-") ?? letters;
}
