/** Many requests, a few at a time. */

const AT_ONCE = 4;

export interface Failed<Thing> {
  thing: Thing;
  fault: unknown;
}

/** Does something with each; what fails doesn't stop the others, and is returned. */
export async function several<Thing>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<Failed<Thing>[]> {
  const failed: Failed<Thing>[] = [];
  const left = things.values();
  let done = 0;

  async function work(): Promise<void> {
    // What they take from is shared.
    for (const thing of left) {
      try {
        await act(thing);
      } catch (fault) {
        failed.push({ thing, fault });
      }
      onProgress(++done);
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}
