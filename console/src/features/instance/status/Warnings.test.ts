/** When operators are warned. */

import { expect, test } from "vitest";

import type { Status } from "../queries";
import { warningsOf } from "./Warnings";

const status = (tls: boolean, suspended = false) => ({ tls, suspended }) as Status;
const page = (address: string) => new URL(address);

test.each([
  ["http://127.0.0.1:8080/", false, []],
  ["http://aurora.localhost:8080/", false, []],
  ["http://[::1]:8080/", false, []],
  ["http://team.example.com/", false, ["open"]],
  ["http://192.168.1.4:8080/", false, ["open"]],
  ["https://team.example.com/", false, ["address"]],
  ["https://team.example.com/", true, []],
])("%s, TLS known: %s", (address, tls, warnings) => {
  expect(warningsOf(status(tls), page(address))).toEqual(warnings);
});

test("a suspended workspace comes first", () => {
  expect(warningsOf(status(true, true), page("https://team.example.com/"))).toEqual(["suspended"]);
});
