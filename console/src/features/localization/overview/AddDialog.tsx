/** Adds a language: its texts are missing at first, and a model begins to draft them. */

import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

import { languageName, t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { LanguageSelect } from "@/ui/languages/LanguageSelect";
import { notice } from "@/ui/notice";

import { draftMissing } from "../api";
import { useKnown } from "../queries";
import { draftingWords } from "./working";

export function AddDialog({ known, onClose }: { known: readonly string[]; onClose: () => void }) {
  const go = useNavigate();
  const { refetchAll } = useKnown();
  const { form, sending, fault, submit } = useSending({ locale: "" }, async ({ locale }) => {
    const drafting = await draftMissing(locale);
    refetchAll();
    notice(draftingWords(locale, drafting));
    onClose();
    void go({ to: "/settings/instance/languages/$locale", params: { locale } });
  });
  const { locale } = form.values;
  const taken = known.includes(locale) ? t("localization.add.known", { language: languageName(locale) }) : undefined;
  return (
    <Dialog title={t("localization.add")} onClose={onClose}>
      <form onSubmit={submit}>
        <LanguageSelect
          label={t("localization.language")}
          required
          {...form.getInputProps("locale")}
          value={locale || null}
          error={taken ?? form.errors.locale}
          onChange={(code) => form.setFieldValue("locale", code)}
        />
        <p className="muted">{t("localization.add.words")}</p>
        <Fault fault={fault} fields={["locale"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending} disabled={!locale || taken !== undefined}>
            {t("localization.add.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
