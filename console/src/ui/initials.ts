/** The letters that stand for a person without a picture. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return (words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : name.slice(0, 2)).toUpperCase();
}
