/** A free-looking key beside a taken one: `plans/crane 2.txt` for `plans/crane.txt`, then `plans/crane 3.txt`. */

const NAME = /^(?<before>(?:.*\/)?[^/]+?)(?: (?<number>\d+))?(?<ending>\.[^./]+)?$/;

export function anotherKey(key: string): string {
  const { before = key, number, ending = "" } = NAME.exec(key)?.groups ?? {};
  return `${before} ${Number(number ?? 1) + 1}${ending}`;
}
