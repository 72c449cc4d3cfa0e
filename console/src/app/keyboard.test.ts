import { expect, test } from "vitest";

import { action } from "@/navigation/tables";
import { sessionOf, type Whoami } from "@/session";

import { keyed } from "./keyboard";

const somebody = sessionOf({ permissions: ["notes:write"], features: [], operator: false } as unknown as Whoami);
const rest = { title: "notes.new", perform: () => undefined } as const;
const anywhere = action("anywhere", { ...rest, keys: "c" });
const onPeople = action("people", { ...rest, keys: "c", on: /^\/people/ });

test("a key is the screen's own before it is everybody's", () => {
  expect(keyed([anywhere, onPeople], somebody, "/people")).toEqual([onPeople]);
  expect(keyed([anywhere, onPeople], somebody, "/notes")).toEqual([anywhere]);
});

test("what is not offered leaves its key to another", () => {
  const never = action("never", { ...rest, keys: "c", when: () => false });
  const forbidden = action("forbidden", { ...rest, keys: "c", permission: "org:manage" });
  expect(keyed([never, forbidden, anywhere], somebody, "/")).toEqual([anywhere]);
});
