/** What goes with a prompt by reference, as a link to it. */

import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";

import { answer, api } from "@/api/client";
import { t } from "@/i18n";
import chips from "@/ui/Chip.module.css";
import { placeOfObject } from "@/ui/documents";

import { ReferenceIcon } from "./ReferenceIcon";
import type { ReferencePart } from "./shapes";
import styles from "./Turns.module.css";

interface Target {
  id: string;
  link: LinkProps;
  fetch: () => Promise<Named>;
}

interface Named {
  title: string;
  version?: number;
  /** Of files. */
  content_type?: string;
}

function targetOf(part: ReferencePart): Target {
  switch (part.type) {
    case "note": {
      const params = { id: part.note_id };
      return { ...params, link: { to: "/notes/$id", params }, fetch: () => answer(api.GET("/api/notes/{id}", { params: { path: params } })) };
    }
    case "entity": {
      const params = { id: part.entity_id };
      return { ...params, link: { to: "/graph/$id", params }, fetch: async () => ({ title: await fetchEntityName(params.id) }) };
    }
    case "object": {
      const params = { id: part.object_id };
      return { ...params, link: placeOfObject(params.id, part), fetch: () => answer(api.GET("/api/repo-obj/{id}", { params: { path: params } })) };
    }
  }
}

export async function fetchEntityName(id: string): Promise<string> {
  return (await answer(api.GET("/api/kg/entities/{id}", { params: { path: { id }, query: { limit: 1 } } }))).name;
}

export function ReferenceLink({ part }: { part: ReferencePart }) {
  const { id, link, fetch } = targetOf(part);
  // A name that can't be read, or isn't any more, is left out.
  const { data } = useQuery({ queryKey: ["names", "reference", part.type, id], queryFn: fetch, staleTime: 60_000 });
  return (
    <Link {...link} className={`${chips.chip} ${styles.reference}`}>
      <ReferenceIcon type={part.type} size={13} />
      <span>{data?.title ?? t(`turns.reference.${part.type}`)}</span>
    </Link>
  );
}
