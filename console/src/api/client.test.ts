/** A refusal is shown in the language of the console. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import english from "../../../teamspace/catalogs/en.json";
import { flat, reportedText, setZone, speak } from "@/i18n";

import { answer, Refusal } from "./client";

beforeEach(() => speak("en", flat(english)));
afterEach(() => vi.unstubAllGlobals());

const german = {
  "refusals.jobs.cancel_others": "Nur wer den Auftrag erteilt hat, kann ihn abbrechen.",
  "refusals.value.too_long": "darf höchstens {limit} Zeichen haben",
};
const tooLong = { key: "value.too_long", params: { limit: 80 } };

test("a known key is shown in the language of the console", () => {
  speak("de", german);
  const refusal = new Refusal(403, { detail: "Only the requester…", key: "jobs.cancel_others", params: {} });
  expect(refusal.message).toBe(german["refusals.jobs.cancel_others"]);
});

test("an unknown key, other parameters or no key: the text of the server is shown", () => {
  expect(new Refusal(403, { detail: "New.", key: "moon.walk", params: {} }).message).toBe("New.");
  expect(new Refusal(400, { detail: "Long.", key: "value.too_long", params: {} }).message).toBe("Long.");
  expect(new Refusal(502, { title: "Bad Gateway" }).message).toBe("Bad Gateway");
});

test("a field's error is translated, and the message names the field", () => {
  speak("de", german);
  const errors = [{ pointer: "/title", message: "must not be longer than 80 characters", ...tooLong }];
  const refusal = new Refusal(400, { detail: "/title: must not be longer than 80 characters", errors, ...tooLong });
  expect(refusal.field("title")).toBe("darf höchstens 80 Zeichen haben");
  expect(refusal.message).toBe("/title: darf höchstens 80 Zeichen haben");
});

test("every text of the server's is written here as the server writes it", () => {
  for (const [key, text] of Object.entries(english.refusals)) {
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    const params = Object.fromEntries(names.map((name) => [name, 12345]));
    expect(reportedText({ key, params }), key).toBe(text.replace(/\{\w+\}/g, "12345"));
  }
});

test("a value that is a word of the server's or a time is translated, and what people type stays", () => {
  setZone("Asia/Tokyo");
  const words = { "refusals.quota.used_up_until": "{dimension} ({level}) bis {resets_at}", "refusals.rights.needs": "Erfordert {permission}." };
  const names = { "permission.files:read": "Dateien ansehen", "state.quoted": "„{name}“" };
  speak("de", { ...words, ...names, "refusal_values.dimension.ai.requests": "KI-Anfragen", "refusal_values.level.org": "Unternehmen" } as never);
  const params = { dimension: "ai.requests", level: "org", resets_at: "2026-01-31T23:30:00Z" };
  expect(reportedText({ key: "quota.used_up_until", params })).toBe("KI-Anfragen (Unternehmen) bis 01.02.2026, 08:30");
  expect(reportedText({ key: "quota.used_up_until", params: { ...params, level: "galaxy" } })).toContain("(galaxy)");
  expect(reportedText({ key: "rights.needs", params: { permission: "files:read" } })).toBe("Erfordert „Dateien ansehen“.");
  expect(reportedText({ key: "rights.needs", params: { permission: "files:read:a/" } })).toBe("Erfordert files:read:a/.");
  setZone(null);
});

test("an answer that breaks off in its body is none, and one that nobody waits for any more is nothing to tell", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response()));
  await expect(answer(Promise.reject(new TypeError("network error")))).rejects.toMatchObject({ name: "Refusal", status: 0 });
  await expect(answer(Promise.reject(new SyntaxError("Unexpected end of JSON input")))).rejects.toMatchObject({ status: 0 });
  const [stopped, refused] = [new DOMException("stopped", "AbortError"), new Refusal(403, {})];
  await expect(answer(Promise.reject(stopped))).rejects.toBe(stopped);
  await expect(answer(Promise.reject(refused))).rejects.toBe(refused);
});
