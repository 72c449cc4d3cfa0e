import { notifications } from "@mantine/notifications";
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { api, Refusal } from "@/api/client";
import { flat, speak } from "@/i18n";

import { restoreMany } from "./many";

afterEach(() => void vi.restoreAllMocks());

test("many items are restored with one refresh of the screens, and what failed is said", async () => {
  speak("en", flat(english));
  const client = new QueryClient();
  const refreshed = vi.spyOn(client, "invalidateQueries");
  const said = vi.spyOn(notifications, "show").mockReturnValue("");
  const progress = vi.spyOn(notifications, "update").mockReturnValue("");
  const restored = vi.spyOn(api, "POST").mockImplementation(((_: string, { params }: { params: { path: { id: string } } }) =>
    params.path.id === "7" ? Promise.reject(new Refusal(409, {})) : Promise.resolve({ data: {}, response: new Response() })) as never);
  expect(await restoreMany(client, Array.from({ length: 30 }, (_, number) => String(number)))).toBe(1);
  const screens = refreshed.mock.calls.map(([filters]) => String(filters?.queryKey));
  expect([restored.mock.calls.length, progress.mock.calls.length]).toEqual([30, 30]);
  expect(new Set(screens).size).toBe(screens.length);
  expect(said.mock.calls.slice(1).map(([{ message }]) => message)).toEqual(["29 items restored", "1 item could not be restored and is still in the trash."]);
});
