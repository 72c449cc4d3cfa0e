import { afterAll, beforeEach, expect, test } from "vitest";

import { dateFormat, dateTime, exactTime, instantOf, setZone, speak, wallTime } from ".";
import { deviceZone } from "./time";
import { allZones, zoneOf } from "./zones";

const MIDNIGHT = "2026-01-31T23:30:00.000Z";

beforeEach(() => speak("en", {}));
afterAll(() => setZone(null));

test("a time is shown in the zone that the person chose, or in that of the device", () => {
  setZone("Asia/Tokyo");
  expect(dateTime(MIDNIGHT)).toBe("Feb 1, 2026, 8:30 AM");
  setZone("America/New_York");
  expect(dateTime(MIDNIGHT)).toBe("Jan 31, 2026, 6:30 PM");
  expect(exactTime(MIDNIGHT)).toBe("January 31, 2026 at 6:30:00 PM EST");
  setZone(null);
  expect(dateFormat({}).resolvedOptions().timeZone).toBe(deviceZone());
});

test("a zone that this browser doesn't know is that of the device", () => {
  setZone("Mars/Olympus_Mons");
  expect(dateFormat({}).resolvedOptions().timeZone).toBe(deviceZone());
  expect(zoneOf("Mars/Olympus_Mons").name).toBe("Mars/Olympus Mons (Mars/Olympus_Mons)");
});

test("what is counted in UTC is shown in UTC", () => {
  setZone("Asia/Tokyo");
  expect(dateFormat({ day: "numeric", timeZone: "UTC" }).format(new Date(MIDNIGHT))).toBe("31");
});

test.each([
  ["Europe/Berlin", "2026-02-03T23:59", "2026-02-03T22:59:00.000Z"],
  ["Europe/Berlin", "2026-07-03T23:59:59", "2026-07-03T21:59:59.000Z"],
  ["Asia/Kolkata", "2026-02-03T00:00", "2026-02-02T18:30:00.000Z"],
  ["Pacific/Kiritimati", "2026-02-03T00:00", "2026-02-02T10:00:00.000Z"],
  // Clocks show this twice: the first.
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00.000Z"],
  // Clocks never show this: an hour later.
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["America/New_York", "2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
])("in %s it is %s at %s", (zone, wall, instant) => {
  setZone(zone);
  expect(new Date(instantOf(wall)).toISOString()).toBe(instant);
});

test("clock times and instants are the inverse of each other", () => {
  for (const zone of ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "UTC"]) {
    setZone(zone);
    // 97 hours pass through every hour of the day, and both changes of the clocks.
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 97 * 3_600_000) expect(instantOf(wallTime(at))).toBe(at);
  }
  expect(instantOf("")).toBeNaN();
});

test("zones have names in the language of the person, UTC is one of them, and none is listed twice", () => {
  speak("de", {});
  const zones = allZones();
  expect(zones.find(({ id }) => id === "Europe/Berlin")?.name).toBe("Europe/Berlin (Mitteleuropäische Zeit)");
  expect(zones.find(({ id }) => id === "UTC")?.name).toBe("UTC (Koordinierte Weltzeit)");
  expect(zones.find(({ id }) => id === "America/New_York")?.name).toContain("America/New York (");
  expect(new Set(zones.map(({ id }) => id)).size).toBe(zones.length);
});
