/** What the first screen shows: the team's newest notes and files, and a way to get some. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api } from "@/api/client";

const RECENT = 6;

export function useRecentNotes(enabled: boolean) {
  return useQuery({
    queryKey: ["notes", "recent"],
    queryFn: () => answer(api.GET("/api/notes", { params: { query: { limit: RECENT } } })),
    enabled,
  });
}

/** Documents are among them. */
export function useRecentFiles() {
  return useQuery({
    queryKey: ["files", "recent"],
    queryFn: () => answer(api.GET("/api/repo", { params: { query: { limit: RECENT } } })),
  });
}

export function useSeed() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/admin/seed")),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["files"] });
      return client.invalidateQueries({ queryKey: ["notes"] });
    },
  });
}
