/** API calls of the trash, for the screen of the trash and for the undo of a deletion. */

import type { QueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useConfig } from "@/session/config";

export type Restored = Schemas["Restored"];

/** How many days the trash keeps what is deleted; with 0 a deletion is final. */
export const useTrashDays = (): number => useConfig().data?.trash_days ?? 0;

export async function restore(client: QueryClient, id: string, key?: string): Promise<Restored> {
  const restored = await bringBack(id, key);
  await refresh(client);
  return restored;
}

/** For many of them: the screens are refreshed only once. */
export const bringBack = (id: string, key?: string): Promise<Restored> =>
  answer(api.POST("/api/trash/{id}/restore", { params: { path: { id } }, body: key === undefined ? {} : { key } }));

export const purge = (id: string): Promise<unknown> => answer(api.DELETE("/api/trash/{id}", { params: { path: { id } } }));

/** Whatever a screen shows can have come back or gone. */
export async function refresh(client: QueryClient): Promise<void> {
  await Promise.all(
    ["trash", "notes", "documents", "files", "search", "home"].map((key) => client.invalidateQueries({ queryKey: [key] })),
  );
}
