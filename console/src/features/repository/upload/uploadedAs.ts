/** Access level for uploads: the last choice, stored in this browser. */

import { useLocalStorage } from "@mantine/hooks";

import type { Visibility } from "@/ui/writing/text";

export const UPLOADED_AS = ["private", "team"] as const satisfies readonly Visibility[];
type UploadedAs = (typeof UPLOADED_AS)[number];

export function useUploadedAs(): [UploadedAs, (value: UploadedAs) => void] {
  const [value, setValue] = useLocalStorage<UploadedAs>({ key: "teamspace.uploaded-as", defaultValue: "private", getInitialValueInEffect: false });
  return [UPLOADED_AS.includes(value) ? value : "private", setValue];
}
