import { describe, expect, it } from "vitest";

import { isLong, partSizeOf, partsOf } from "./parts";

const MIB = 1024 * 1024;

describe("the parts of a file", () => {
  it("are as long as its part size, but for the last", () => {
    expect(partsOf(26 * MIB, 8 * MIB)).toEqual([8 * MIB, 8 * MIB, 8 * MIB, 2 * MIB]);
    expect(partsOf(16 * MIB, 8 * MIB)).toEqual([8 * MIB, 8 * MIB]);
  });

  it("are never more than the server takes", () => {
    for (const size of [9 * MIB, 100_000 * MIB, 5 * 1024 * 1024 * MIB]) {
      const partSize = partSizeOf(size);
      expect(partSize % MIB).toBe(0);
      expect(Math.ceil(size / partSize)).toBeLessThanOrEqual(10_000);
    }
  });

  it("are for large files only", () => {
    expect([isLong(new Blob(["small"])), isLong({ size: 8 * MIB + 1 } as Blob)]).toEqual([false, true]);
  });
});
