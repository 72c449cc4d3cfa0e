/** Below it every address is the console's; the server answers all of them with the same page. */
export const BASE = "/app";
