/** Translations of texts and catalogs, with the team's glossary and checks. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";
import { Segments } from "@/ui/Segments";

import { MODES, useAddress, useGo, type Mode } from "./address";
import { CatalogMode } from "./catalog/CatalogMode";
import { History } from "./History";
import { useOpening } from "./opening";
import { TextMode } from "./text/TextMode";
import { useWork } from "./work";

export default function TranslateScreen() {
  const go = useGo();
  const address = useAddress();
  const { mode = "text", open } = address;
  const work = useWork();
  useOpening(address, work);
  return (
    <Page
      title={t("translate.title")}
      intro={
        <>
          {t("translate.intro")} <Link to="/settings/team/glossary">{t("translate.intro.glossary")}</Link>
        </>
      }
      actions={
        <Segments<Mode>
          aria-label={t("translate.mode")}
          value={mode}
          onChange={(value) => go({ mode: value })}
          data={MODES.map((value) => ({ value, label: t(`translate.mode.${value}`) }))}
        />
      }
    >
      {mode === "text" ? <TextMode work={work} /> : <CatalogMode work={work} />}
      <History open={open} />
    </Page>
  );
}
