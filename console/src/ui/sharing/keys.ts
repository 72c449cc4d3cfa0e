/** All that is known of an item's shares, links and readers. */
export const sharingOf = (id: string) => ["sharing", id] as const;
