/** Something done with many items of the trash: a toast says how far it is, and the screens are refreshed once, at the end. */

import { notifications } from "@mantine/notifications";
import type { QueryClient } from "@tanstack/react-query";

import { Progress } from "@/ui/Progress";
import { several, type Failed } from "@/ui/several";

import { refresh } from "./queries";

/** Returns what couldn't be done. */
export async function withMany<Item>(
  client: QueryClient,
  items: readonly Item[],
  words: string,
  act: (item: Item) => Promise<unknown>,
): Promise<Failed<Item>[]> {
  const toast = (done: number) => ({ title: words, message: <Progress label={words} share={done / items.length} />, autoClose: false, withCloseButton: false }) as const;
  const id = notifications.show(toast(0));
  const failed = await several(items, act, (done) => notifications.update({ id, ...toast(done) }));
  await refresh(client);
  notifications.hide(id);
  return failed;
}
