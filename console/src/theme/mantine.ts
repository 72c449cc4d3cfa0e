/** Mantine dressed in the tokens: every colour it uses is one of ours, so that a brand reaches every component. */

import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

const one = (variable: string): MantineColorsTuple =>
  Array.from({ length: 10 }, () => `var(${variable})`) as unknown as MantineColorsTuple;

const mix = (variable: string, share: number, into = "var(--surface)"): string =>
  `color-mix(in srgb, var(${variable}) ${share}%, ${into})`;

const TONES = { accent: "--accent", danger: "--danger", success: "--success", warning: "--warning" } as const;

/** What stands on a filled colour is what was tested on it; by itself Mantine takes white, which a dark theme's accent swallows. */
const onFilled: VariantColorsResolver = (input) => {
  const colours = defaultVariantColorsResolver(input);
  const name = input.color || input.theme.primaryColor;
  return input.variant === "filled" && name in TONES ? { ...colours, color: `var(--mantine-color-${name}-contrast)` } : colours;
};

/** What floats above a screen belongs to it: outside of every landmark it is passed over by those who go from one to the next. */
const inMain = { portalProps: { target: "main" } };

const ticked = { defaultProps: { iconColor: "var(--accent-text)" } };

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: 6,
  colors: Object.fromEntries(Object.entries(TONES).map(([name, variable]) => [name, one(variable)])),
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  headings: { fontFamily: "var(--font)", fontWeight: "650" },
  defaultRadius: "md",
  radius: { xs: "4px", sm: "6px", md: "var(--radius)", lg: "calc(var(--radius) * 1.5)", xl: "calc(var(--radius) * 2)" },
  fontSizes: { xs: "12px", sm: "14px", md: "14px", lg: "15.5px", xl: "18px" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  respectReducedMotion: true,
  cursorType: "pointer",
  focusRing: "auto",
  variantColorResolver: onFilled,
  components: {
    Checkbox: ticked,
    CheckboxIndicator: ticked,
    Radio: ticked,
    RadioIndicator: ticked,
    Popover: { defaultProps: inMain },
    Tooltip: { defaultProps: inMain },
    // Otherwise an opened menu has the focus on nothing, and says nothing.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
});

function tone(name: string, variable: string): Record<string, string> {
  const text = name === "accent" ? "var(--accent-text)" : "var(--surface)";
  return {
    [`--mantine-color-${name}-filled`]: `var(${variable})`,
    [`--mantine-color-${name}-filled-hover`]: mix(variable, 88, "var(--text)"),
    [`--mantine-color-${name}-light`]: mix(variable, 12),
    [`--mantine-color-${name}-light-hover`]: mix(variable, 18),
    [`--mantine-color-${name}-light-color`]: `var(${variable})`,
    [`--mantine-color-${name}-outline`]: `var(${variable})`,
    [`--mantine-color-${name}-outline-hover`]: mix(variable, 8),
    [`--mantine-color-${name}-text`]: `var(${variable})`,
    [`--mantine-color-${name}-contrast`]: text,
  };
}

const VARIABLES: Record<string, string> = {
  "--mantine-color-body": "var(--surface)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-bright": "var(--text)",
  "--mantine-color-dimmed": "var(--text-muted)",
  "--mantine-color-placeholder": "var(--text-muted)",
  "--mantine-color-anchor": "var(--link)",
  "--mantine-color-error": "var(--danger)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-hover": "color-mix(in srgb, var(--text) 5%, var(--surface))",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--border)",
  "--mantine-color-disabled": "color-mix(in srgb, var(--text) 8%, var(--surface))",
  "--mantine-color-disabled-color": "var(--text-muted)",
  "--mantine-color-disabled-border": "var(--border)",
  "--mantine-primary-color-contrast": "var(--accent-text)",
  ...Object.assign({}, ...Object.entries(TONES).map(([name, variable]) => tone(name, variable))),
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: VARIABLES, dark: VARIABLES });
