/** A request whose session has expired is repeated once, as the same person. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

function storage(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  } as unknown as Storage;
}

const ended = (code = "token_expired"): Response => new Response(JSON.stringify({ code }), { status: 401 });
const signedIn = (): Response => Response.json({ token: "new", user: { id: "ann" } });

let asked: ReturnType<typeof vi.fn<() => Promise<Response>>>;

beforeEach(() => {
  vi.resetModules();
  asked = vi.fn(() => Promise.resolve(signedIn()));
  vi.stubGlobal("sessionStorage", storage());
  vi.stubGlobal("localStorage", storage());
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("location", { reload: vi.fn() });
  vi.stubGlobal("fetch", asked);
});
afterEach(() => vi.unstubAllGlobals());

async function parts() {
  const { asPerson } = await import("./renewing");
  const { staying } = await import("./staying");
  const { token } = await import("./token");
  token.set("old");
  staying.set(true);
  /** Answers as the server does to a token that has expired. */
  const send = vi.fn((bearer: string | null) => Promise.resolve(bearer === "old" ? ended() : new Response(bearer)));
  return { asPerson, staying, token, send };
}

test("it is sent again with the new token", async () => {
  const { asPerson, token, send } = await parts();
  expect(await (await asPerson(send)).text()).toBe("new");
  expect(token.get()).toBe("new");
  expect(send.mock.calls).toEqual([["old"], ["new"]]);
});

test("requests at the same time share one exchange", async () => {
  const { asPerson, send } = await parts();
  const answers = await Promise.all([asPerson(send), asPerson(send), asPerson(send)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(asked).toHaveBeenCalledTimes(1);
});

test("without a kept sign-in, or with one that is over, the refusal stays", async () => {
  const { asPerson, staying, send } = await parts();
  asked.mockResolvedValueOnce(ended("unauthenticated"));
  expect((await asPerson(send)).status).toBe(401);
  staying.set(false);
  expect((await asPerson(send)).status).toBe(401);
  expect(asked).toHaveBeenCalledTimes(1);
});

test("a wrong password is no expired session", async () => {
  const { asPerson } = await parts();
  expect((await asPerson(() => Promise.resolve(ended("invalid_credentials")))).status).toBe(401);
  expect(asked).not.toHaveBeenCalled();
});

test("a server that can't be asked fails the request, and the token stays", async () => {
  const { asPerson, token, send } = await parts();
  asked.mockRejectedValueOnce(new TypeError("offline"));
  await expect(asPerson(send)).rejects.toThrow("offline");
  expect(token.get()).toBe("old");
  expect((await asPerson(send)).status).toBe(200);
});

test("nothing is repeated as somebody else", async () => {
  const { asPerson, staying, token, send } = await parts();
  staying.watch(() => "bob");
  expect((await asPerson(send)).status).toBe(401);
  expect(token.get()).toBeNull();
  expect(location.reload).toHaveBeenCalled();
  expect(send).toHaveBeenCalledTimes(1);
});

test("a request of who has signed out meanwhile isn't sent as who has signed in", async () => {
  const { asPerson, token } = await parts();
  const send = vi.fn(() => {
    token.drop();
    token.set("of somebody else");
    return Promise.resolve(ended());
  });
  expect((await asPerson(send)).status).toBe(401);
  expect(send).toHaveBeenCalledTimes(1);
  expect(token.get()).toBe("of somebody else");
});

test("a session ends by its own requests, not by those of the one before", async () => {
  const { asPerson, staying, token } = await parts();
  const { refused } = await import("./client");
  staying.set(false);
  const late = await asPerson(async () => {
    token.signOut();
    token.set("of the next sign-in");
    return Promise.resolve(ended("unauthenticated"));
  });
  expect((await refused(late)).code).toBe("unauthenticated");
  expect(token.get()).toBe("of the next sign-in");
  await refused(await asPerson(() => Promise.resolve(ended())));
  expect(token.get()).toBeNull();
});

test("a request that was sent before anybody signed in ends nothing", async () => {
  const { asPerson, staying, token } = await parts();
  const { refused } = await import("./client");
  staying.set(false);
  token.drop();
  const early = await asPerson(() => {
    token.set("new");
    return Promise.resolve(ended("unauthenticated"));
  });
  await refused(early);
  expect(token.get()).toBe("new");
});
