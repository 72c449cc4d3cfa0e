import { expect, test } from "vitest";

import { several } from "./several";

const turn = (): Promise<void> => new Promise((resume) => setTimeout(resume));

test("many things are done a few at a time, and what fails doesn't stop the others", async () => {
  let [now, most] = [0, 0];
  const [done, progress]: [number[], number[]] = [[], []];
  const failed = await several(
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
    async (thing) => {
      most = Math.max(most, ++now);
      await turn();
      now -= 1;
      if (thing % 4 === 0) throw new Error(`no ${thing}`);
      done.push(thing);
    },
    (count) => void progress.push(count),
  );
  expect([most, done]).toEqual([4, [1, 2, 3, 5, 6, 7, 9]]);
  expect(failed.map(({ thing, fault }) => [thing, String(fault)])).toEqual([[4, "Error: no 4"], [8, "Error: no 8"]]);
  expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
