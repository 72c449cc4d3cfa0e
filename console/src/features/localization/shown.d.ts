/** Written at build time by the plugin in shown.js. */
declare module "virtual:shown" {
  const table: readonly (readonly [paths: readonly string[], keys: Readonly<Record<string, readonly string[]>>])[];
  export default table;
}
