/** What the first screen shows: the team's newest notes, and a way to get some. */

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

export function useSeed() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.POST("/api/admin/seed")),
    onSuccess: () => client.invalidateQueries({ queryKey: ["notes"] }),
  });
}
