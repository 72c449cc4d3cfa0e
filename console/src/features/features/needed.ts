/** Which features there is anything of: those that a row of the console's tables needs. A switch for another would do nothing. */

import type { Feature } from "@/api/client";
import { ACTIONS, SCREENS } from "@/app/screens";

const needed = new Set([...SCREENS, ...ACTIONS].map(({ feature }) => feature));

export const isNeeded = (feature: Feature): boolean => needed.has(feature);
