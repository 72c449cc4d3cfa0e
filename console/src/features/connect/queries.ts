/** One's S3 keys for the team at the server, and where they are used. */

import { useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type AccessKey = Schemas["AccessKey"];
export type Credentials = Schemas["Credentials"];
export type NewKey = Schemas["Credential"];
type Draft = Schemas["NewCredential"];

const KEYS = ["s3", "keys"] as const;

export function useCredentials() {
  return useQuery({ queryKey: KEYS, queryFn: () => answer(api.GET("/api/s3/credentials")) });
}

export function useKeyChanges() {
  const client = useQueryClient();
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: KEYS });
  return {
    async make(draft: Draft): Promise<NewKey> {
      const made = await answer(api.POST("/api/s3/credentials", { body: draft }));
      await changed();
      return made;
    },
    async revoke(id: string): Promise<void> {
      await answer(api.DELETE("/api/s3/credentials/{id}", { params: { path: { id } } }));
      await changed();
    },
  };
}
