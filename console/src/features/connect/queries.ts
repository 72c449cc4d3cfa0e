/** API queries for S3 keys. */

import { useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type AccessKey = Schemas["AccessKey"];
export type Credentials = Schemas["AccessKeyList"];
export type NewKey = Schemas["AccessKeyWithSecret"];
type Draft = Schemas["NewAccessKey"];

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
