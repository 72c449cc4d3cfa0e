/** API queries for the trash. */

import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useEndless } from "@/ui/endless";
import { purge, refresh, restore } from "@/ui/trash/queries";

import { TRASH } from "./keys";

export type TrashItem = Schemas["TrashItem"];

export const useTrash = () =>
  useEndless(TRASH, (cursor) => answer(api.GET("/api/trash", { params: { query: { cursor, limit: 200 } } })));

export function useRestore() {
  const client = useQueryClient();
  return useMutation({ mutationFn: ({ id, key }: { id: string; key?: string }) => restore(client, id, key) });
}

export function usePurge() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: purge,
    onSettled: () => refresh(client),
  });
}

/** Empties the trash batch by batch; returns how many items are gone. */
export function useEmpty() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      let gone = 0;
      for (;;) {
        const { deleted, remaining } = await answer(api.DELETE("/api/trash"));
        gone += deleted;
        if (remaining === 0 || deleted === 0) return gone;
      }
    },
    onSettled: () => refresh(client),
  });
}
