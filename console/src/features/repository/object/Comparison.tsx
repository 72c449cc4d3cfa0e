/** What has changed in a text file from one version to another. */

import { useEffect, useState } from "react";

import { isDocument } from "@/ui/documents";
import { lazily } from "@/ui/lazily";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";
import { pairOf, type Shown } from "@/ui/versions/address";

import { useBytes, type FileObject } from "../queries";

const Compared = lazily(() => import("@/ui/versions/Compared"));

export default function Comparison({ file, shown }: { file: FileObject; shown: Shown }) {
  const [from, to] = pairOf(shown, file.version);
  const older = useText(file.id, from);
  const newer = useText(file.id, to);
  const failed = [older, newer].find(({ error }) => error);
  if (failed) return <Failed error={failed.error} again={failed.again} />;
  if (older.text === null || newer.text === null) return <Skeleton shape="text" />;
  const rendered = shown.view === "changes" && isDocument(file.content_type);
  return <Compared older={{ version: from, text: older.text }} newer={{ version: to, text: newer.text }} rendered={rendered} />;
}

function useText(id: string, version: number) {
  const { data, error, refetch } = useBytes(id, version, true);
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void data?.text().then((words) => current && setText(words.replaceAll("\r\n", "\n")));
    return () => void (current = false);
  }, [data]);
  return { text, error, again: () => void refetch() };
}
