import { notifications } from "@mantine/notifications";
import { afterEach, expect, test, vi } from "vitest";

import english from "../../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { folderEntry } from "../browser/entries";
import { download } from "./download";

afterEach(() => void vi.restoreAllMocks());

test("more folders than one zip can have are refused in words", async () => {
  speak("en", flat(english));
  const shown = vi.spyOn(notifications, "show").mockReturnValue("");
  const folders = Array.from({ length: 101 }, (_, number) => folderEntry(`folder ${number}/`, ""));
  await download(folders);
  expect(shown.mock.lastCall?.[0].message).toBe("One download has at most 100 folders. Select fewer, or download the folder that they are in.");
});
