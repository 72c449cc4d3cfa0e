/** The session's token, as components see it. */

import { useSyncExternalStore } from "react";

import { token } from "./token";

export const useToken = (): string | null => useSyncExternalStore(token.subscribe, token.get);
