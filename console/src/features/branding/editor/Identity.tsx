/** Title, tagline and logo. */

import { TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { Section } from "@/ui/Page";

import type { Draft } from "../draft";
import styles from "./Identity.module.css";
import { LogoField } from "./LogoField";

const LONGEST_TITLE = 80;
const LONGEST_TAGLINE = 160;

interface Props {
  draft: Draft;
  plane: "company" | "instance";
  disabled: boolean;
  refusalOf: (field: string) => string | undefined;
}

export function Identity({ draft, plane, disabled, refusalOf }: Props) {
  const { title, tagline, logo } = draft.look;
  return (
    <Section title={t("branding.identity")} intro={t("branding.identity.words")}>
      <div className={styles.fields}>
        <TextInput
          label={t("branding.name")}
          description={t(`branding.name.empty.${plane}`)}
          maxLength={LONGEST_TITLE}
          value={title}
          readOnly={disabled}
          error={refusalOf("title")}
          onChange={(event) => draft.set({ title: event.currentTarget.value })}
        />
        <TextInput
          label={t("branding.tagline")}
          description={t("branding.tagline.words")}
          maxLength={LONGEST_TAGLINE}
          value={tagline}
          readOnly={disabled}
          error={refusalOf("tagline")}
          onChange={(event) => draft.set({ tagline: event.currentTarget.value })}
        />
        <LogoField
          logo={logo}
          title={title}
          plane={plane}
          disabled={disabled}
          refusal={refusalOf("logo")}
          onLogo={(value) => draft.set({ logo: value })}
        />
      </div>
    </Section>
  );
}
