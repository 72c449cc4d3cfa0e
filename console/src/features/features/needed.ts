/** Features that a screen or action depends on. A switch for any other would do nothing. */

import type { Feature } from "@/api/client";
import type { Tables } from "@/navigation/tables";

export const isNeeded = (feature: Feature, { screens, actions }: Tables): boolean =>
  [...screens, ...actions].some((row) => row.feature === feature);
