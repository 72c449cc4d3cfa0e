/** What waits for a review in a language: one at a time, by keys alone if you like. */

import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { languageName, number, t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { Failed, Loading } from "@/ui/states";

import { QUEUES, queueIn, queueQuery, type Queue } from "../address";
import type { LocaleCoverage } from "../api";
import { BackToTexts, Frame } from "../Frame";
import { useLocaleCoverage } from "../queries";
import { ReviewQueue } from "./ReviewQueue";
import styles from "./Review.module.css";

const COUNTS = { submitted: "submitted", drafts: "machine", stale: "stale" } as const satisfies Record<Queue, keyof LocaleCoverage>;

export default function ReviewScreen() {
  const { locale = "" } = useParams({ strict: false }) as { locale?: string };
  const queue = queueIn(useSearch({ strict: false }));
  const go = useNavigate();
  const coverage = useLocaleCoverage(locale);
  const data = coverage.data;
  const counts = data?.items.find((one) => one.locale === locale);
  const named = (each: Queue): string => {
    const name = t(`localization.queue.${each}`);
    return counts ? t("localization.filter.counted", { name, count: number(counts[COUNTS[each]]) }) : name;
  };
  const show = (each: Queue): void => void go({ to: ".", search: { show: each === "submitted" ? undefined : each } as never, replace: true });
  return (
    <Frame
      back={<BackToTexts locale={locale}>{languageName(locale)}</BackToTexts>}
      title={t("localization.review.of", { language: languageName(locale) })}
      intro={t("localization.review.intro")}
    >
      {coverage.isPending && <Loading />}
      {coverage.isError && !data && <Failed error={coverage.error} again={() => void coverage.refetch()} />}
      {data && (
        <>
          <Segments<Queue>
            className={styles.queues}
            aria-label={t("localization.queue")}
            value={queue}
            onChange={show}
            data={QUEUES.map((each) => ({ value: each, label: named(each) }))}
          />
          <ReviewQueue
            key={`${locale} ${queue}`}
            query={queueQuery(locale, queue)}
            source={data.source}
            nothing={
              <>
                <p>{t(`localization.queue.${queue}.none`)}</p>
                <Link to="/settings/instance/languages/$locale" params={{ locale }}>
                  {t("localization.queue.texts")}
                </Link>
              </>
            }
          />
        </>
      )}
    </Frame>
  );
}
