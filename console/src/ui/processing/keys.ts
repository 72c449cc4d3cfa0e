/** Keys of the queries for processing. Any changed file or run makes all of them stale: any may be made from another. */

export const PROCESSING = ["processing"] as const;
