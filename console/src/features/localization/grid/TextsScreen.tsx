/** All texts of a language, to be translated one after another. */

import { Button } from "@mantine/core";
import { IconChecks } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";
import { useRef } from "react";

import { languageName, t } from "@/i18n";
import { useSession } from "@/session";
import { useListKeys } from "@/ui/panes/useListKeys";
import { percent } from "@/ui/quantities";
import { Failed, Loading } from "@/ui/states";

import { queryOf, useFilters } from "../address";
import type { LocaleCoverage } from "../api";
import { CoverageBar, shareApproved } from "../CoverageBar";
import { BackToLanguages, Frame } from "../Frame";
import { useLocaleCoverage } from "../queries";
import { FilterBar } from "./FilterBar";
import styles from "./Texts.module.css";
import { Rows } from "./Rows";

export default function TextsScreen() {
  const { locale = "" } = useParams({ strict: false }) as { locale?: string };
  return <Texts key={locale} locale={locale} />;
}

function Texts({ locale }: { locale: string }) {
  const { can } = useSession();
  const coverage = useLocaleCoverage(locale);
  const [filters, setFilters] = useFilters();
  const pane = useRef<HTMLDivElement>(null);
  const hear = useListKeys(pane);
  const data = coverage.data;
  const counts = data?.items.find((one) => one.locale === locale);
  const mayTranslate = can("localization:translate") && locale !== data?.source;
  return (
    <Frame
      back={<BackToLanguages>{t("localization.title")}</BackToLanguages>}
      title={languageName(locale)}
      intro={t(mayTranslate ? "localization.texts.intro" : "localization.texts.reader")}
      actions={counts && <Actions counts={counts} />}
    >
      {coverage.isPending && <Loading />}
      {coverage.isError && !data && <Failed error={coverage.error} again={() => void coverage.refetch()} />}
      {data && (
        // Keys for the filter and the rows below it; each of them works without.
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions
        <div ref={pane} onKeyDown={hear}>
          {counts && (
            <div className={styles.coverage}>
              <CoverageBar counts={counts} />
              <span className="muted">{t("localization.share", { share: percent(shareApproved(counts)) })}</span>
            </div>
          )}
          <FilterBar filters={filters} counts={counts} namespaces={data.namespaces ?? []} onChange={setFilters} />
          <Rows query={queryOf(locale, filters)} source={data.source} mayTranslate={mayTranslate} />
        </div>
      )}
    </Frame>
  );
}

function Actions({ counts: { locale, submitted } }: { counts: LocaleCoverage }) {
  const { can } = useSession();
  if (!can("localization:review")) return null;
  return (
    <Button
      variant={submitted > 0 ? "filled" : "default"}
      leftSection={<IconChecks aria-hidden size={16} />}
      renderRoot={(props) => <Link to="/settings/instance/languages/$locale/review" params={{ locale }} {...props} />}
    >
      {submitted > 0 ? t("localization.review.count", { count: submitted }) : t("localization.review")}
    </Button>
  );
}
