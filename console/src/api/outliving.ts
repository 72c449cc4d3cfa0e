/** Requests that go on when the page they were sent from is left. */

/** Browsers carry 64 KiB of them at a time; a letter takes up to three bytes. */
const MOST_LETTERS = 20_000;

/** For what must arrive although somebody leaves; a larger one is sent as any other, and may not. */
export const outliving = (body: unknown): { keepalive: boolean } => ({ keepalive: JSON.stringify(body).length <= MOST_LETTERS });
