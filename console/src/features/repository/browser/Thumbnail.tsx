/** Small picture of an entry: of an image itself, otherwise its icon. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { one } from "../keys";
import { fetchBytes } from "../queries";
import type { Entry, FileEntry } from "./entries";
import { EntryPicture } from "./EntryLink";

const DRAWN = /^image\/(png|jpeg|gif|webp|avif)$/;
/** Larger images show their icon: a folder of them would be much to load. */
const LARGEST = 2_000_000;

export function Thumbnail({ entry }: { entry: Entry }) {
  if (!entry.isFolder && DRAWN.test(entry.item.content_type) && entry.item.size <= LARGEST && entry.item.size > 0) return <Picture entry={entry} />;
  return <EntryPicture entry={entry} size={44} />;
}

function Picture({ entry }: { entry: FileEntry }) {
  const { id, version, content_type } = entry.item;
  const [address, setAddress] = useState<string | null>(null);
  const [broken, setBroken] = useState(false);
  const bytes = useQuery({
    queryKey: [...one(id), "bytes", version, "all"],
    queryFn: () => fetchBytes(id, version),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  useEffect(() => {
    if (!bytes.data) return;
    const made = URL.createObjectURL(new Blob([bytes.data], { type: content_type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes.data, content_type]);
  if (!address || broken) return <EntryPicture entry={entry} size={44} />;
  return <img src={address} alt="" draggable={false} onError={() => setBroken(true)} />;
}
