import { OF_ITEM } from "@/ui/versions/address";

/** One step of the way to an open item. */
export interface Crumb {
  name: string;
  to: string;
  /** Filters that are kept on the way back, or the folder. */
  search?: object | ((now: object) => object);
}

/** To a list whose filters are in the address; what belongs to the open item isn't. */
export const toList = (name: string, to: string): Crumb => ({
  name,
  to,
  search: (now: object) => ({ ...now, ...OF_ITEM, inspect: undefined }),
});
