/** Slug of a name, generated as the server does: lowercase letters, digits and dashes. */

const LONGEST = 48;

export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST)
    .replace(/-+$/, "");
  return slug.length > 1 ? slug : "";
}
