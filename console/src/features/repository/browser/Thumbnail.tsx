/** Small picture of an image or a PDF, drawn by the server; otherwise the icon of the entry's type. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { Entry, FileEntry } from "./entries";
import { EntryPicture } from "./EntryLink";
import { fetchThumbnail, isDrawn, type ThumbnailSize } from "./thumbnails";

interface Props {
  entry: Entry;
  size: ThumbnailSize;
  /** Pixels of the icon. */
  icon: number;
  /** Not asked for: it is scrolled past. */
  isBrief?: boolean;
}

export function Thumbnail({ entry, size, icon, isBrief }: Props) {
  if (!isBrief && !entry.isFolder && isDrawn(entry.item)) return <Picture key={entry.id} entry={entry} size={size} icon={icon} />;
  return <EntryPicture entry={entry} size={icon} />;
}

/** In the page only while in sight, as its row or tile is. */
function Picture({ entry, size, icon }: Omit<Props, "isBrief"> & { entry: FileEntry }) {
  const { id, version, content_type } = entry.item;
  const [address, setAddress] = useState<string | null>(null);
  const drawn = useQuery({
    // Not below the file's own key: the picture of a version doesn't change when the file does.
    queryKey: ["thumbnails", id, version, size],
    queryFn: ({ signal }) => fetchThumbnail(id, version, size, signal),
    staleTime: Infinity,
    gcTime: 120_000,
    retry: false,
  });
  useEffect(() => {
    if (!drawn.data) return;
    const made = URL.createObjectURL(drawn.data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [drawn.data]);
  if (!address || !drawn.data) return <EntryPicture entry={entry} size={icon} />;
  return <img src={address} alt="" draggable={false} data-page={content_type === "application/pdf" || undefined} />;
}
