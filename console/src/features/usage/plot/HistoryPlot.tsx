/** One metric over time: its days, the limit and the forecast. Days can be read with the pointer and the keyboard. */

import { useId, useState, type KeyboardEvent, type PointerEvent } from "react";

import { dateFormat, t } from "@/i18n";
import { WIDTH } from "@/ui/plot";
import { PlotFigure } from "@/ui/PlotFigure";

import type { MetricHistory } from "../queries";
import { dailyLimitOf, geometryOf, HEIGHT, placeAt, timeOf, valueOf, type Geometry } from "./geometry";
import styles from "./HistoryPlot.module.css";
import { figureOf, outlookOf, quantity } from "./words";

const AS_DAY = { day: "numeric", month: "short", timeZone: "UTC" } as const;
const LONG_DAY = { weekday: "short", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
const nameOf = (day: string): string => dateFormat(LONG_DAY).format(timeOf(day));

export function HistoryPlot({ history }: { history: MetricHistory }) {
  const heading = useId();
  const title = t(`usage.${history.metric}`);
  const outlook = outlookOf(history);
  return (
    <PlotFigure
      title={title}
      heading={
        <div>
          <h3 id={heading}>{title}</h3>
          <p className="muted">{t(`usage.over.of.${history.level}`)}</p>
        </div>
      }
      labelledBy={heading}
      figure={figureOf(history)}
      rows={history.days.map(({ day }, place) => ({ name: nameOf(day), value: quantity(history.metric, valueOf(history, place)) })).toReversed()}
      className={styles.plot}
    >
      <Field history={history} labelledBy={heading} />
      <p className={styles.outlook} data-tone={outlook.tone}>
        {outlook.words}
      </p>
    </PlotFigure>
  );
}

function Field({ history, labelledBy }: { history: MetricHistory; labelledBy: string }) {
  const geometry = geometryOf(history);
  const reading = useReading(geometry, history.days.length);
  const limit = dailyLimitOf(history);
  return (
    <>
      <div
        className={styles.field}
        role="slider"
        tabIndex={0}
        aria-labelledby={labelledBy}
        aria-readonly
        aria-valuemin={0}
        aria-valuemax={history.days.length - 1}
        aria-valuenow={reading.place}
        aria-valuetext={wordsOf(history, reading.place)}
        {...reading.handlers}
      >
        {geometry.limit === null && <span className={styles.top}>{quantity(history.metric, Math.round(geometry.top))}</span>}
        {limit !== null && limit > 0 && (
          <span className={styles.limit} data-above={geometry.limit === null || undefined} style={{ top: `${((geometry.limit ?? 0) / HEIGHT) * 100}%` }}>
            {t(geometry.limit === null ? "usage.over.limit.above" : "usage.over.limit", { limit: quantity(history.metric, limit) })}
          </span>
        )}
        <Drawing geometry={geometry} read={reading.shown} />
        {reading.shown !== null && <Reading history={history} place={reading.shown} geometry={geometry} />}
      </div>
      <Axis history={history} geometry={geometry} />
    </>
  );
}

/** The day that is read: under the pointer, or chosen with the keys while the chart has the focus. */
function useReading(geometry: Geometry, count: number) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [focused, setFocused] = useState(false);
  const last = count - 1;
  const place = Math.min(chosen ?? last, last);
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    setChosen(placeAt((event.clientX - box.left) / Math.max(1, box.width), geometry));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextPlace(event.key, place, last);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, next)));
  };
  return {
    place,
    shown: chosen !== null || focused ? place : null,
    handlers: {
      onPointerMove,
      onPointerDown: onPointerMove,
      onPointerLeave: () => setChosen(null),
      onKeyDown,
      onFocus: () => setFocused(true),
      onBlur: () => {
        setFocused(false);
        setChosen(null);
      },
    },
  };
}

/** Time goes from left to right in every language, so the right arrow is always the next day. */
function nextPlace(key: string, place: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1,
    PageDown: place - 7, PageUp: place + 7, Home: 0, End: last,
  };
  return steps[key];
}

const wordsOf = (history: MetricHistory, place: number): string =>
  t("ui.plot.span", { name: nameOf(history.days[place]?.day ?? ""), value: quantity(history.metric, valueOf(history, place)) });

function Drawing({ geometry, read }: { geometry: Geometry; read: number | null }) {
  const { places, line, area, bars, limit, forecast, meeting } = geometry;
  const at = read === null ? undefined : places[read];
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
      <path className={styles.grid} d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />
      {area && <path className={styles.area} d={area} />}
      {line && <path className={styles.line} d={line} />}
      {bars.map((bar, place) => (
        <rect key={place} className={styles.bar} data-read={place === read || undefined} {...bar} />
      ))}
      {forecast && <path className={styles.forecast} d={forecast} />}
      {limit !== null && <path className={styles.limitLine} d={`M0 ${limit}H${WIDTH}`} />}
      {/* A line without length and with round ends is a dot that isn't stretched. */}
      {meeting && <path className={styles.meeting} d={`M${meeting.x} ${meeting.y}h0`} />}
      {at !== undefined && <path className={styles.cursor} d={`M${at} 0V${HEIGHT}`} />}
    </svg>
  );
}

function Reading({ history, place, geometry }: { history: MetricHistory; place: number; geometry: Geometry }) {
  const share = (geometry.places[place] ?? 0) / WIDTH;
  return (
    // The slider says the same.
    <span className={styles.reading} aria-hidden style={{ left: `${share * 100}%`, translate: `${-share * 100}% 0` }}>
      <b>{quantity(history.metric, valueOf(history, place))}</b> {nameOf(history.days[place]?.day ?? "")}
    </span>
  );
}

function Axis({ history, geometry }: { history: MetricHistory; geometry: Geometry }) {
  const from = history.days[0]?.day ?? "";
  const today = (geometry.places.at(-1) ?? WIDTH) / WIDTH;
  return (
    <p className={styles.axis} aria-hidden>
      {history.days.length > 1 && <span>{dateFormat(AS_DAY).format(timeOf(from))}</span>}
      <span className={styles.today} style={{ left: `${today * 100}%`, translate: geometry.until === null ? "-100% 0" : "-50% 0" }}>
        {t("usage.over.today")}
      </span>
      {geometry.until !== null && <span className={styles.until}>{dateFormat(AS_DAY).format(geometry.until)}</span>}
    </p>
  );
}
