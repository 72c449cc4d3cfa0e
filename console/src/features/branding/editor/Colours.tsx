/** Theme colours, in the order people choose them. */

import { t } from "@/i18n";
import { Section } from "@/ui/Page";

import type { Draft } from "../draft";
import { COLOURS, type Colour } from "@/ui/tokens/tokens";
import { TokenRow } from "./TokenRow";

interface Props {
  draft: Draft;
  disabled: boolean;
  refusalOf: (field: string) => string | undefined;
}

export function Colours({ draft, disabled, refusalOf }: Props) {
  return (Object.entries(COLOURS) as [keyof typeof COLOURS, readonly Colour[]][]).map(([group, tokens]) => (
    <Section key={group} title={t(`branding.group.${group}`)} intro={t(`branding.group.${group}.words`)}>
      {tokens.map((token) => (
        <TokenRow key={token} token={token} draft={draft} disabled={disabled} refusal={refusalOf(token)} />
      ))}
    </Section>
  ));
}
