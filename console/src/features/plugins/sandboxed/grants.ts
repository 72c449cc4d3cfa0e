/** Which capabilities a plugin has after one is granted or taken away. */

import type { Capability, SandboxedPlugin } from "@/api/extensions";

export function toggled(capabilities: readonly Capability[], name: string): string[] {
  return capabilities.filter((capability) => capability.granted !== (capability.name === name)).map((capability) => capability.name);
}

/** The plugin with exactly these capabilities granted. */
export function granted(plugin: SandboxedPlugin, names: readonly string[]): SandboxedPlugin {
  return { ...plugin, capabilities: plugin.capabilities.map((capability) => ({ ...capability, granted: names.includes(capability.name) })) };
}
