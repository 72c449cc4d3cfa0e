/** Mantine dressed in the tokens: every colour it uses is one of ours, so that a brand reaches every component. */

import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

import controls from "./controls.module.css";

const one = (variable: string): MantineColorsTuple =>
  Array.from({ length: 10 }, () => `var(${variable})`) as unknown as MantineColorsTuple;

const mix = (variable: string, share: number, into = "var(--surface)"): string =>
  `color-mix(in srgb, var(${variable}) ${share}%, ${into})`;

const TONES = {
  accent: "--accent",
  danger: "--danger",
  success: "--success",
  warning: "--warning",
  gray: "--text-muted",
} as const;

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
    Input: { classNames: { wrapper: controls.field, input: controls.input } },
    Checkbox: { ...ticked, classNames: { input: controls.box } },
    CheckboxIndicator: ticked,
    Radio: { ...ticked, classNames: { radio: controls.box } },
    RadioIndicator: ticked,
    Switch: { classNames: { track: controls.track } },
    Popover: { defaultProps: inMain },
    Tooltip: { defaultProps: inMain, classNames: { tooltip: controls.tooltip } },
    Notification: { defaultProps: { withBorder: true } },
    // Otherwise an opened menu has the focus on nothing, and says nothing.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
});

function tone(name: string, variable: string): Record<string, string> {
  const isAccent = name === "accent";
  // An accent is made to be written upon: only a link's colour is certain to be read on the page's grounds.
  const readable = isAccent ? "var(--link)" : `var(${variable})`;
  return {
    [`--mantine-color-${name}-filled`]: `var(${variable})`,
    [`--mantine-color-${name}-filled-hover`]: mix(variable, 88, "var(--text)"),
    [`--mantine-color-${name}-light`]: mix(variable, 10),
    [`--mantine-color-${name}-light-hover`]: mix(variable, 14),
    [`--mantine-color-${name}-light-color`]: readable,
    [`--mantine-color-${name}-outline`]: readable,
    [`--mantine-color-${name}-outline-hover`]: mix(variable, 8),
    [`--mantine-color-${name}-text`]: readable,
    [`--mantine-color-${name}-contrast`]: isAccent ? "var(--accent-text)" : "var(--surface)",
  };
}

const shade = (share: number): string => mix("--text", share);
const BORDER = "var(--border)";
const MUTED = "var(--text-muted)";

/** From the ground to the text. Mantine dresses light pages in its greys, and dark ones in its darks, which begin with the text. */
const GRAYS = [shade(3), shade(5), shade(9), BORDER, shade(25), shade(45), MUTED, shade(80), shade(88), shade(94)];
const DARKS = ["var(--text)", shade(85), MUTED, shade(45), BORDER, shade(6), "var(--surface)", "var(--surface)", "var(--background)", "var(--background)"];

function scale(name: string, shades: readonly string[]): Record<string, string> {
  return Object.fromEntries(shades.map((colour, place) => [`--mantine-color-${name}-${place}`, colour]));
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
  ...scale("gray", GRAYS),
  ...scale("dark", DARKS),
  ...Object.assign({}, ...Object.entries(TONES).map(([name, variable]) => tone(name, variable))),
};

/** White is a ground by day, and a text by night. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...VARIABLES, "--mantine-color-white": "var(--surface)" },
  dark: { ...VARIABLES, "--mantine-color-white": "var(--text)" },
});
