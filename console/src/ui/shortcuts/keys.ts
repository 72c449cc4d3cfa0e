/** Which of the shortcuts a changed thing makes stale: its title, or whether it can still be read. */

import { FAVOURITES, RECENTS } from "./queries";

export const SHORTCUT_SUBJECTS = ["note", "object", "conversation", "workflow"] as const;
export const SHORTCUT_KEYS = [{ queryKey: FAVOURITES }, { queryKey: RECENTS }] as const;
