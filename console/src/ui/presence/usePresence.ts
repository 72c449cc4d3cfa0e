/** Tells the server that an item is open here, and asks who else has it open. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { answer, api, type Schemas } from "@/api/client";

import { presenceOf } from "./keys";

export type Person = Schemas["PresentPerson"];
export type PresenceKind = "note" | "document" | "file" | "conversation" | "run";

/** Stays present while the tab is shown; the server forgets who isn't heard of. */
const RENEW = 20_000;

export function usePresence(kind: PresenceKind, id: string | undefined, editing: boolean): Person[] {
  const { data, refetch } = useQuery({
    queryKey: presenceOf(kind === "document" || kind === "file" ? "object" : kind, id ?? ""),
    queryFn: () => answer(api.PUT("/api/presence/{kind}/{id}", { params: { path: { kind, id: id as string } }, body: { editing } })),
    enabled: id !== undefined,
    refetchInterval: RENEW,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: "always",
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (id !== undefined) void refetch();
  }, [id, editing, refetch]);
  useEffect(() => {
    if (id === undefined) return;
    const leave = (): void => void api.DELETE("/api/presence/{kind}/{id}", { params: { path: { kind, id } }, keepalive: true }).catch(() => undefined);
    const onHidden = (): void => {
      if (document.visibilityState === "hidden") leave();
    };
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("pagehide", leave);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [kind, id]);
  return data?.people ?? [];
}
