/** A new idempotency key. `crypto.randomUUID` needs https or localhost; on internal networks people use http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
